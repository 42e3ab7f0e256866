import { diffArrays } from 'diff';
import type { Hunk, HunkLine } from './hunks';

/** Lines `at … at + removed.length` of the old text give way to `inserted`. */
export interface LineEdit {
  at: number;
  removed: string[];
  inserted: string[];
}

/**
 * How many of the lines that stand in both texts may differ in place for the smallest difference to be looked for: the
 * work grows with its square. Beyond it the texts are first cut at lines that occur once in both, and what is still
 * larger is shown as replaced whole.
 */
const searched = 800;

/** The changes between two texts, in order. Their result is always the new text, also where it is not the smallest. */
export function lineEdits(before: readonly string[], after: readonly string[]): LineEdit[] {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    lines.map((line) => {
      const number = numbers.get(line) ?? numbers.size;
      numbers.set(line, number);
      return number;
    });
  const spans: Span[] = [];
  compare(numbered(before), numbered(after), 0, 0, spans, true);
  return spans.map(({ at, removed, from, inserted }) => ({ at, removed: before.slice(at, at + removed), inserted: after.slice(from, from + inserted) }));
}

interface Span {
  at: number;
  removed: number;
  from: number;
  inserted: number;
}

function compare(a: number[], b: number[], aStart: number, bStart: number, spans: Span[], mayCut: boolean): void {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const [at, from] = [aStart + head, bStart + head];
  if (left.length === 0 && right.length === 0) return;
  if (left.length === 0 || right.length === 0) {
    spans.push({ at, removed: left.length, from, inserted: right.length });
    return;
  }
  const pairs = commonLines(left, right);
  if (pairs) return void pushSpans(pairs, left.length, right.length, at, from, spans);
  const anchors = mayCut ? commonOnce(left, right) : [];
  if (anchors.length === 0) {
    spans.push({ at, removed: left.length, from, inserted: right.length });
    return;
  }
  let [doneLeft, doneRight] = [0, 0];
  for (const [i, j] of [...anchors, [left.length, right.length] as const]) {
    compare(left.slice(doneLeft, i), right.slice(doneRight, j), at + doneLeft, from + doneRight, spans, false);
    [doneLeft, doneRight] = [i + 1, j + 1];
  }
}

/**
 * The most lines that both have in the same order; null where that is too much work. Lines that only one side has can be
 * in no such pair: without them a file that was rewritten line by line costs no search at all.
 */
function commonLines(a: readonly number[], b: readonly number[]): [number, number][] | null {
  const [left, right] = [indexesOf(a, new Set(b)), indexesOf(b, new Set(a))];
  const parts = left.length === 0 || right.length === 0 ? [] : diffArrays(left.map((index) => a[index]), right.map((index) => b[index]), { maxEditLength: searched });
  if (!parts) return null;
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  for (const { count, added, removed } of parts) {
    const both = added || removed ? 0 : count;
    for (let step = 0; step < both; step++) pairs.push([left[i + step] as number, right[j + step] as number]);
    if (!added) i += count;
    if (!removed) j += count;
  }
  return pairs;
}

/** Where lines stand that the other side has, too. */
const indexesOf = (lines: readonly number[], other: ReadonlySet<number>): number[] => lines.flatMap((line, index) => (other.has(line) ? [index] : []));

/** What lies between lines that both have, and behind the last of them. */
function pushSpans(pairs: readonly [number, number][], left: number, right: number, at: number, from: number, spans: Span[]): void {
  let [doneLeft, doneRight] = [0, 0];
  for (const [i, j] of [...pairs, [left, right] as const]) {
    if (i > doneLeft || j > doneRight) spans.push({ at: at + doneLeft, removed: i - doneLeft, from: from + doneRight, inserted: j - doneRight });
    [doneLeft, doneRight] = [i + 1, j + 1];
  }
}

/** Pairs of lines that occur exactly once on both sides, as many as stand in the same order. */
function commonOnce(a: number[], b: number[]): [number, number][] {
  const inB = onceIn(b);
  const pairs = [...onceIn(a)].flatMap(([line, i]): [number, number][] => {
    const j = inB.get(line);
    return j === undefined ? [] : [[i, j]];
  });
  return longestRise(pairs.sort(([i], [k]) => i - k));
}

function onceIn(lines: number[]): Map<number, number> {
  const seen = new Map<number, number>();
  const again = new Set<number>();
  lines.forEach((line, index) => (seen.has(line) ? again.add(line) : seen.set(line, index)));
  for (const line of again) seen.delete(line);
  return seen;
}

/** The longest run of pairs whose second numbers rise. */
function longestRise(pairs: [number, number][]): [number, number][] {
  const ends: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, j], index) => {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as [number, number])[1] < j) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = index;
  });
  const rise: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) rise.push(pairs[at] as [number, number]);
  return rise.reverse();
}

/** Unchanged lines around a change, as git draws them. */
const contextLines = 3;

/**
 * Edits as hunks. `lineAt` gives a line of the old text, undefined where it is not known or there is none: a hunk then
 * has less context.
 */
export function hunksOf(edits: readonly LineEdit[], lineAt: (index: number) => string | undefined): Hunk[] {
  const hunks: Hunk[] = [];
  let shift = 0;
  for (let i = 0; i < edits.length; ) {
    const lines: HunkLine[] = [];
    const start = contextStart(edits[i] as LineEdit, edits[i - 1], lineAt);
    let at = start;
    const shiftBefore = shift;
    for (let more = true; more && i < edits.length; i++) {
      const edit = edits[i] as LineEdit;
      for (; at < edit.at; at++) lines.push({ mark: ' ', text: lineAt(at) as string });
      for (const text of edit.removed) lines.push({ mark: '-', text });
      for (const text of edit.inserted) lines.push({ mark: '+', text });
      at += edit.removed.length;
      shift += edit.inserted.length - edit.removed.length;
      const next = edits[i + 1];
      more = next !== undefined && next.at - at <= contextLines * 2 && allKnown(at, next.at, lineAt);
      if (more) continue;
      const end = Math.min(at + contextLines, next?.at ?? Infinity);
      for (; at < end && lineAt(at) !== undefined; at++) lines.push({ mark: ' ', text: lineAt(at) as string });
    }
    const [hasOld, hasNew] = [lines.some(({ mark }) => mark !== '+'), lines.some(({ mark }) => mark !== '-')];
    hunks.push({ oldStart: start + (hasOld ? 1 : 0), newStart: start + shiftBefore + (hasNew ? 1 : 0), heading: null, lines });
  }
  return hunks;
}

function contextStart(edit: LineEdit, before: LineEdit | undefined, lineAt: (index: number) => string | undefined): number {
  const least = Math.max(0, edit.at - contextLines, before ? before.at + before.removed.length : 0);
  let start = edit.at;
  while (start > least && lineAt(start - 1) !== undefined) start--;
  return start;
}

function allKnown(from: number, to: number, lineAt: (index: number) => string | undefined): boolean {
  for (let at = from; at < to; at++) if (lineAt(at) === undefined) return false;
  return true;
}
