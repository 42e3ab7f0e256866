import { create } from 'zustand';
import type { Outline } from '@shared/contract';
import type { ContextStates, PartId, SessionDetail, SessionId } from '@shared/model';
import type { Lens } from '../../app/address';
import { outlineAt, seenAt } from './outline';
import { useInjected } from './injected';
import { makeRows, type TimelineRows } from './rows';

/** What is known of the session that is open, and how it is shown. */
export interface OpenSession {
  id: SessionId | null;
  /** `unknown`: no store has it. */
  phase: 'none' | 'loading' | 'ready' | 'unknown' | 'failed';
  error: string | null;
  detail: SessionDetail | null;
  /** As the engine told it: states of the current branch, now. */
  recorded: Outline | null;
  lens: Lens;
  /** What has become of every part at the branch and point that are looked at, and which of them are sent; null while they are not asked for. */
  states: ContextStates | null;
  /** What is shown: `recorded` with the states that are looked at. */
  outline: Outline | null;
  total: number;
  /** Follows `outline`, `total`, `runs`, `lens` and `states`. */
  rows: TimelineRows;
  /** First parts of the runs that were opened by hand, or folded where they stood open. */
  runs: ReadonlySet<number>;
  /** Grows when loaded parts change, so that the timeline draws again. */
  version: number;
  /** Grows when indexes stop meaning the same parts: heights measured before are worthless. */
  epoch: number;
  /** The part that keys act on. */
  current: number | null;
  /** Keys moved to it: it takes the focus when it is drawn. */
  takesFocus: boolean;
  /** Parts opened or folded by hand. */
  folds: Map<PartId, boolean>;
  /** Parts that show their raw record. */
  raw: Set<PartId>;
  /** Parts that came in below while one was reading above. */
  arrived: number;
}

/** No session. */
export const nothing: OpenSession = {
  id: null, phase: 'none', error: null, detail: null, recorded: null, lens: 'everything', states: null, outline: null, total: 0, rows: makeRows(null, 0, new Set()), runs: new Set(), version: 0, epoch: 0, current: null, takesFocus: false, folds: new Map(), raw: new Set(), arrived: 0,
};

export const useSession = create<OpenSession>(() => nothing);

/** Changes what the rows follow from, and the rows with it. */
export function lay(change: Partial<Omit<OpenSession, 'outline' | 'rows'>>): void {
  const { recorded, total, runs, lens, states } = { ...useSession.getState(), ...change };
  const outline = outlineAt(recorded, states);
  useSession.setState({ ...change, outline, rows: makeRows(outline, total, runs, { lens, showsInjected: useInjected.getState().shown, seen: lens === 'model' ? seenAt(recorded, states) : null }) });
}

/** Opens or closes a run of hidden parts. */
export function toggleRun(start: number): void {
  const runs = new Set(useSession.getState().runs);
  if (!runs.delete(start)) runs.add(start);
  lay({ runs });
}
