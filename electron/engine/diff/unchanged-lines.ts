import type { UnchangedLines } from '@shared/model';
import type { NetChange } from './net-change';

/** Characters of the lines of one answer. A window ends before the line that would be too much; of a first line that is, so many are given. */
const charLimit = 1_000_000;

/** The file as it was before a change whose hunks stand in it by their numbers; null where it is not known whole. */
export const wholeBefore = ({ before, after, gap }: NetChange): string | null => (gap === null && before.state === 'text' && after.state === 'text' ? before.text : null);

/** How many lines a text has; the last may have no end. */
export function lineCountOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at = endOf(text, at);
  return count;
}

/** A window of a text's lines. `from` is counted from 1. */
export function lineWindow(text: string, from: number, count: number): UnchangedLines {
  let at = 0;
  for (let line = 1; line < from && at < text.length; line++) at = endOf(text, at);
  const lines: string[] = [];
  for (let chars = 0; lines.length < count && at < text.length; ) {
    const end = endOf(text, at);
    const line = text.slice(at, text.charCodeAt(end - 1) === lineFeed ? end - 1 : end);
    if (chars + line.length > charLimit) return lines.length > 0 ? { state: 'known', from, lines, cut: 0 } : { state: 'known', from, lines: [line.slice(0, charLimit)], cut: line.length - charLimit };
    lines.push(line);
    chars += line.length;
    at = end;
  }
  return { state: 'known', from, lines, cut: 0 };
}

const lineFeed = 10;

/** Where the line ends that begins at a place, its line end included. */
function endOf(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
