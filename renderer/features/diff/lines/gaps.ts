import type { PatchLine, PatchLines } from './patch-lines';

/** At which end of a gap lines are put in: behind the hunk above it, or before the hunk below it. */
export type GapEnd = 'above' | 'below';

/** Unchanged lines that a patch leaves out, as far as they are not drawn. */
export interface Gap {
  /** Number of the hunk below it; that of the hunks for what follows the last. */
  number: number;
  /** The first of the lines that are left, before the change; and what to add for its number after it. */
  old: number;
  shift: number;
  left: number;
}

/** The lines between the hunks of a patch: how many there are, and those that were asked for. */
export class Gaps {
  /** By the number of the gap: indexes of the lines put in at its ends, as runs. */
  readonly #opened = new Map<number, Record<GapEnd, { from: number; to: number }[]>>();

  /** `wholeLines`: how many lines the file had before the change; null where it is not known whole. */
  constructor(
    readonly patch: PatchLines,
    readonly wholeLines: number | null,
  ) {}

  /** What is left of a gap; null where line numbers do not tell. */
  at(number: number): Gap | null {
    const hunk = this.patch.hunks[number];
    const next = this.patch.next;
    const [old, shift, count] = hunk ? [hunk.old - (hunk.gap ?? 0), hunk.new - hunk.old, hunk.gap] : [next.old, next.new - next.old, this.wholeLines === null ? null : this.wholeLines + 1 - next.old];
    if (count === null || count < 0) return null;
    const above = this.#count(number, 'above');
    return { number, old: old + above, shift, left: count - above - this.#count(number, 'below') };
  }

  /** Indexes of the lines that were put in at an end of a gap, in the order of the file. */
  *opened(number: number, end: GapEnd): Iterable<number> {
    for (const { from, to } of this.#opened.get(number)?.[end] ?? []) for (let at = from; at < to; at++) yield at;
  }

  #count(number: number, end: GapEnd): number {
    return (this.#opened.get(number)?.[end] ?? []).reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** Puts lines in. `from`: the number of the first before the change; lines that do not lie at that end of what is left are not taken. */
  put(number: number, end: GapEnd, from: number, texts: readonly string[]): void {
    const gap = this.at(number);
    const start = gap && (end === 'above' ? gap.old : gap.old + gap.left - texts.length);
    if (!gap || from !== start || texts.length === 0 || texts.length > gap.left) return;
    const at = this.patch.add(texts.map((text, index): PatchLine => ({ mark: ' ', text, old: from + index, new: from + index + gap.shift, ends: true })));
    const opened = this.#opened.get(number) ?? { above: [], below: [] };
    const run = { from: at, to: at + texts.length };
    if (end === 'above') opened.above.push(run);
    else opened.below.unshift(run);
    this.#opened.set(number, opened);
  }
}
