import type { SessionId } from '@shared/model';
import { recall, remember } from '../../ui/remembered';

/** Where one was reading in a session: the part at the top, and how far it had been scrolled past. */
export interface Place {
  part: string;
  index: number;
  offset: number;
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
