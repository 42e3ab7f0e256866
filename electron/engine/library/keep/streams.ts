import type { SessionStore } from '../../stores/store';
import type { Db } from '../database';
import { forgetProjectionsOf } from '../forget';

/** Tables whose rows are of one session, by its row id. `part`, `record` and what hangs on them go first. */
const ofSession = ['diagnosis', 'part', 'record', 'message', 'evidence', 'source_session', 'damage', 'session_agent', 'gone_since'] as const;

/** Takes streams and sessions out of the library. Every call runs inside the caller's transaction. */
export class Streams {
  readonly #sql;

  constructor(readonly db: Db) {
    this.#sql = {
      chunks: db.prepare('DELETE FROM chunk WHERE source = ?'),
      damage: db.prepare('DELETE FROM damage WHERE source = ?'),
      rest: (['evidence', 'unknown_type', 'source_session'] as const).map((table) => db.prepare(`DELETE FROM ${table} WHERE source = ?`)),
      noCarry: db.prepare('UPDATE source SET carry = NULL WHERE id = ?'),
      emptied: db.prepare('INSERT OR IGNORE INTO emptied(source, project) VALUES (?, ?)'),
      noEmptied: db.prepare('DELETE FROM emptied WHERE source = ?'),
      source: db.prepare('DELETE FROM source WHERE id = ?'),
      edges: db.prepare('DELETE FROM edge WHERE child = ?'),
      rows: ofSession.map((table) => db.prepare(`DELETE FROM ${table} WHERE session = ?`)),
      pointed: db.prepare('SELECT doc FROM part WHERE session = @session AND doc IS NOT NULL UNION SELECT result_doc FROM part WHERE session = @session AND result_doc IS NOT NULL').pluck(),
      doc: db.prepare('DELETE FROM doc WHERE id = ?'),
      text: db.prepare('DELETE FROM search WHERE rowid = ?'),
      facts: db.prepare('DELETE FROM lineage_fact WHERE (store, child) = (SELECT st.key, s.native FROM session s JOIN store st ON st.id = s.store WHERE s.id = ?)'),
      session: db.prepare('DELETE FROM session WHERE id = ?'),
      hasSource: db.prepare<[number], unknown>('SELECT 1 FROM source_session WHERE session = ? LIMIT 1'),
    };
  }

  /** A stream's bytes and all that was made of them go; where it was read to is still known, so that a survey finds nothing new. Gives the sessions it told of. */
  empty(source: number, project: string): number[] {
    const sessions = forgetProjectionsOf(this.db, source);
    this.#sql.chunks.run(source);
    this.#sql.noCarry.run(source);
    this.#sql.emptied.run(source, project);
    return sessions;
  }

  /** A stream whose sessions are dropped as well. `leftOut`: the project for whose sake its place stays known, as in `empty`. */
  drop(source: number, leftOut: string | null): void {
    this.#sql.chunks.run(source);
    this.#sql.damage.run(source);
    for (const statement of this.#sql.rest) statement.run(source);
    if (leftOut !== null) {
      this.#sql.noCarry.run(source);
      this.#sql.emptied.run(source, leftOut);
    } else {
      this.#sql.noEmptied.run(source);
      this.#sql.source.run(source);
    }
  }

  /** Everything the library says of a session. Its streams are the caller's. `documents`: of all its parts, where more are known than the parts point at. */
  dropSession(session: number, documents: readonly number[] = this.#sql.pointed.all({ session }) as number[]): void {
    for (const doc of documents) {
      this.#sql.doc.run(doc);
      this.#sql.text.run(doc);
    }
    for (const statement of this.#sql.rows) statement.run(session);
    this.#sql.edges.run(session);
    this.#sql.facts.run(session);
    this.#sql.session.run(session);
  }

  /** A session that no stream tells of. */
  isBare(session: number): boolean {
    return this.#sql.hasSource.get(session) === undefined;
  }
}

/** Sources that only remember how far others were looked through are read again, so that what was left out is found again. */
export function lookAgain(db: Db, store: { id: number }, reader: SessionStore | undefined): void {
  if (!reader?.remembersOthers) return;
  const reset = db.prepare('UPDATE source SET cursor = NULL WHERE id = ?');
  for (const { id, key } of db.prepare<[number], { id: number; key: string }>('SELECT id, key FROM source WHERE store = ?').all(store.id)) if (reader.remembersOthers(key)) reset.run(id);
}
