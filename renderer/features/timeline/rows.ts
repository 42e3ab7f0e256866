import { kindCodes, stateCodes, type Outline } from '@shared/contract';

/**
 * The rows of a timeline: one a part, save that a run of parts which an agent put in for itself (environment, prompts
 * of the system, listings) is one row until it is opened. Nothing is left out; such runs are a third of a new transcript.
 */
export interface TimelineRows {
  count: number;
  /** The part a row shows, or the first of its run. */
  start(row: number): number;
  /** Parts in the run whose header this row is; 0 for the row of a part. */
  run(row: number): number;
  /** True for the header of a run whose parts follow as rows of their own. */
  isOpen(row: number): boolean;
  /** The row that shows a part: its own, or the header of its closed run. */
  rowOf(index: number): number;
  /** Where the run begins that a part lies in, or null. */
  runOf(index: number): number | null;
}

/** Shorter runs are drawn part by part. */
const shortestRun = 3;

function isQuiet(outline: Outline, index: number): boolean {
  const kind = outline.kinds[index];
  const state = outline.states[index];
  if (kind === kindCodes.notice) return state !== stateCodes.live;
  return state === stateCodes.hidden && (kind === kindCodes.text || kind === kindCodes.file);
}

/** Rows before the outline is there, or of a session without runs. */
function plainRows(total: number): TimelineRows {
  return { count: total, start: (row) => row, run: () => 0, isOpen: () => false, rowOf: (index) => index, runOf: () => null };
}

/** Lays out the rows; `opened` holds the first parts of runs that were opened. */
export function makeRows(outline: Outline | null, total: number, opened: ReadonlySet<number>): TimelineRows {
  if (!outline) return plainRows(total);
  const starts: number[] = [];
  const runs: number[] = [];
  const put = (start: number, run: number) => {
    starts.push(start);
    runs.push(run);
  };
  for (let index = 0; index < total; ) {
    let end = index;
    while (end < outline.total && isQuiet(outline, end)) end += 1;
    const length = end - index;
    if (length >= shortestRun) {
      put(index, length);
      if (opened.has(index)) for (let inside = index; inside < end; inside += 1) put(inside, 0);
      index = end;
    } else {
      for (const stop = Math.max(end, index + 1); index < stop; index += 1) put(index, 0);
    }
  }
  if (starts.length === total && !runs.some((run) => run > 0)) return plainRows(total);

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
  return {
    count: starts.length,
    start,
    run,
    isOpen: (row) => run(row) > 0 && opened.has(start(row)),
    rowOf,
    runOf(index) {
      for (let row = rowOf(index); row >= 0 && index - start(row) <= total; row -= 1) {
        const length = run(row);
        if (length > 0) return index < start(row) + length ? start(row) : null;
        if (!isQuiet(outline, start(row))) return null;
      }
      return null;
    },
  };
}
