import type { Db } from '../library/database';

/** Agents that OpenCode itself has: they say nothing of a session that its place does not say. */
export const ownAgents: ReadonlySet<string> = new Set(['build', 'plan', 'general', 'explore', 'compaction', 'title', 'summary']);

/** Who works in sessions of OpenCode, by row: `Atlas` for `Atlas - Plan Executor`. Left out where it is one of the program's own. */
export function agentRoles(db: Db, sessions: readonly number[]): Map<number, string> {
  if (sessions.length === 0) return new Map();
  const rows = db
    .prepare(
      `SELECT s.id, json_extract(s.facts, '$.agentName') AS name FROM session s JOIN store st ON st.id = s.store
       WHERE st.agent = 'opencode' AND s.id IN (${sessions.map(() => '?').join(', ')}) AND s.facts IS NOT NULL`,
    )
    .all(...sessions) as { id: number; name: string | null }[];
  return new Map(rows.flatMap(({ id, name }) => (name === null || name === '' || ownAgents.has(name) ? [] : [[id, shortRole(name)] as const])));
}

/** The name without what explains it. */
const shortRole = (name: string): string => name.split(' - ')[0] ?? name;
