import { describe, expect, it } from 'vitest';
import type { Outline } from '@shared/contract';
import { makeRows, type TimelineRows } from './rows';

const outline = (kinds: string, states: string, injected = '0'.repeat(kinds.length)): Outline => ({ revision: 1, total: kinds.length, kinds, states, seen: '1'.repeat(kinds.length), injected, sizes: '5'.repeat(kinds.length), diagnosed: [] });
const laidOut = (rows: TimelineRows) => Array.from({ length: rows.count }, (_, row) => (rows.run(row) > 0 ? `run ${rows.start(row)}+${rows.run(row)}` : rows.start(row)));

/** prompt, four hidden notices, reply, two hidden notices, a live notice, tool */
const session = outline('unnnntnnnx', 'lhhhhlhhll');

describe('a run of hidden parts', () => {
  it('is one row until it is opened', () => {
    const rows = makeRows(session, 10, new Set());
    expect(laidOut(rows)).toEqual([0, 'run 1+4', 5, 6, 7, 8, 9]);
    expect([0, 1, 4, 5, 9].map((index) => rows.rowOf(index))).toEqual([0, 1, 1, 2, 6]);
    expect([0, 1, 4, 5, 6].map((index) => rows.hiddenIn(index))).toEqual([null, 1, 1, null, null]);
  });
  it('keeps its header when it is opened', () => {
    const rows = makeRows(session, 10, new Set([1]));
    expect(laidOut(rows)).toEqual([0, 'run 1+4', 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([1, 4, 5].map((index) => rows.rowOf(index))).toEqual([2, 5, 6]);
    expect([rows.isOpen(1), rows.isOpen(2)]).toEqual([true, false]);
    expect([1, 4, 5].map((index) => rows.hiddenIn(index))).toEqual([null, null, null]);
  });
});

it('never folds what is live, nor what failed', () => {
  expect(laidOut(makeRows(outline('nnnnXXXX', 'llllhhhh'), 8, new Set()))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});
it('folds a run that was compacted since', () => {
  expect(laidOut(makeRows(outline('unnnt', 'ccccc'), 5, new Set()))).toEqual([0, 'run 1+3', 4]);
});
it('folds what the agent put in also where it was compacted, and not what the person said there', () => {
  expect(laidOut(makeRows(outline('uttttt', 'cccccc', '011100'), 6, new Set()))).toEqual([0, 'run 1+3', 4, 5]);
});
it('opens all runs of what the agent put in at once, and none of what a lens leaves out', () => {
  const shown = { lens: 'branch' as const, seen: null, showsInjected: true };
  const mixed = outline('utttt', 'lhhho');
  expect(laidOut(makeRows(mixed, 5, new Set(), shown))).toEqual([0, 'run 1+3', 1, 2, 3, 'run 4+1']);
  expect(laidOut(makeRows(mixed, 5, new Set([1]), shown))).toEqual([0, 'run 1+3', 'run 4+1']);
});
it('lays out one row a part before the outline is there', () => {
  expect(laidOut(makeRows(null, 3, new Set()))).toEqual([0, 1, 2]);
});
it('ends with a run', () => {
  const rows = makeRows(outline('tnnn', 'lhhh'), 4, new Set());
  expect(laidOut(rows)).toEqual([0, 'run 1+3']);
  expect(rows.rowOf(3)).toBe(1);
});

describe('a lens', () => {
  /** prompt, reply, step, tool, compaction, summary, prompt, reply of another branch */
  const compacted = outline('utexcsut', 'cccccslo');
  it('folds what the model does not see, in its place, and keeps the border of the epoch', () => {
    const rows = makeRows(compacted, 8, new Set(), { lens: 'model', seen: '00000110' });
    expect(laidOut(rows)).toEqual(['run 0+4', 4, 5, 6, 'run 7+1']);
    expect([0, 1, 2, 3, 4].map((row) => rows.quiet(row))).toEqual(['left out', null, null, null, 'left out']);
    expect(rows.rowOf(2)).toBe(0);
  });
  it('leaves a step that stands alone where it is', () => {
    expect(laidOut(makeRows(outline('utet', 'llll'), 4, new Set(), { lens: 'model', seen: '1101' }))).toEqual([0, 1, 2, 3]);
  });
  it('folds other branches', () => {
    expect(laidOut(makeRows(compacted, 8, new Set(), { lens: 'branch', seen: null }))).toEqual([0, 1, 2, 3, 4, 5, 6, 'run 7+1']);
  });
  it('folds what comes after the point in every lens', () => {
    expect(laidOut(makeRows(outline('utut', 'll--'), 4, new Set(), { lens: 'everything', seen: null }))).toEqual([0, 1, 'run 2+2']);
  });
});
