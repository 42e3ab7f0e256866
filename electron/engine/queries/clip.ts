import type { ClippedText } from '@shared/model';

/** Characters carried whole; a longer text keeps its head and its tail. */
export interface ClipLimit {
  whole: number;
  head: number;
  tail: number;
}

/** Prose of a message: nearly always whole. */
export const proseLimit: ClipLimit = { whole: 24_000, head: 12_000, tail: 4_000 };
/** Input or output of a tool: what an opened card shows before "show more". */
export const toolLimit: ClipLimit = { whole: 6_000, head: 3_000, tail: 1_500 };
export const unlimited: ClipLimit = { whole: Infinity, head: Infinity, tail: 0 };

/** Keeps head and tail of a long text, cut at line ends where one is near and never inside a surrogate pair. */
export function clip(text: string, limit: ClipLimit): ClippedText {
  const clean = text.isWellFormed() ? text : text.toWellFormed();
  const lines = countLines(clean);
  if (clean.length <= limit.whole) return { text: clean, total: clean.length, lines, gap: null };
  const head = headEnd(clean, limit.head);
  const tail = tailStart(clean, clean.length - limit.tail);
  const left = clean.slice(head, tail);
  return { text: clean.slice(0, head) + clean.slice(tail), total: clean.length, lines, gap: { at: head, chars: left.length, lines: countLines(left) } };
}

function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** How far a cut may move to reach a line end, in characters. */
const nearby = 400;

function headEnd(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at);
  if (line >= 0 && line > at - nearby) return line + 1;
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function tailStart(text: string, at: number): number {
  const line = text.indexOf('\n', at);
  if (line >= 0 && line < at + nearby) return line + 1;
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** A window of a text by characters, its ends never inside a surrogate pair. */
export function windowOf(text: string, from: number, count: number): { text: string; from: number; total: number } {
  const start = isLowSurrogate(text, from) ? from - 1 : from;
  const end = isLowSurrogate(text, from + count) ? from + count + 1 : from + count;
  return { text: text.slice(start, end).toWellFormed(), from: start, total: text.length };
}
