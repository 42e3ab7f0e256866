import { expect, test } from 'vitest';
import { windowsOf } from '../engine/queries/part-windows';
import { messagesOf } from '../engine/share/export/show-document';

/** As the outline writes it: code unit minus 48 is the base-2 logarithm. */
const size = (log: number) => String.fromCharCode(48 + log);

test('many small parts share a window, at most 64', () => {
  expect(windowsOf(size(6).repeat(150)).map(({ from, count }) => [from, count])).toEqual([[0, 64], [64, 64], [128, 22]]);
});

test('large parts stand alone, so that a window is bounded', () => {
  const windows = windowsOf(size(5) + size(20) + size(19) + size(24) + size(5));
  expect(windows.map(({ from, count }) => [from, count])).toEqual([[0, 3], [3, 1], [4, 1]]);
  expect(windows[1]?.text).toBe(2 ** 24 + 500);
});

test('nothing has no window', () => {
  expect(windowsOf('')).toEqual([]);
});

test('the parts of a message are found where they lie apart', () => {
  expect(messagesOf({ messages: [0, 0, 1, 2, 1, 0, 3] })).toEqual([[0, 1, 5], [2, 4], [3], [6]]);
  expect(() => messagesOf({})).toThrow(/another version/);
});
