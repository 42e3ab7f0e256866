import type { Db } from '../database';

const key = 'keep days';
const day = 86_400_000;

/** Days that sessions are kept after their source went away; null: for ever. */
export function keepDays(db: Db): number | null {
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: number } | undefined;
  return row?.value ?? null;
}

export function setKeepDays(db: Db, days: number | null): void {
  if (days === null) db.prepare('DELETE FROM meta WHERE key = ?').run(key);
  else db.prepare('INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(key, days);
}

/** Notes since when sessions are gone: the store does not tell, so it is when Retrace first saw it. Called at the end of a pass. */
export function noteGone(db: Db, now: number): void {
  db.prepare('DELETE FROM gone_since WHERE NOT EXISTS (SELECT 1 FROM session s WHERE s.id = gone_since.session AND s.gone = 1)').run();
  db.prepare('INSERT OR IGNORE INTO gone_since(session, time) SELECT id, ? FROM session WHERE gone = 1').run(now);
}

export interface Due {
  /** Row ids of sessions whose time is over and that may be dropped. */
  sessions: number[];
  /** Whose time is over, and that stay for others' sake. */
  held: number[];
}

/**
 * Sessions that were gone for longer than the rule keeps them. One that another session descends from, or shares a file
 * with, stays as long as that one does; and a subagent stays with the session that started it.
 */
export function dueSessions(db: Db, days: number | null, now: number): Due {
  if (days === null) return { sessions: [], held: [] };
  const over = db.prepare('SELECT s.id FROM gone_since g JOIN session s ON s.id = g.session WHERE s.gone = 1 AND g.time <= ?').pluck().all(now - days * day) as number[];
  const due = new Set(over);
  const bound = db
    .prepare<[number, number, number], number>(
      `SELECT c.id FROM session s JOIN edge e ON e.parent = s.native JOIN session c ON c.id = e.child AND c.store = s.store WHERE s.id = ?
       UNION SELECT y.session FROM source_session x JOIN source_session y ON y.source = x.source WHERE x.session = ?
       UNION SELECT o.id FROM session s JOIN session o ON o.store = s.store AND o.native = s.parent WHERE s.id = ? AND s.parent_kind = 'subagent'`,
    )
    .pluck();
  const bonds = new Map(over.map((id) => [id, bound.all(id, id, id)]));
  // What stays holds what is bound to it, so this goes on until nothing more stays.
  for (let before = -1; before !== due.size; ) {
    before = due.size;
    for (const id of due) if (bonds.get(id)?.some((other) => !due.has(other))) due.delete(id);
  }
  return { sessions: [...due], held: over.filter((id) => !due.has(id)) };
}
