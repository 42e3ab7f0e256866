import type { SessionId } from '@shared/model';
import { recall, remember } from '../../ui/remembered';

/** Where one was reading in a session: a part on the screen, and how far its beginning had been scrolled past (below zero: how far down it stood). */
export interface Place {
  part: string;
  index: number;
  offset: number;
  /** One was at the end of a session of so many parts, and stays at the end as long as it has no more. */
  end?: number;
}

/** Places kept; the oldest goes first. */
const placeLimit = 300;

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && 'part' in value && typeof value.part === 'string' && 'index' in value && typeof value.index === 'number' && 'offset' in value && typeof value.offset === 'number';

function recallPlaces(): Map<string, Place> {
  const kept = recall('places', (value) => (Array.isArray(value) ? (value as unknown[]) : null)) ?? [];
  return new Map(kept.flatMap((entry) => (Array.isArray(entry) && typeof entry[0] === 'string' && isPlace(entry[1]) ? [[entry[0], entry[1]] as const] : [])));
}

export const placeIn = (session: SessionId): Place | null => recallPlaces().get(session) ?? null;

/** Null forgets: one was at the top, where a session opens anyway. */
export function keepPlace(session: SessionId, place: Place | null): void {
  const places = recallPlaces();
  places.delete(session);
  if (place) places.set(session, place);
  remember('places', [...places].slice(-placeLimit));
}
