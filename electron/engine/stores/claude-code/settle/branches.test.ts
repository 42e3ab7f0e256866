import { nativeId } from '@shared/model';
import { expect, test } from 'vitest';
import type { SpineRecord } from '../../store';
import { findBranches } from './branches';
import { linkRecords } from './chain';

const record = (index: number, parent: number, role: 'user' | 'assistant'): SpineRecord => ({
  index, key: `r${index}`, parent, inChain: true, missing: null, joins: -1, type: role, time: index, order: null, message: index, messageKey: `m${index}`, role,
  prompt: role === 'user', injected: false, note: null, source: 'file', gone: false,
});

/** A line of prompts and answers, and answers that were asked for again at its end. */
function session(length: number, ends: number) {
  const line = Array.from({ length }, (_, index) => record(index, index - 1, index % 2 === 0 ? 'user' : 'assistant'));
  const others = Array.from({ length: ends }, (_, place) => record(length + place, length - 1, 'user'));
  return findBranches(linkRecords({ session: nativeId('s'), records: [...line, ...others], evidence: [], now: 0 }));
}

test('every branch has its path from the root', () => {
  expect(session(4, 3).branches.map(({ current, path }) => ({ current, path }))).toEqual([
    { current: false, path: [0, 1, 2, 3, 4] },
    { current: false, path: [0, 1, 2, 3, 5] },
    { current: true, path: [0, 1, 2, 3, 6] },
  ]);
});

test('of a long session as many branches are listed as a million entries of paths hold', () => {
  const { branches, current, unlisted } = session(40_000, 300);
  expect({ listed: branches.length, current: current.length, unlisted }).toEqual({ listed: 25, current: 40_001, unlisted: 275 });
  expect(branches.map(({ path }) => path.length)).toEqual(Array.from({ length: 25 }, () => 40_001));
});
