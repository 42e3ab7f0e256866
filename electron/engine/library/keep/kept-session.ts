import { type KeptSession, nativeId, sessionId, storeId } from '@shared/model';
import type { Db } from '../database';

/** Some of these sessions, the last changed first, as a person is told of them. */
export function keptSessions(db: Db, ids: readonly number[], most: number): KeptSession[] {
  const rows = db
    .prepare(
      `SELECT st.key, s.native, s.title, p.name AS project, s.updated, s.gone, g.time AS goneSince FROM json_each(?) j JOIN session s ON s.id = j.value JOIN store st ON st.id = s.store
       LEFT JOIN project p ON p.id = s.project LEFT JOIN gone_since g ON g.session = s.id ORDER BY s.updated DESC NULLS LAST, s.native LIMIT ?`,
    )
    .all(JSON.stringify(ids), most) as { key: string; native: string; title: string | null; project: string | null; updated: number | null; gone: number; goneSince: number | null }[];
  return rows.map((row) => ({
    id: sessionId(storeId(row.key), nativeId(row.native)), title: row.title, project: row.project ?? 'no folder recorded', updated: timeOf(row.updated), gone: row.gone !== 0, goneSince: timeOf(row.goneSince),
  }));
}

/** ISO 8601 UTC; null for a time that is none. */
export function timeOf(ms: number | null): string | null {
  if (ms === null) return null;
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
