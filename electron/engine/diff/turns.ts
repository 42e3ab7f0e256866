import { messageFlag } from '../library/codes';
import type { Db } from '../library/database';

/** The turns of a session: where on the timeline each begins, and the record of its prompt. */
export class Turns {
  readonly #starts: { seq: number; record: number }[];

  constructor(db: Db, session: number) {
    this.#starts = db
      .prepare(
        `SELECT min(p.seq) AS seq, m.first AS record FROM message m JOIN part p ON p.session = m.session AND p.message = m.id
         WHERE m.session = ? AND m.flags & ${messageFlag.prompt} != 0 GROUP BY m.id ORDER BY seq`,
      )
      .all(session) as { seq: number; record: number }[];
  }

  get count(): number {
    return this.#starts.length;
  }

  /** From 1; 0 before the first prompt. */
  of(seq: number): number {
    let low = 0;
    for (let high = this.#starts.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as { seq: number }).seq <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Parts of a turn: from, to (not included); null when there is no such turn. */
  range(turn: number): { from: number; to: number } | null {
    const start = this.#starts[turn - 1];
    return start ? { from: start.seq, to: this.#starts[turn]?.seq ?? Number.MAX_SAFE_INTEGER } : null;
  }

  /** Row of the record a turn's prompt begins with. */
  prompt(turn: number): number | null {
    return this.#starts[turn - 1]?.record ?? null;
  }
}
