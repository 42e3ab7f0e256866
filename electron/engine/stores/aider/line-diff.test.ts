import { expect, test } from 'vitest';
import { lineChanges } from './line-diff';

const drawn = (before: string[], after: string[]) => lineChanges(before, after).map(({ mark, text }) => mark + text);

test('keeps as many lines as it can', () => {
  expect(drawn(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'y', 'd'])).toEqual([' a', '-b', '+x', ' c', '+y', ' d']);
  expect(drawn([], ['a'])).toEqual(['+a']);
  expect(drawn(['a', 'a'], ['a'])).toEqual([' a', '-a']);
  expect(drawn(['a'], ['a'])).toEqual([' a']);
});

test('a block too large to compare is taken out and put in whole', () => {
  const before = Array.from({ length: 700 }, (_, line) => `old ${line}`);
  const after = before.map((line) => line.replace('old', 'new'));
  const changes = drawn(['same', ...before], ['same', ...after]);
  expect([changes.length, changes[0], changes[1], changes[701]]).toEqual([1_401, ' same', '-old 0', '+new 0']);
});
