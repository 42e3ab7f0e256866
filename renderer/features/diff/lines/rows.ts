import type { GapEnd, Gaps } from './gaps';
import { blankPairs, costOf, type Pair, pairsOf } from './pairs';
import type { PatchHunk, PatchLine } from './patch-lines';

/** How a diff is laid out. */
export interface DiffLook {
  split: boolean;
  /** Lines that differ in blanks only are drawn as unchanged. */
  blanks: 'shown' | 'hidden';
}

/** A row; `left` and `right` are indexes of lines, -1 for none. An unchanged line stands on both sides. */
export type Row =
  /** A hunk begins, or the patch ends; lines it leaves out before that may be drawn already. */
  | { kind: 'hunk'; hunk: number }
  /** Unchanged lines that are folded away. */
  | { kind: 'fold'; from: number; count: number }
  | { kind: 'line'; left: number; right: number };

export interface Rows {
  rows: Row[];
  /** Rows at which a change begins, rising: where `n` and `p` go. */
  stops: number[];
  /** The line across from a changed one, for marking words; found when its block is looked at. */
  partnerOf(line: number): number | undefined;
}

/** Compared characters that side by side may cost as a whole, a second or less: blocks beyond it are paired by position. */
const budget = 100_000_000;

/** Changed lines that stand together. */
interface Block {
  /** Where the run of changed lines ends that it is in: with blanks hidden, a run has several blocks. */
  runEnd: number;
  removed: number[];
  added: number[];
  pairs: Pair[] | null;
}

/** Unchanged lines kept on each side of a fold; a fold hides at least as many as both. */
const kept = 3;

/** Lays out the rows of a patch. `unfolded` holds the first lines of folds that were opened. */
export function rowsOf(lines: readonly PatchLine[], hunks: readonly PatchHunk[], look: DiffLook, unfolded: ReadonlySet<number>, gaps: Gaps | null = null): Rows {
  const made = new Layout(lines, look, unfolded);
  hunks.forEach((hunk, at) => {
    made.gap(at, gaps, hunk);
    made.hunk(hunk);
  });
  if (gaps) made.gap(hunks.length, gaps, null);
  return made;
}

class Layout implements Rows {
  readonly rows: Row[] = [];
  readonly stops: number[] = [];
  readonly #blocks: Block[] = [];
  #spent = 0;

  constructor(
    readonly lines: readonly PatchLine[],
    readonly look: DiffLook,
    readonly unfolded: ReadonlySet<number>,
  ) {}

  /** What lies between two hunks: lines that were put in, and a row for those that were not. `hunk`: the one below. */
  gap(number: number, gaps: Gaps | null, hunk: PatchHunk | null): void {
    const put = (end: GapEnd) => {
      for (const at of gaps?.opened(number, end) ?? []) this.rows.push({ kind: 'line', left: at, right: at });
    };
    const left = gaps?.at(number)?.left ?? null;
    put('above');
    // A gap that was opened whole needs no row, unless it has something to say.
    if (hunk ? left !== 0 || hunk.gap === 0 || hunk.heading !== null : (left ?? 0) > 0) this.rows.push({ kind: 'hunk', hunk: number });
    put('below');
  }

  hunk({ from, to }: PatchHunk): void {
    for (let at = from; at < to; ) {
      const isContext = this.lines[at]?.mark === ' ';
      let end = at + 1;
      while (end < to && (this.lines[end]?.mark === ' ') === isContext) end++;
      if (isContext) this.#context(at, end);
      else this.#block(at, end);
      at = end;
    }
  }

  #context(from: number, to: number): void {
    const hidden = to - from - kept * 2;
    const start = from + kept;
    const isFolded = hidden >= kept * 2 && !this.unfolded.has(start);
    for (let at = from; at < to; at++) {
      if (isFolded && at === start) {
        this.rows.push({ kind: 'fold', from: start, count: hidden });
        at += hidden;
      }
      this.rows.push({ kind: 'line', left: at, right: at });
    }
  }

  /** A run of changed lines. Old Codex patches put what is added before what is removed, so they are told apart first. */
  #block(from: number, to: number): void {
    const removed: number[] = [];
    const added: number[] = [];
    for (let at = from; at < to; at++) (this.lines[at]?.mark === '-' ? removed : added).push(at);
    const text = (at: number) => this.lines[at]?.text ?? '';
    const same: Pair[] = this.look.blanks === 'hidden' ? blankPairs(removed.map(text), added.map(text)) : [];
    let [left, right] = [0, 0];
    for (const [i, j] of [...same, [removed.length, added.length] as Pair]) {
      this.#changed(removed.slice(left, i), added.slice(right, j), to);
      [left, right] = [i + 1, j + 1];
      if (i < removed.length && j < added.length) this.rows.push({ kind: 'line', left: removed[i] as number, right: added[j] as number });
    }
  }

  #changed(removed: number[], added: number[], runEnd: number): void {
    if (removed.length === 0 && added.length === 0) return;
    this.stops.push(this.rows.length);
    const block: Block = { runEnd, removed, added, pairs: null };
    this.#blocks.push(block);
    if (this.look.split) {
      for (const [left, right] of this.#pairsIn(block)) this.rows.push({ kind: 'line', left, right });
      return;
    }
    for (const left of removed) this.rows.push({ kind: 'line', left, right: -1 });
    for (const right of added) this.rows.push({ kind: 'line', left: -1, right });
  }

  #pairsIn(block: Block): Pair[] {
    const [removed, added] = [block.removed, block.added].map((side) => side.map((at) => this.lines[at]?.text ?? '')) as [string[], string[]];
    block.pairs ??= pairsOf(removed, added, this.look.split ? budget - this.#spent : Infinity).map(([i, j]): Pair => [block.removed[i] ?? -1, block.added[j] ?? -1]);
    if (this.look.split) this.#spent += costOf(removed, added);
    return block.pairs;
  }

  partnerOf(line: number): number | undefined {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle] as Block).runEnd <= line) low = middle + 1;
      else high = middle;
    }
    const runEnd = this.#blocks[low]?.runEnd;
    for (let block = this.#blocks[low]; block && block.runEnd === runEnd; block = this.#blocks[++low]) {
      const pair = (block.pairs ?? this.#pairsIn(block)).find(([left, right]) => left === line || right === line);
      const partner = pair && (pair[0] === line ? pair[1] : pair[0]);
      if (pair) return partner === undefined || partner < 0 ? undefined : partner;
    }
    return undefined;
  }
}
