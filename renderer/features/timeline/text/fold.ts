import type { ClippedText } from '@shared/model';

/** Text as it is drawn: a head, a stretch left out, a tail. */
export interface Folded {
  head: string;
  /** Lines and characters left out; zero when everything is shown. */
  hiddenLines: number;
  hiddenChars: number;
  tail: string;
}

/** Above this many lines only head and tail are drawn at first. */
export const foldAbove = 60;
const headLines = 30;
const tailLines = 15;
/** One line may be a whole minified file: head and tail are bounded in characters too. */
const headChars = 6_000;
const tailChars = 3_000;

/** What the page has of a text: what came with the part, and what was asked for of the middle. */
export interface Held {
  clipped: ClippedText;
  /** Follows the head when the text came with a gap. */
  middle: string;
  /** The person asked to see more than head and tail. */
  opened: boolean;
}

const countLines = (text: string): number => {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
};

/** End of the first lines, in characters. */
function headEnd(text: string): number {
  let at = -1;
  for (let line = 0; line < headLines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return Math.min(text.length, headChars);
  }
  return Math.min(at + 1, headChars);
}

function tailStart(text: string): number {
  let at = text.length;
  for (let line = 0; line < tailLines; line += 1) {
    at = text.lastIndexOf('\n', at - 1);
    if (at <= 0) return Math.max(0, text.length - tailChars);
  }
  return Math.max(at + 1, text.length - tailChars);
}

/** Decides what of a text is drawn. */
export function foldText({ clipped, middle, opened }: Held): Folded {
  const { text, gap } = clipped;
  if (!gap) {
    const long = text.length > headChars + tailChars || countLines(text) > foldAbove;
    if (opened || !long) return { head: text, hiddenLines: 0, hiddenChars: 0, tail: '' };
    return cut(text, headEnd(text), tailStart(text));
  }
  const before = text.slice(0, gap.at) + middle;
  const after = text.slice(gap.at);
  const missing = Math.max(0, gap.chars - middle.length);
  if (missing === 0 && opened) return { head: before + after, hiddenLines: 0, hiddenChars: 0, tail: '' };
  const missingLines = missing === 0 ? 0 : Math.max(1, gap.lines - countLines(middle));
  const head = opened ? before : before.slice(0, headEnd(before));
  const tail = opened ? after : after.slice(tailStart(after));
  return {
    head,
    tail,
    hiddenChars: missing + before.length - head.length + after.length - tail.length,
    hiddenLines: missingLines + countLines(before.slice(head.length)) + countLines(after.slice(0, after.length - tail.length)),
  };
}

function cut(text: string, end: number, start: number): Folded {
  if (end >= start) return { head: text, hiddenLines: 0, hiddenChars: 0, tail: '' };
  return { head: text.slice(0, end), tail: text.slice(start), hiddenChars: start - end, hiddenLines: countLines(text.slice(end, start)) };
}
