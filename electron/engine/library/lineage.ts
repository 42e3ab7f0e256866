import { type NativeId, nativeId } from '@shared/model';
import type { EdgeFact, LineageMessage, LineageView, SessionFacts, SessionStore } from '../stores/store';
import { decodeKey, encodeKey, kindCode, messageFlag, roleCode } from './codes';
import type { Db } from './database';
import { SessionRows } from './session-row';

/** Lets a store compare the sessions of one store, and keeps the edges it finds. */
export class Lineage {
  readonly #sessions;
  readonly #sql;

  constructor(
    readonly db: Db,
    readonly storeId: number,
    readonly store: SessionStore,
  ) {
    this.#sessions = new SessionRows(db);
    this.#sql = {
      find: db.prepare<[number, string], { id: number; facts: string | null }>('SELECT id, facts FROM session WHERE store = ? AND native = ?'),
      unmark: db.prepare(`UPDATE message SET flags = flags & ~${messageFlag.inherited} WHERE session = ? AND (flags & ${messageFlag.inherited}) != 0`),
      mark: db.prepare(`UPDATE message SET flags = flags | ${messageFlag.inherited} WHERE key = ? AND session = ?`),
      // The tree hangs a session under one parent: a subagent under its caller before anything else, recorded before inferred.
      choose: db.prepare(
        `UPDATE session SET (parent, parent_kind, parent_certainty, parent_evidence) =
          (SELECT parent, kind, certainty, evidence FROM edge WHERE child = session.id
           ORDER BY CASE kind WHEN 'subagent' THEN 0 WHEN 'fork' THEN 1 WHEN 'resume' THEN 2 ELSE 3 END, certainty DESC, parent LIMIT 1)
         WHERE id = ?`,
      ),
    };
  }

  /** Finds edges of the changed sessions; returns the row ids of all sessions whose edges or figures changed by it. */
  update(changed: Map<number, NativeId>): number[] {
    if (changed.size === 0) return [];
    const found = this.store.lineage(this.#view(), new Set(changed.values()));
    const byChild = new Map<NativeId, EdgeFact[]>([...changed.values()].map((native) => [native, []]));
    for (const edge of found) byChild.set(edge.child, [...(byChild.get(edge.child) ?? []), edge]);
    const touched: number[] = [];
    for (const [native, edges] of byChild) {
      const session = this.#sql.find.get(this.storeId, native);
      if (!session) continue;
      this.#sessions.replaceEdges(session.id, edges, 'lineage');
      const facts = session.facts === null ? null : (JSON.parse(session.facts) as SessionFacts);
      const inherited = [...edges, ...(facts?.edges ?? [])].flatMap((edge) => edge.inherited);
      const unmarked = this.#sql.unmark.run(session.id).changes;
      for (const key of inherited) this.#sql.mark.run(encodeKey(key), session.id);
      if (unmarked > 0 || inherited.length > 0) this.#sessions.count(session.id, facts?.tokens ?? null);
      this.#sql.choose.run(session.id);
      touched.push(session.id);
    }
    return touched;
  }

  #view(): LineageView {
    const { db, storeId } = this;
    const session = this.#sql.find;
    const holders = db.prepare<[string | Buffer, number], { native: string }>(
      'SELECT s.native FROM message m JOIN session s ON s.id = m.session WHERE m.key = ? AND s.store = ?',
    );
    // Copies hold the prompts of their original, and its first answers: a long session costs no look-up for each answer.
    const relatives = db.prepare<{ store: number; session: number }, { native: string }>(
      `SELECT DISTINCT s.native FROM message m CROSS JOIN message o ON o.key = m.key AND o.session <> m.session CROSS JOIN session s ON s.id = o.session
       WHERE m.session = @session AND s.store = @store AND ((m.flags & ${messageFlag.prompt}) != 0 OR m.id <= (SELECT max(id) FROM (SELECT id FROM message WHERE session = @session ORDER BY id LIMIT 40)))`,
    );
    return {
      sessions: () =>
        (db.prepare('SELECT native, facts FROM session WHERE store = ? AND facts IS NOT NULL').all(storeId) as { native: string; facts: string }[]).map((row) => ({
          native: nativeId(row.native),
          facts: JSON.parse(row.facts) as SessionFacts,
        })),
      holders: (key) => holders.all(encodeKey(key), storeId).map((row) => nativeId(row.native)),
      relatives: (native) => {
        const row = session.get(storeId, native);
        return row ? relatives.all({ store: storeId, session: row.id }).map((found) => nativeId(found.native)) : [];
      },
      facts: (native) => {
        const facts = session.get(storeId, native)?.facts;
        return facts == null ? undefined : (JSON.parse(facts) as SessionFacts);
      },
      messages: (native) => {
        const row = session.get(storeId, native);
        return row ? messagesOf(db, row.id) : [];
      },
    };
  }
}

function messagesOf(db: Db, session: number): LineageMessage[] {
  const rows = db
    .prepare(
      `SELECT m.id, m.key, m.role, m.time, json_extract(r.note, '$.filed') AS filed, p.kind, p.call, p.digest
       FROM message m JOIN record r ON r.id = m.first LEFT JOIN part p ON p.session = m.session AND p.message = m.id
       WHERE m.session = ? ORDER BY p.seq, m.id`,
    )
    .all(session) as { id: number; key: string | Buffer; role: number; time: number | null; filed: number | null; kind: number | null; call: string | null; digest: number }[];
  const messages = new Map<number, LineageMessage>();
  for (const row of rows) {
    let message = messages.get(row.id);
    if (!message) {
      message = { key: decodeKey(row.key), role: roleCode.word(row.role), time: row.time, filed: row.filed, parts: [] };
      messages.set(row.id, message);
    }
    if (row.kind !== null) message.parts.push({ kind: kindCode.word(row.kind), callId: row.call, digest: row.digest });
  }
  return [...messages.values()];
}
