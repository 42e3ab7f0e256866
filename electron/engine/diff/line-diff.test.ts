import { expect, test } from 'vitest';
import { hunksOf, lineEdits } from './line-diff';

const numbered = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => `${text(at)}\n`);
const shape = (before: string[], after: string[]) => lineEdits(before, after).map(({ at, removed, inserted }) => [at, removed.length, inserted.length]);

test('100,000 lines of which nearly all are written anew: what stayed is found', () => {
  const isKept = (at: number) => at % 60 < 4;
  const before = numbered(100_000, (at) => (isKept(at) ? `kept ${at}` : `before ${at}`));
  const after = numbered(100_000, (at) => (isKept(at) ? `kept ${at}` : `after ${at}`));
  const edits = shape(before, after);
  expect(edits.length).toBe(1_667);
  expect(edits.slice(0, 2)).toEqual([[4, 56, 56], [64, 56, 56]]);
  expect(edits.at(-1)).toEqual([99_964, 36, 36]);
});

test('lines that only one side has stand in the edit between those that both have', () => {
  expect(shape(['a\n', 'x\n', 'b\n', 'c\n'], ['n\n', 'a\n', 'b\n', 'y\n', 'z\n', 'c\n'])).toEqual([[0, 0, 1], [1, 1, 0], [3, 0, 2]]);
  expect(shape(['a\n', 'b\n'], ['x\n', 'y\n', 'z\n'])).toEqual([[0, 2, 3]]);
  expect(shape([], ['x\n'])).toEqual([[0, 0, 1]]);
  expect(shape(['x\n'], ['x\n'])).toEqual([]);
});

test('lines that changed places cost no more than is searched, and the edits lead to the new text', () => {
  const before = numbered(6_000, (at) => `line ${at}`);
  const after = [...before].reverse();
  const edits = lineEdits(before, after);
  let at = 0;
  const made = edits.flatMap((edit) => {
    const kept = before.slice(at, edit.at);
    at = edit.at + edit.removed.length;
    return [...kept, ...edit.inserted];
  });
  expect([...made, ...before.slice(at)]).toEqual(after);
  expect(hunksOf(edits, (index) => before[index]).length).toBeGreaterThan(0);
});
