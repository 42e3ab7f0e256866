import { create } from 'zustand';
import type { SessionId } from '@shared/model';
import type { MapHits } from './hits';
import { noHits } from './hits';

interface MapState {
  /** The item that keys act on: a session's id, or a branch of one. */
  current: string | null;
  /** Subagents folded or opened by hand; the rest is at its default. */
  folds: ReadonlyMap<SessionId, boolean>;
  hits: MapHits;
  /** The keyboard is on the map. */
  focused: boolean;
}

/** What nodes of the map look at one by one, so that a step of the keyboard draws two of them again and not all. */
export const useMap = create<MapState>(() => ({ current: null, folds: new Map(), hits: noHits, focused: false }));

export function setFold(session: SessionId, folded: boolean): void {
  useMap.setState(({ folds }) => ({ folds: new Map(folds).set(session, folded) }));
}
