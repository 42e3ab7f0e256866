import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';
import type { DiffScope, SessionId } from '@shared/model';
import { isAbandoned, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import type { RowActs } from './DiffRow';
import { linesOfGap } from './gap-lines';
import type { DrawnRow, LaidOut } from './lines/drawing';
import type { DrawnPatch } from './lines/drawn-patch';
import type { Gap } from './lines/gaps';

/** Rows looked through for the nearest fold, those that are here. */
const reach = 2_000;

type Fold = Extract<DrawnRow, { kind: 'fold' }> | (Extract<DrawnRow, { kind: 'hunk' }> & { open: Gap });

/** The row at which unchanged lines can be shown: itself, the nearest above, else the nearest below. */
export function nearestFold(patch: DrawnPatch | null, row: number, rows: number): { row: number; drawn: Fold } | null {
  const foldAt = (at: number): Fold | null => {
    const drawn = patch?.row(at);
    if (drawn?.kind === 'fold') return drawn;
    return drawn?.kind === 'hunk' && drawn.open !== null ? { ...drawn, open: drawn.open } : null;
  };
  for (let step = 0; step < reach; step++) {
    const drawn = row - step >= 0 ? foldAt(row - step) : null;
    if (drawn) return { row: row - step, drawn };
  }
  for (let at = row + 1; at < Math.min(rows, row + reach); at++) {
    const drawn = foldAt(at);
    if (drawn) return { row: at, drawn };
  }
  return null;
}

interface GapOpening {
  session: SessionId;
  scope: DiffScope;
  path: string;
  patch: DrawnPatch | null;
  laid: LaidOut | null;
  setLaid(laid: LaidOut): void;
  /** The chosen row: it stays the same line, at the same place on the screen. */
  current: number | null;
  setCurrent(row: number): void;
  scroller: RefObject<HTMLDivElement | null>;
  /** px */
  rowHeight: number;
}

/** Fetches lines of a gap and has them drawn. */
export function useGapOpening(opening: GapOpening): NonNullable<RowActs['openGap']> {
  const held = useRef(opening);
  held.current = opening;
  const moved = useRef(0);
  const { laid, scroller, rowHeight } = opening;
  useLayoutEffect(() => {
    if (moved.current > 0) scroller.current?.scrollBy({ top: moved.current * rowHeight });
    moved.current = 0;
  }, [laid, scroller, rowHeight]);
  return useCallback((row, gap, end, count) => {
    const { session, scope, path, patch } = held.current;
    const open = async () => {
      const lines = await linesOfGap(session, scope, path, gap, end, count);
      if (lines === null) return say('The file is not known whole any more.');
      if (!patch || held.current.patch !== patch) return;
      const before = patch.rows;
      const after = await patch.put(gap.number, end, lines.from, lines.texts);
      const { current, setCurrent, setLaid } = held.current;
      const grown = after.rows - before;
      if (current !== null && current > row && grown > 0) {
        moved.current = grown;
        setCurrent(current + grown);
      }
      setLaid(after);
    };
    open().catch((error: unknown) => {
      if (!isAbandoned(error)) say(`The lines could not be read: ${reasonOf(error)}`);
    });
  }, []);
}
