import { asMessageId, asSessionId, type Branch, type SessionDetail } from '@shared/model';
import { expect, test } from 'vitest';
import { scopeOf } from './session-scope';

const message = (key: string) => asMessageId(`claude-code/s#${key}`);
const branch = (id: string, current: boolean, keys: string): Branch => ({ id, current, tip: keys.at(-1) ?? '', count: keys.length, messages: [...keys].map(message) });
/** Two branches that part after b; `m` and `n` are notices on none of them. */
const session = { summary: { id: asSessionId('claude-code/s') }, branches: [branch('1', false, 'abcd'), branch('2', true, 'abef')] } as unknown as SessionDetail;
const timeline = [...'mabcdnefo'];
const shown = (options: { branch?: string; at?: string }) => {
  const scope = scopeOf(session, { branch: options.branch ?? null, at: options.at ?? null });
  return timeline.filter((key) => scope.includes(message(key))).join('');
};

test('without a choice everything is shown', () => {
  expect(shown({})).toBe('mabcdnefo');
});

test('a branch, by number or as the current one', () => {
  expect(shown({ branch: '1' })).toBe('mabcdno');
  expect(shown({ branch: '2' })).toBe('mabnefo');
  expect(shown({ branch: 'current' })).toBe('mabnefo');
});

test('a point is before its message: that one and all after it are left out', () => {
  expect(shown({ at: 'f' })).toBe('mabne');
  expect(shown({ at: 'claude-code/s#f' })).toBe('mabne');
  expect(shown({ at: 'a' })).toBe('m');
  expect(shown({ branch: '1', at: 'b' })).toBe('ma');
});

test('a point on another branch than the current one chooses that branch', () => {
  expect(shown({ at: 'd' })).toBe('mabc');
  expect(scopeOf(session, { branch: null, at: 'd' })).toMatchObject({ branch: '1', before: 'claude-code/s#d' });
});

test('what is not there is refused with what is', () => {
  expect(() => shown({ branch: '3' })).toThrow('There is no branch "3"; there are: 1, 2 (current).');
  expect(() => shown({ at: 'zz' })).toThrow('There is no message "zz" in this session.');
  expect(() => shown({ branch: '2', at: 'c' })).toThrow('Branch 2 does not have the message "c".');
});
