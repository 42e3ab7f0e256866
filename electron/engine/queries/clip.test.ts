import { expect, test } from 'vitest';
import { clip, windowOf } from './clip';

test('a short text is whole', () => {
  expect(clip('a\nb\n', { whole: 10, head: 4, tail: 2 })).toEqual({ text: 'a\nb\n', total: 4, lines: 2, gap: null });
});

test('a long text keeps head and tail, cut at line ends', () => {
  const text = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
  const { text: kept, gap, lines, total } = clip(text, { whole: 100, head: 30, tail: 20 });
  expect(kept).toBe('line 0\nline 1\nline 2\nline 3\nline 98\nline 99');
  expect(gap).toEqual({ at: 28, chars: text.length - 28 - 15, lines: 94 });
  expect(lines).toBe(100);
  expect(total).toBe(text.length);
});

test('a cut never splits a pair, and half a pair becomes U+FFFD', () => {
  const { text } = clip('😀'.repeat(50), { whole: 10, head: 5, tail: 5 });
  expect(text.isWellFormed()).toBe(true);
  expect(text).toBe('😀'.repeat(4));
  expect(clip('a\ud83d', { whole: 10, head: 5, tail: 5 }).text).toBe('a\ufffd');
  expect(windowOf('a😀b', 2, 1)).toEqual({ text: '😀', from: 1, total: 4 });
});
