import { nativeId, type SessionId, sessionId, splitSessionId, storeId } from '@shared/model';
import type { Db } from '../../library/database';
import { edgesOf } from '../../queries/edges';
import { findSession } from '../../queries/session-summary';

/** More are not followed: a file of so many sessions is nobody's reading. */
const limit = 5_000;

/** A session's subagents and theirs, parents before children, in the order in which they were started. */
export function subagentsOf(db: Db, root: SessionId, row: number): SessionId[] {
  const children = db.prepare<[number], { id: number; native: string; key: string }>(
    `SELECT c.id, c.native, st.key FROM session p JOIN edge e ON e.parent = p.native AND e.kind = 'subagent' JOIN session c ON c.id = e.child AND c.store = p.store JOIN store st ON st.id = c.store
     WHERE p.id = ? ORDER BY c.created, c.id`,
  );
  const found = new Map<number, SessionId>([[row, root]]);
  // The map grows while it is walked: each session once, loops included.
  for (const parent of found.keys()) {
    for (const { id, native, key } of children.all(parent)) if (!found.has(id) && found.size < limit) found.set(id, sessionId(storeId(key), nativeId(native)));
  }
  return [...found.values()].slice(1);
}

/** The session that started a subagent, and the call it was started by where that is known. */
export function startedBy(db: Db, child: SessionId): { parent: string; part: string | null } | null {
  const named = splitSessionId(child);
  const row = named && findSession(db, child);
  const edge = row && edgesOf(db, named.store, row.id, row.native).find((each) => each.child === child && each.kind === 'subagent');
  return edge ? { parent: edge.parent, part: edge.part ?? edge.after } : null;
}
