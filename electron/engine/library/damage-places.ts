import type { Db } from './database';

/** Where a damaged place lies in the timeline of its session. */
export interface DamagePlace {
  /** Index of the part that follows it; the number of parts where it lies behind the last. */
  before: number;
  /** Row id of that part, or of the last one. */
  part: number;
}

interface Damaged {
  id: number;
  source: number;
  at: number;
}

/** Parts of one record, which stand beside each other. */
interface Stretch {
  at: number;
  first: number;
  firstPart: number;
  last: number;
  lastPart: number;
}

/** Finds where damaged places lie: between the parts whose records surround them in their source. */
export class DamagePlaces {
  readonly #damaged;
  readonly #parts;
  readonly #after;
  readonly #drop;
  readonly #put;

  constructor(db: Db) {
    this.#damaged = db.prepare<[number], Damaged>('SELECT id, source, at FROM damage WHERE session = ? AND source IS NOT NULL AND at IS NOT NULL');
    this.#parts = db.prepare<[number], { source: number; at: number; seq: number; id: number }>(
      'SELECT r.source, r.at, p.seq, p.id FROM part p JOIN record r ON r.id = p.record WHERE p.session = ? ORDER BY r.source, r.at, p.seq',
    );
    this.#after = db.prepare<[number, number], { id: number }>('SELECT id FROM part WHERE session = ? AND seq = ?');
    this.#drop = db.prepare('DELETE FROM damage_place WHERE damage IN (SELECT id FROM damage WHERE session = ?)');
    this.#put = db.prepare('INSERT OR REPLACE INTO damage_place(damage, before, part) VALUES (?, ?, ?)');
  }

  /** Writes down the places of a session's damage anew; its parts stand in their order. */
  write(session: number): void {
    this.#drop.run(session);
    for (const [damage, { before, part }] of this.find(session)) this.#put.run(damage, before, part);
  }

  /** By row id of the damage. One without a byte, or in a source that shows nothing, has no place. */
  find(session: number): Map<number, DamagePlace> {
    const places = new Map<number, DamagePlace>();
    const damaged = this.#damaged.all(session);
    if (damaged.length === 0) return places;
    const sources = this.#stretches(session);
    for (const { id, source, at } of damaged) {
      const place = this.#placeIn(session, sources.get(source) ?? [], at);
      if (place) places.set(id, place);
    }
    return places;
  }

  #placeIn(session: number, stretches: readonly Stretch[], at: number): DamagePlace | null {
    const next = firstFrom(stretches, at);
    const following = stretches[next];
    const preceding = stretches[next - 1];
    // A row that could not be read is shown by a part of its own.
    if (following && (following.at === at || !preceding)) return { before: following.first, part: following.firstPart };
    if (!preceding) return null;
    const before = preceding.last + 1;
    return { before, part: this.#after.get(session, before)?.id ?? preceding.lastPart };
  }

  #stretches(session: number): Map<number, Stretch[]> {
    const sources = new Map<number, Stretch[]>();
    for (const { source, at, seq, id } of this.#parts.iterate(session)) {
      const stretches = sources.get(source) ?? [];
      sources.set(source, stretches);
      const open = stretches.at(-1);
      if (open?.at === at) Object.assign(open, { last: seq, lastPart: id });
      else stretches.push({ at, first: seq, firstPart: id, last: seq, lastPart: id });
    }
    return sources;
  }
}

/** Index of the first stretch at or behind a byte. */
function firstFrom(stretches: readonly Stretch[], at: number): number {
  let low = 0;
  for (let high = stretches.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((stretches[middle] as Stretch).at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
