import { expect, it } from 'vitest';
import type { Outline } from '@shared/contract';
import { countLandmarks, countStates, findLandmark, onlyGrew, stateAt } from './outline';

const outline = (kinds: string, states = 'l'.repeat(kinds.length), diagnosed: number[] = []): Outline => ({ revision: 1, total: kinds.length, kinds, states, seen: '0' + '1'.repeat(kinds.length - 1), injected: '0'.repeat(kinds.length), sizes: '5'.repeat(kinds.length), diagnosed });

/** prompt, reply, failed tool, compaction with its summary, prompt, a summary alone */
const session = outline('utXcsutse', 'ccccsllsl');

it('finds the next and previous landmark', () => {
  expect(findLandmark(session, 0, 1, 'turn')).toBe(5);
  expect(findLandmark(session, 5, -1, 'turn')).toBe(0);
  expect(findLandmark(session, 5, 1, 'turn')).toBeNull();
  expect(findLandmark(session, -1, 1, 'error')).toBe(2);
  expect(findLandmark(session, -1, 1, 'compaction')).toBe(3);
  // The summary that belongs to a compaction is no stop of its own; one that stands alone is.
  expect(findLandmark(session, 3, 1, 'compaction')).toBe(7);
});

it('counts live parts that are not sent apart', () => {
  expect([...countStates(outline('utu'))]).toEqual([['not sent', 1], ['live', 2]]);
});

it('counts landmarks and states', () => {
  expect(countLandmarks(session)).toEqual({ turns: 2, compactions: 2, errors: 1, diagnoses: 0 });
  expect([...countStates(session)]).toEqual([['compacted', 4], ['summary', 2], ['live', 3]]);
  expect(stateAt(session, 0)).toBe('compacted');
});

it('tells appended parts from a rewritten order', () => {
  expect(onlyGrew(outline('utx'), outline('utxu'))).toBe(true);
  // The last part may still change its kind: a running tool that failed.
  expect(onlyGrew(outline('utx'), outline('utXt'))).toBe(true);
  expect(onlyGrew(outline('utx'), outline('uutx'))).toBe(false);
  expect(onlyGrew(outline('utx'), outline('ut'))).toBe(false);
});

it('counts a part with a diagnosis as an error to go to, and a failed step once', () => {
  const broken = outline('utXn', 'llll', [2, 3]);
  expect(findLandmark(broken, -1, 1, 'error')).toBe(2);
  expect(findLandmark(broken, 2, 1, 'error')).toBe(3);
  expect(countLandmarks(broken)).toEqual({ turns: 1, compactions: 0, errors: 1, diagnoses: 2 });
});
