import { type Agent, type Family, type FamilyBranch, type FamilyHits, type FamilySession, nativeId, partId, type SessionId, sessionId, splitSessionId, storeId } from '@shared/model';
import { familyAround, hang, isLive, type RolledUp } from '../lineage/family';
import { encodeKey, messageFlag } from '../library/codes';
import type { Db } from '../library/database';
import type { StoredBranch } from '../library/session-row';
import type { Search } from '../search/search';
import { edgesUp } from './edges';
import { nativeNames } from './native-names';
import { isoTime, summaryOf, type SummaryRow, summarySelect } from './session-summary';

/** Sessions of one family at most; what is beyond is counted, not drawn. */
const familyLimit = 2_000;
/** Branches of one session told at most; a transcript with 375 ends was reported. */
const branchLimit = 500;

interface FamilyRow extends SummaryRow {
  /** First message that did not come with a fork. */
  began: number | null;
  condition: string;
  branches: string | null;
}

const familySelect = summarySelect.replace('SELECT ', `SELECT s.condition, s.branches,
  CASE WHEN EXISTS (SELECT 1 FROM edge e WHERE e.child = s.id AND e.inherited > 0)
    THEN (SELECT min(m.time) FROM message m WHERE m.session = s.id AND (m.flags & ${messageFlag.inherited}) = 0) END AS began, `);

/** The store a family lives in: edges never leave it. */
interface Place {
  row: number;
  key: string;
  agent: Agent;
}

/** The whole family of a session; null when neither a session nor an edge has the id. */
export function familyOf(db: Db, id: string, now: number, limit = familyLimit): Family | null {
  const found = membersOf(db, id, limit);
  if (!found) return null;
  const { place, natives, more } = found;
  const rows = db
    .prepare(`${familySelect} WHERE s.store = ? AND s.native IN (SELECT value FROM json_each(?))`)
    .all(place.row, JSON.stringify(natives)) as FamilyRow[];
  if (rows.length === 0) return null;
  const byNative = new Map(rows.map((row) => [row.native, row]));
  const nameOf = (native: string) => sessionId(storeId(place.key), nativeId(native));
  const { under, totals } = hang([...rows].sort(oldestFirst).map((row) => ({
    id: nameOf(row.native), parent: row.parent === null ? null : nameOf(row.parent), isSubagent: row.parentKind === 'subagent', tokens: summaryOf(row).tokens,
  })));
  const members = new Set(natives.map(nameOf));
  const sessions = natives.map((native): FamilySession => {
    const row = byNative.get(native);
    const name = nameOf(native);
    const total = totals.get(name);
    return row && total ? knownSession(db, row, under.get(name) ?? missingParent(row, nameOf, byNative, members), total, now) : missingSession(name, place.agent);
  });
  const edges = edgesUp(db, place.key, rows.map((row) => row.id)).filter((edge) => members.has(edge.parent));
  return { session: nameOf(natives[0] as string), sessions, edges, cut: more === 0 ? null : { limit, more } };
}

/** Native ids of a family, the session asked for first. */
function membersOf(db: Db, id: string, limit: number): { place: Place; natives: string[]; more: number } | null {
  const parts = splitSessionId(id);
  const place = parts && (db.prepare('SELECT id AS row, key, agent FROM store WHERE key = ?').get(parts.store) as Place | undefined);
  if (!parts || !place) return null;
  const up = db.prepare<[number, string]>('SELECT e.parent FROM session c JOIN edge e ON e.child = c.id WHERE c.store = ? AND c.native = ? ORDER BY e.parent').pluck();
  const down = db.prepare<[string, number]>('SELECT c.native FROM edge e JOIN session c ON c.id = e.child WHERE e.parent = ? AND c.store = ? ORDER BY c.created, c.native').pluck();
  const { members, more } = familyAround<string>(parts.native, (native) => [...up.all(place.row, native), ...down.all(native, place.row)] as string[], limit);
  return { place, natives: members, more };
}

const oldestFirst = (a: FamilyRow, b: FamilyRow): number => (a.created ?? 0) - (b.created ?? 0) || (a.native < b.native ? -1 : 1);

/** A parent that no store has is still what its children hang under. */
function missingParent(row: FamilyRow, nameOf: (native: string) => SessionId, known: Map<string, FamilyRow>, members: Set<SessionId>): SessionId | null {
  if (row.parent === null || known.has(row.parent)) return null;
  const name = nameOf(row.parent);
  return members.has(name) ? name : null;
}

function knownSession(db: Db, row: FamilyRow, under: SessionId | null, total: RolledUp, now: number): FamilySession {
  const { id, title, agent, writtenBy, archived, kind, created, updated, counts, tokens, reverted, source, damage } = summaryOf(row);
  // A time without a zone is this machine's: Aider writes no other.
  const zone = row.localTime === 0 || row.updated === null ? 0 : new Date(row.updated).getTimezoneOffset() * 60_000;
  return {
    id, known: true, title, agent, writtenBy, archived, kind, created, began: isoTime(row.began, row.localTime !== 0) ?? created, updated, under, counts, tokens, ...total,
    live: isLive({ updated: row.updated === null ? null : row.updated + zone, gone: row.gone !== 0, condition: row.condition }, now),
    reverted, source, damage, branches: branchesOf(db, row, id),
  };
}

const missingSession = (id: SessionId, agent: Agent): FamilySession => ({
  id, known: false, title: null, agent, writtenBy: agent, archived: null, kind: 'session', created: null, began: null, updated: null, under: null, counts: null, tokens: null, rolledUp: null, subagents: 0, untold: 0,
  live: false, reverted: false, source: 'gone', damage: 0, branches: [],
});

/** Read from what settling wrote down: a family may hold a million messages, and only their branches are asked for. */
function branchesOf(db: Db, row: FamilyRow, id: SessionId): FamilyBranch[] {
  const stored = JSON.parse(row.branches ?? '[]') as StoredBranch[];
  if (stored.length === 0) return [];
  const name = nativeNames(db, row.id, id);
  const last = db
    .prepare<[string | Buffer, number], number | null>('SELECT max(p.seq) FROM message m JOIN part p ON p.record = m.first WHERE m.key = ? AND m.session = ?')
    .pluck();
  return stored.slice(0, branchLimit).map(({ tip, after, own }, index) => ({
    id: String(index + 1), tip: partId(id, tip), count: own.length, departs: after === null ? null : name(after),
    at: after === null || row.parts === 0 ? 0 : (((last.get(encodeKey(after), row.id) as number | null | undefined) ?? -1) + 1) / row.parts,
  }));
}

/** How many parts of each session of a family match a search. */
export function familyHits(db: Db, search: Search, id: string, query: string): FamilyHits {
  const found = membersOf(db, id, familyLimit);
  if (!found) return { hits: [], capped: false };
  const rows = db
    .prepare('SELECT id, native FROM session WHERE store = ? AND native IN (SELECT value FROM json_each(?))')
    .all(found.place.row, JSON.stringify(found.natives)) as { id: number; native: string }[];
  const { counts, capped } = search.countBySession(query, rows.map((row) => row.id));
  const hits = rows.flatMap((row) => {
    const count = counts.get(row.id);
    return count === undefined ? [] : [{ session: sessionId(storeId(found.place.key), nativeId(row.native)), count }];
  });
  return { hits, capped };
}
