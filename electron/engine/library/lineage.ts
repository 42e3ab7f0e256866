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
      facts: db.prepare<[number, string], LineageFact>('SELECT f.child, f.parent, f.after FROM lineage_fact f JOIN store st ON st.key = f.store WHERE st.id = ? AND f.child = ?'),
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
    for (const [native, compared] of byChild) {
      const session = this.#sql.find.get(this.storeId, native);
      if (!session) continue;
      const edges = withFacts(compared, this.#sql.facts.all(this.storeId, native));
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
      library: db,
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

interface LineageFact {
  child: string;
  parent: string;
  after: string | null;
}

/**
 * What Retrace knows of its own forks stands over what comparing finds: of forks alike only one was the parent. The
 * comparison still says which messages came along.
 */
function withFacts(compared: readonly EdgeFact[], facts: readonly LineageFact[]): EdgeFact[] {
  if (facts.length === 0) return [...compared];
  const forks = compared.filter(({ kind }) => kind === 'fork');
  return [
    ...compared.filter(({ kind, certainty }) => kind !== 'fork' || certainty === 'recorded').filter(({ kind, parent }) => kind !== 'fork' || facts.every((fact) => fact.parent !== parent)),
    ...facts.map(({ child, parent, after }): EdgeFact => {
      const found = forks.find((edge) => edge.parent === parent) ?? forks[0];
      return { child: nativeId(child), parent: nativeId(parent), kind: 'fork', certainty: 'recorded', evidence: 'Forked with Retrace', after: after ?? found?.after ?? null, callId: null, inherited: found?.inherited ?? [] };
    }),
  ];
}

/**
 * A session's messages in the order of their first parts; those without parts come first. Two reads and not a join: parts
 * have no index by message, and a join would go through all of a session's parts for each of its messages.
 */
function messagesOf(db: Db, session: number): LineageMessage[] {
  const rows = db
    .prepare(
      `SELECT m.id, m.key, m.role, m.time, json_extract(r.note, '$.filed') AS filed FROM message m JOIN record r ON r.id = m.first WHERE m.session = ? ORDER BY m.id`,
    )
    .all(session) as { id: number; key: string | Buffer; role: number; time: number | null; filed: number | null }[];
  const parts = db.prepare('SELECT message, kind, call, digest FROM part WHERE session = ? AND message IS NOT NULL ORDER BY seq').all(session) as {
    message: number; kind: number; call: string | null; digest: number;
  }[];
  const known = new Map(rows.map((row): [number, LineageMessage] => [row.id, { key: decodeKey(row.key), role: roleCode.word(row.role), time: row.time, filed: row.filed, parts: [] }]));
  const withParts = new Set<LineageMessage>();
  for (const part of parts) {
    const message = known.get(part.message);
    if (!message) continue;
    withParts.add(message);
    message.parts.push({ kind: kindCode.word(part.kind), callId: part.call, digest: part.digest });
  }
  return [...[...known.values()].filter((message) => !withParts.has(message)), ...withParts];
}
