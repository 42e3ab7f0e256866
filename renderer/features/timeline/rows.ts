import { kindCodes, laterCode, stateCodes, type Outline } from '@shared/contract';
import type { Lens } from '../../app/address';

/**
 * The rows of a timeline: one a part, save that a run of parts is one row until it is opened: parts that an agent put in
 * for itself (environment, prompts of the system, listings), and parts that the lens leaves out. Nothing is lost; such
 * runs are a third of a new transcript.
 */
export interface TimelineRows {
  count: number;
  /** The part a row shows, or the first of its run. */
  start(row: number): number;
  /** Parts in the run whose header this row is; 0 for the row of a part. */
  run(row: number): number;
  /** Why the parts of this run stand in one row; null for the row of a part. */
  quiet(row: number): Quiet | null;
  /** True for the header of a run whose parts follow as rows of their own. */
  isOpen(row: number): boolean;
  /** The row that shows a part: its own, or the header of its closed run. */
  rowOf(index: number): number;
  /** Where the closed run begins that hides a part; null for a part with a row of its own. */
  hiddenIn(index: number): number | null;
}

/** `injected`: the agent put them in. `left out`: the lens does not show them. */
export type Quiet = 'injected' | 'left out';

export interface RowLens {
  lens: Lens;
  /** `1` for each part that is sent to the model; null when that is not known. */
  seen: string | null;
  /** Runs of what the agent put in stand open until they are folded by hand. */
  showsInjected?: boolean;
}

/** Shorter runs are drawn part by part. What a lens leaves out is one row even when it is a single part. */
const shortest: Record<Quiet, number> = { injected: 3, 'left out': 1 };

const goneStates = new Set([stateCodes.compacted, stateCodes.reverted, stateCodes['off-branch']]);

/** Why a part may stand in a run; null for a part that is always drawn. What is wrong is not hidden in one by the agent's doing. */
function quietOf(outline: Outline, diagnosed: ReadonlySet<number>, index: number, { lens, seen }: RowLens): Quiet | null {
  const kind = outline.kinds[index];
  const state = outline.states[index];
  if (state === laterCode) return 'left out';
  if (lens === 'branch' && state === stateCodes['off-branch']) return 'left out';
  // The border of an epoch is no part of the conversation, and shows where it was cut.
  if (lens === 'model' && seen !== null && seen[index] !== '1' && (kind !== kindCodes.compaction || state === stateCodes['off-branch'] || state === stateCodes.reverted)) return 'left out';
  if (diagnosed.has(index)) return null;
  if (kind === kindCodes.notice) return state !== stateCodes.live ? 'injected' : null;
  if (kind !== kindCodes.text && kind !== kindCodes.file) return null;
  // What the agent put in stays that when it is compacted or taken back.
  return state === stateCodes.hidden || (outline.injected[index] === '1' && goneStates.has(state ?? '')) ? 'injected' : null;
}

/** Rows before the outline is there, or of a session without runs. */
function plainRows(total: number): TimelineRows {
  return { count: total, start: (row) => row, run: () => 0, quiet: () => null, isOpen: () => false, rowOf: (index) => index, hiddenIn: () => null };
}

/** First part, how many stand in its row, and why. */
class Layout {
  readonly starts: number[] = [];
  readonly runs: number[] = [];
  readonly reasons: (Quiet | null)[] = [];

  part(index: number): void {
    this.starts.push(index);
    this.runs.push(0);
    this.reasons.push(null);
  }
  run(start: number, length: number, quiet: Quiet): void {
    this.starts.push(start);
    this.runs.push(length);
    this.reasons.push(quiet);
  }
}

/** Lays out the rows; `toggled` holds the first parts of runs that were opened by hand, or folded where they stand open. */
export function makeRows(outline: Outline | null, total: number, toggled: ReadonlySet<number>, lens: RowLens = { lens: 'everything', seen: null }): TimelineRows {
  if (!outline) return plainRows(total);
  const diagnosed = new Set(outline.diagnosed);
  const layout = new Layout();
  const bound = Math.min(total, outline.total);
  const isOpen = (start: number, quiet: Quiet | null) => toggled.has(start) !== (quiet === 'injected' && lens.showsInjected === true);
  const isStep = (index: number) => outline.kinds[index] === kindCodes.step && !diagnosed.has(index);
  for (let index = 0; index < total; ) {
    // The border of a step is never sent and never read: alone it makes no run, within one it goes along.
    const quiet = index < bound && !isStep(index) ? quietOf(outline, diagnosed, index, lens) : null;
    let end = index + 1;
    if (quiet !== null) {
      for (let next = end; next < bound && (isStep(next) || quietOf(outline, diagnosed, next, lens) === quiet); next += 1) if (!isStep(next)) end = next + 1;
    }
    const length = end - index;
    if (quiet !== null && length >= shortest[quiet]) {
      layout.run(index, length, quiet);
      if (isOpen(index, quiet)) for (let part = index; part < end; part += 1) layout.part(part);
    } else {
      for (let part = index; part < end; part += 1) layout.part(part);
    }
    index = end;
  }
  return layout.runs.some((run) => run > 0) ? rowsOf(layout, total, isOpen) : plainRows(total);
}

function rowsOf({ starts, runs, reasons }: Layout, total: number, isRunOpen: (start: number, quiet: Quiet | null) => boolean): TimelineRows {
  const start = (row: number) => starts[row] ?? total;
  const run = (row: number) => runs[row] ?? 0;
  /** Last row that begins at or before the part: behind an open header that is the part's own row. */
  const rowOf = (index: number) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (start(middle) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const isOpen = (row: number) => run(row) > 0 && isRunOpen(start(row), reasons[row] ?? null);
  return {
    count: starts.length,
    start,
    run,
    quiet: (row) => reasons[row] ?? null,
    isOpen,
    rowOf,
    hiddenIn(index) {
      const row = rowOf(index);
      return run(row) > 0 && !isOpen(row) ? start(row) : null;
    },
  };
}
