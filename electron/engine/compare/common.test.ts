import { expect, test } from 'vitest';
import { commonBeginning, dividedAt, partsAlike } from './common';
import { forksOf } from './forks';
import { knownOnly, pathWithin } from './knows';
import type { WalkedBranch, WalkedMessage, WalkedPart } from './walk';

let row = 0;
const part = (digest: number, more: Partial<WalkedPart> = {}): WalkedPart => ({
  row: ++row, seq: row, kind: 'text', digest, injected: false, reverted: false, family: null, status: null, added: 0, removed: 0, ...more,
});
const message = (key: string, digests: number[], more: Partial<WalkedMessage> = {}, parts: Partial<WalkedPart> = {}): WalkedMessage => ({
  key, role: 'user', time: 1, prompt: true, inherited: false, input: null, output: null, reasoning: null, cacheRead: null, cacheWrite: null, parts: digests.map((digest) => part(digest, parts)), ...more,
});
const byKey = (each: WalkedMessage) => each.key;
const places = (a: WalkedMessage[], b: WalkedMessage[], related = false, idOf: (each: WalkedMessage) => string | null = byKey) => commonBeginning(a, b, { idOf, content: related ? 'enough' : 'at the same time' }).map(({ a: left, b: right, by }) => `${left}=${right} ${by}`);

test('equal ids are a common beginning; what an agent put in, or what was taken back, may stand on one side alone', () => {
  const injected = message('i', [7], { role: 'system', prompt: false }, { injected: true });
  const reverted = message('r', [8], {}, { reverted: true });
  expect(places([message('p', [1]), injected, message('q', [2])], [message('p', [1]), reverted, message('q', [2]), message('s', [3])])).toEqual(['0=0 ids', '2=2 ids']);
});

test('the first message of person or model that differs ends it', () => {
  expect(places([message('p', [1]), message('x', [2]), message('q', [3])], [message('p', [1]), message('q', [3])])).toEqual(['0=0 ids']);
});

test('equal content counts between kin, else only with the same recorded time', () => {
  const other = () => message('other', [1], { time: 2 });
  expect(places([message('p', [1])], [other()], true)).toEqual(['0=0 content']);
  expect(places([message('p', [1])], [other()])).toEqual([]);
  expect(places([message('p', [1])], [{ ...other(), time: 1 }])).toEqual(['0=0 content']);
  expect(places([message('p', [1], { time: null })], [{ ...other(), time: null }])).toEqual([]);
  expect(places([message('m0', [1])], [message('m0', [2])], false, () => null)).toEqual([]);
  expect(commonBeginning([message('p', [1])], [message('other', [1])], { idOf: byKey, content: 'never' })).toEqual([]);
});

test('parts beyond those that both have of the last common message are the side’s own', () => {
  const [one, other] = [message('p', [1, 2, 3]), message('p', [1, 2])];
  const alike = partsAlike(one, other);
  expect(alike).toBe(2);
  expect(dividedAt([one, message('q', [4])], 0, alike).own.map(({ prompt, parts }) => [prompt, parts.map(({ digest }) => digest)])).toEqual([[false, [3]], [true, [4]]]);
  expect(dividedAt([other], 0, alike).own).toEqual([]);
  expect(dividedAt([other], -1, 0)).toEqual({ common: [], own: [other] });
});

test('branches that part among themselves divide off the current one, too', () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((key, at) => message(key, [at])) as [WalkedMessage, WalkedMessage, WalkedMessage, WalkedMessage, WalkedMessage];
  const branch = (id: string, shared: number, messages: WalkedMessage[], current = false): WalkedBranch => ({ id, current, after: null, shared, messages });
  const forks = forksOf([branch('1', 1, [a, b, c]), branch('2', 1, [a, b, d]), branch('3', 2, [a, e], true)]);
  expect(forks.map(({ at, ways }) => [at?.key, ways.map(({ branches, current, messages }) => `${branches.join()}${current ? ' current' : ''}: ${messages.map(({ key }) => key).join('')}`)])).toEqual([
    ['a', ['1,2: bd', '3 current: e']], ['b', ['1: c', '2: d']],
  ]);
  expect(forksOf([branch('1', 1, [a, b]), branch('2', 1, [a], true)]).map(({ ways }) => ways.map(({ branches, messages }) => [branches, messages.length]))).toEqual([[[['1'], 1], [['2'], 0]]]);
});

test('what is known is told by path and command as they stand, by decisions in most of their words', () => {
  const item = (kind: 'file' | 'command' | 'decision', text: string, at = 0) => ({ kind, text, at });
  const own = [item('file', 'a.ts'), item('file', 'b.ts', 3), item('file', 'b.ts', 5), item('command', 'npm test'), item('decision', 'We decided to keep the parser small.'), item('decision', 'We chose sqlite because it is one file.')];
  const known = [item('file', 'a.ts'), item('command', 'npm test -w x'), item('decision', 'The parser stays small: decided to keep it that way.')];
  expect(knownOnly(own, known).map(({ kind, text, at, times }) => [kind, text, at, times])).toEqual([
    ['file', 'b.ts', 5, 2], ['command', 'npm test', 0, 1], ['decision', 'We chose sqlite because it is one file.', 0, 1],
  ]);
});

test('a path below the folder of its session is compared without it', () => {
  expect([pathWithin('/w/demo/src/a.ts', '/w/demo'), pathWithin('/w/demo-2/a.ts', '/w/demo'), pathWithin('C:\\w\\a.ts', 'C:\\w\\'), pathWithin('src/a.ts', null)]).toEqual(['src/a.ts', '/w/demo-2/a.ts', 'a.ts', 'src/a.ts']);
});
