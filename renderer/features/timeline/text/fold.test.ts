import { describe, expect, it } from 'vitest';
import type { ClippedText } from '@shared/model';
import { foldText } from './fold';

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');
const whole = (text: string): ClippedText => ({ text, total: text.length, lines: text.split('\n').length, gap: null });

describe('a text that came whole', () => {
  it('is drawn whole when it is short', () => {
    expect(foldText({ clipped: whole(lines(1, 60)), middle: '', opened: false })).toEqual({ head: lines(1, 60), hiddenLines: 0, hiddenChars: 0, tail: '' });
  });
  it('shows head and tail when it is long, and how much lies between', () => {
    const folded = foldText({ clipped: whole(lines(1, 5_000)), middle: '', opened: false });
    expect(folded.head).toBe(lines(1, 30));
    expect(folded.tail).toBe(lines(4_987, 5_000));
    expect(folded.hiddenLines).toBe(4_956);
  });
  it('is drawn whole when opened', () => {
    expect(foldText({ clipped: whole(lines(1, 5_000)), middle: '', opened: true })).toMatchObject({ head: lines(1, 5_000), hiddenLines: 0 });
  });
  it('bounds a single huge line', () => {
    const folded = foldText({ clipped: whole('x'.repeat(100_000)), middle: '', opened: false });
    expect([folded.head.length, folded.hiddenChars, folded.tail.length]).toEqual([6_000, 91_000, 3_000]);
  });
});

describe('a text that came with a gap', () => {
  const head = lines(1, 100);
  const gapText = lines(101, 900);
  const tail = lines(901, 1_000);
  const clipped: ClippedText = { text: head + tail, total: (head + gapText + tail).length, lines: 1_000, gap: { at: head.length, chars: gapText.length, lines: 800 } };

  it('counts what was not sent among what is hidden', () => {
    const folded = foldText({ clipped, middle: '', opened: false });
    expect(folded.head).toBe(lines(1, 30));
    expect(folded.hiddenLines).toBe(70 + 800 + 86);
  });
  it('goes on from the head as the middle comes in', () => {
    const folded = foldText({ clipped, middle: lines(101, 300), opened: true });
    expect(folded.head).toBe(lines(1, 300));
    expect(folded.tail).toBe(tail);
    expect(folded.hiddenLines).toBe(600);
  });
  it('closes when the middle is there', () => {
    expect(foldText({ clipped, middle: gapText, opened: true })).toEqual({ head: head + gapText + tail, hiddenLines: 0, hiddenChars: 0, tail: '' });
  });
});
