import { expect, test } from 'vitest';
import { sayBadParameters } from './bad-parameters';
import { type Method, params } from './contract';

function said(method: Method, given: unknown): string | undefined {
  const { error } = params[method].safeParse(given);
  return error && sayBadParameters(method, error.issues);
}

const session = 'claude-code/1';

test('limits that a person can meet are told as sentences', () => {
  expect(said('plan.act', { session, act: 'rename', title: 'x'.repeat(2_000) })).toBeUndefined();
  expect(said('plan.act', { session, act: 'rename', title: 'x'.repeat(2_001) })).toBe('The title is too long: it may have 2,000 characters at most.');
  expect(said('plan.import', { from: 'x'.repeat(8_193) })).toBe('The file or link is too long: it may have 8,192 characters at most.');
  expect(said('journal.entry', { id: '' })).toBe('The name of the entry is empty.');
  expect(said('session.get', { session: 'a/' })).toBe('The name of the session is too short: it has 3 characters at least.');
  expect(said('diff.files', { session, scope: { kind: 'turn', turn: 10_000_001 }, from: 0, count: 1 })).toBe('The turn is too large: it may be 10,000,000 at most.');
  expect(said('plan.revert', { session, before: 'part', scope: 'files', takes: Array.from({ length: 10_001 }, () => ({ path: 'a', take: 'mine' })) })).toBe('There are too many choices for files: at most 10,000 are taken at once.');
  expect(said('library.planForget', { target: { kind: 'sessions', sessions: Array.from({ length: 1_001 }, () => session) } })).toBe('There are too many sessions: at most 1,000 are taken at once.');
});

test('what only a program can get wrong names the call', () => {
  expect(said('plan.act', { session, act: 'burn' })).toBe('The act is none that plan.act takes.');
  expect(said('plan.apply', null)).toBe('plan.apply was called otherwise than agreed.');
});
