import type { ChangeHunk } from '@shared/model';

/** A line of a hunk; its text has its own line end, or none where the file ends without one. */
export interface HunkLine {
  mark: ' ' | '+' | '-';
  text: string;
}

/** A stretch of changed lines. Starts are as in a patch: from 1, and the line before for a side without lines. */
export interface Hunk {
  oldStart: number;
  newStart: number;
  heading: string | null;
  lines: HunkLine[];
}

export const oldLines = (hunk: Hunk): string[] => hunk.lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]));
export const newLines = (hunk: Hunk): string[] => hunk.lines.flatMap(({ mark, text }) => (mark === '-' ? [] : [text]));

/** Lines added and removed. */
export function countOf(hunks: readonly Hunk[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { lines } of hunks) {
    for (const { mark } of lines) {
      if (mark === '+') added++;
      else if (mark === '-') removed++;
    }
  }
  return { added, removed };
}

/** Where the old side of a hunk begins, from 0. */
export const oldIndex = (hunk: Hunk): number => (hunk.lines.some(({ mark }) => mark !== '+') ? hunk.oldStart - 1 : hunk.oldStart);

/** The same change the other way round. */
export const reversed = (hunks: readonly Hunk[]): Hunk[] =>
  hunks.map(({ oldStart, newStart, heading, lines }) => ({
    oldStart: newStart, newStart: oldStart, heading, lines: lines.map(({ mark, text }) => ({ mark: mark === '+' ? '-' : mark === '-' ? '+' : ' ', text })),
  }));

/** The lines after hunks that say where they stand; null when one does not fit exactly there. */
export function applied(lines: readonly string[], hunks: readonly Hunk[]): string[] | null {
  const result: string[] = [];
  let at = 0;
  for (const hunk of [...hunks].sort((a, b) => oldIndex(a) - oldIndex(b))) {
    const start = oldIndex(hunk);
    const old = oldLines(hunk);
    if (start < at || !standsAt(lines, old, start)) return null;
    pushAll(result, lines, at, start);
    // Context is taken from the file, which may have other line ends than the record.
    let from = start;
    for (const { mark, text } of hunk.lines) {
      if (mark === '+') result.push(text);
      else {
        if (mark === ' ') result.push(lines[from] as string);
        from++;
      }
    }
    at = from;
  }
  pushAll(result, lines, at, lines.length);
  return result;
}

/** The lines after hunks that do not say where they stand: each is looked for behind the one before. Null when one is nowhere, or in more than one place. */
export function appliedByText(lines: readonly string[], hunks: readonly Hunk[]): string[] | null {
  let result: string[] | null = [...lines];
  for (const hunk of hunks) {
    const old = oldLines(hunk);
    const places = old.length === 0 ? [] : placesOf(result, old);
    const [only] = places;
    if (only === undefined || places.length > 1) return null;
    result = applied(result, [{ ...hunk, oldStart: only + 1 }]);
    if (result === null) return null;
  }
  return result;
}

/** Up to two places where the lines stand one after the other. */
function placesOf(lines: readonly string[], wanted: readonly string[]): number[] {
  const places: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length && places.length < 2; at++) if (standsAt(lines, wanted, at)) places.push(at);
  return places;
}

const standsAt = (lines: readonly string[], wanted: readonly string[], at: number): boolean =>
  at >= 0 && at + wanted.length <= lines.length && wanted.every((line, index) => sameLine(lines[at + index] as string, line, at + index === lines.length - 1));

/** Line ends are not told apart, and a missing one at the end of a file not always recorded. */
export const sameLine = (a: string, b: string, isLast: boolean): boolean => a === b || bare(a) === bare(b) && (isLast || (a.endsWith('\n') && b.endsWith('\n')));
const bare = (line: string): string => line.replace(/\r?\n$/, '');

/** `push(...lines)` would put every line on the stack. */
function pushAll(target: string[], lines: readonly string[], from: number, to: number): void {
  for (let i = from; i < to; i++) target.push(lines[i] as string);
}

/** A hunk as it goes over the link and into a patch. */
export function drawnHunk({ oldStart, newStart, heading, lines }: Hunk): ChangeHunk {
  const drawn: string[] = [];
  let before = 0;
  let after = 0;
  for (const { mark, text } of lines) {
    if (mark !== '+') before++;
    if (mark !== '-') after++;
    if (text.endsWith('\n')) drawn.push(mark + text.slice(0, -1));
    else drawn.push(mark + text, '\\ No newline at end of file');
  }
  return { oldStart, oldLines: before, newStart, newLines: after, heading, lines: drawn };
}
