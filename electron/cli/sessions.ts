import type { LibrarySort, SessionFilter } from '@shared/contract';
import type { Engine } from '@shared/link';
import type { SessionId, SessionSummary } from '@shared/model';
import { Refusal } from './command-context';

/** Sessions asked for at once. */
const pageSize = 2_000;
/** Candidates named when a session is not told apart from others. */
const namedCandidates = 20;

/** All sessions that match, page by page; one that moves in the order meanwhile is given once. */
export async function* sessionsOf(engine: Engine, filter: SessionFilter, sort: LibrarySort, limit = Infinity): AsyncIterable<SessionSummary> {
  const given = new Set<string>();
  for (let from = 0; given.size < limit; ) {
    const { sessions, total } = await engine.call('session.list', { filter, sort, from, count: pageSize });
    for (const session of sessions) {
      if (given.has(session.id) || given.size >= limit) continue;
      given.add(session.id);
      yield session;
    }
    from += sessions.length;
    if (sessions.length === 0 || from >= total) return;
  }
}

/** The session a person named: by id, by native id, or by a beginning of either that no other session has. */
export async function sessionNamed(engine: Engine, name: string): Promise<SessionId> {
  const known = name.includes('/') ? await engine.call('session.get', { session: name }) : null;
  if (known) return known.summary.id;
  const exact: SessionSummary[] = [];
  const beginning: SessionSummary[] = [];
  for await (const session of sessionsOf(engine, { archived: 'include' }, 'updated')) {
    if (session.nativeId === name) exact.push(session);
    else if (session.nativeId.startsWith(name) || session.id.startsWith(name)) beginning.push(session);
  }
  const found = exact.length > 0 ? exact : beginning;
  const [only] = found.length === 1 ? found : ownOf(found) ?? shortestOfAll(found);
  if (only) return only.id;
  if (found.length === 0) throw new Refusal(`There is no session ${JSON.stringify(name)}.`);
  const shown = found.length > namedCandidates ? `, of which ${namedCandidates} are named here` : '';
  throw new Refusal(`${found.length} sessions fit ${JSON.stringify(name)}${shown}.`, found.slice(0, namedCandidates));
}

/** Of a session that is in its agent's store and imported, too, the one in the store is meant. */
function ownOf(sessions: readonly SessionSummary[]): SessionSummary[] | null {
  const own = sessions.filter(({ agent }) => agent !== 'retrace');
  const [first] = sessions;
  return own.length === 1 && sessions.every(({ nativeId }) => nativeId === first?.nativeId) ? own : null;
}

/** Claude Code's subagents have ids that begin with the id of their session: a beginning of both means the session. */
function shortestOfAll(sessions: readonly SessionSummary[]): SessionSummary[] {
  const shortest = sessions.reduce<SessionSummary | undefined>((least, session) => (least && least.id.length <= session.id.length ? least : session), undefined);
  return shortest && sessions.every(({ id }) => id.startsWith(shortest.id)) ? [shortest] : [];
}
