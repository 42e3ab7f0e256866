import { asSessionId, type Tokens } from '@shared/model';
import { expect, test } from 'vitest';
import { familyAround, hang, isLive, type Member } from './family';

const ring = (size: number) => (n: number) => [(n + 1) % size, (n + size - 1) % size];
const used = (input: number): Tokens => ({ input, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
const member = (id: string, parent: string | null, tokens: Tokens | null = null, isSubagent = true): Member => ({
  id: asSessionId(id), parent: parent === null ? null : asSessionId(parent), isSubagent: parent !== null && isSubagent, tokens,
});

test('a family is walked in all directions, nearest first, and a circle ends', () => {
  expect(familyAround(0, ring(5), 10)).toEqual({ members: [0, 1, 4, 2, 3], more: 0 });
});

test('beyond the limit sessions are counted that lie next to those taken', () => {
  expect(familyAround(0, ring(100), 5)).toEqual({ members: [0, 1, 99, 2, 98], more: 2 });
});

test('a chain of 10,000 sessions is walked, hung and added up', () => {
  const size = 10_000;
  expect(familyAround(0, (n) => (n + 1 < size ? [n + 1] : []), size).members).toHaveLength(size);
  const { totals } = hang(Array.from({ length: size }, (_, n) => member(`s/${n}`, n === 0 ? null : `s/${n - 1}`, used(1))));
  expect(totals.get(asSessionId('s/0'))).toEqual({ rolledUp: { input: 10_000, output: 10_000, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, subagents: 9_999, untold: 0 });
});

test('tokens of subagents are rolled up at every depth; those of forks are not; what is not told is counted', () => {
  const { under, totals } = hang([
    member('s/top', null, used(10)), member('s/helper', 's/top', used(5)), member('s/inner', 's/helper', null), member('s/fork', 's/top', used(100), false),
    member('s/of-fork', 's/fork', used(7)),
  ]);
  expect(Object.fromEntries(under)).toEqual({ 's/helper': 's/top', 's/inner': 's/helper', 's/fork': 's/top', 's/of-fork': 's/fork' });
  expect(totals.get(asSessionId('s/top'))).toEqual({ rolledUp: { input: 15, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, subagents: 2, untold: 1 });
  expect(totals.get(asSessionId('s/fork'))).toEqual({ rolledUp: { input: 107, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, subagents: 1, untold: 0 });
  expect(totals.get(asSessionId('s/inner'))).toEqual({ rolledUp: null, subagents: 0, untold: 0 });
});

test('subagents in a circle are each counted once', () => {
  const { under, totals } = hang([member('s/a', 's/c', used(1)), member('s/b', 's/a', used(1)), member('s/c', 's/b', used(1)), member('s/own', 's/own', used(1))]);
  expect(Object.fromEntries(under)).toEqual({ 's/c': 's/b', 's/a': 's/c' });
  expect(totals.get(asSessionId('s/b'))).toMatchObject({ subagents: 2, rolledUp: { input: 3 } });
  expect(totals.get(asSessionId('s/own'))).toMatchObject({ subagents: 0, rolledUp: { input: 1 } });
});

test('a session is live for half an hour after its last write, unless it is gone, cut off or from the future', () => {
  const now = Date.parse('2026-12-01T12:00:00Z');
  const minutes = (count: number) => ({ updated: now - count * 60_000, gone: false, condition: 'finished' });
  expect([minutes(1), minutes(30), minutes(31), minutes(-5), minutes(-6)].map((session) => isLive(session, now))).toEqual([true, true, false, true, false]);
  expect(isLive({ ...minutes(1), gone: true }, now)).toBe(false);
  expect(isLive({ ...minutes(1), condition: 'interrupted' }, now)).toBe(false);
  expect(isLive({ ...minutes(1), updated: null }, now)).toBe(false);
});
