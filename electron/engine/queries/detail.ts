import { type Agent, type Branch, type Damage, type Diagnosis, type ImportedFrom, messageId, nativeId, type Notice, partId, type PlacedDamage, type PlacedDiagnosis, type RevertState, type SessionDetail, type SessionId, sessionId, storeId } from '@shared/model';
import { decodeKey, stateCode } from '../library/codes';
import { DamagePlaces } from '../library/damage-places';
import type { Db } from '../library/database';
import { notExcluded } from '../library/keep/exclusions';
import type { StoredBranch } from '../library/session-row';
import { readOrigin } from '../stores/retrace/imports';
import type { SessionFacts } from '../stores/store';
import { edgesOf } from './edges';
import { nativeNames } from './native-names';
import { partKey } from './part-rows';
import { findSession, summaryOf, type SummaryRow } from './session-summary';

type StoredNotice = Omit<Notice, 'message'> & { message: string | null };

/** Damaged places named one by one; a file with more says how many are left out. */
const damageListed = 500;
/** Diagnoses named one by one; the timeline has all of them. */
const diagnosesListed = 500;

/** A session opened: everything but its parts. */
export function sessionDetail(db: Db, id: string, branches: 'heads' | 'messages' = 'heads'): SessionDetail | null {
  const row = findSession(db, id);
  if (!row) return null;
  const extra = db
    .prepare('SELECT s.facts, s.notices, s.branches, s.condition, st.folder FROM session s JOIN store st ON st.id = s.store WHERE s.id = ?')
    .get(row.id) as { facts: string | null; notices: string | null; branches: string | null; condition: SessionDetail['condition']; folder: string };
  const facts = extra.facts === null ? null : (JSON.parse(extra.facts) as SessionFacts);
  const summary = summaryOf(row);
  const native = nativeNames(db, row.id, summary.id);
  return {
    summary,
    storeFolder: extra.folder,
    imported: row.origin === 'import' ? importedFrom(extra.folder) : null,
    twins: twinsOf(db, row),
    agentVersion: facts?.agentVersion ?? null,
    agentName: facts?.agentName ?? null,
    models: facts?.models ?? [],
    branches: branchesOf(db, row.id, summary.id, extra.branches, native).map((branch) => (branches === 'messages' ? branch : { ...branch, messages: [] })),
    edges: edgesOf(db, row.storeKey, row.id, row.native),
    checkpoints: (facts?.checkpoints ?? []).map((checkpoint) => ({
      ...checkpoint, time: facts?.localTime ? (checkpoint.time?.replace(/Z$/, '') ?? null) : checkpoint.time, message: checkpoint.message === null ? null : native(checkpoint.message),
    })),
    todos: facts?.todos ?? [],
    damage: damageOf(db, row.id),
    diagnoses: diagnosesOf(db, row.id, summary.id),
    notices: (JSON.parse(extra.notices ?? '[]') as StoredNotice[]).map((notice) => ({ ...notice, message: notice.message === null ? null : native(notice.message) })),
    pullRequests: facts?.pullRequests ?? [],
    worktree: facts?.worktree ?? null,
    revert: revertOf(db, row.id, summary.id, facts, native),
    permissions: facts?.permissions ?? [],
    condition: extra.condition,
    alsoIn: facts?.alsoIn ?? [],
  };
}

/** The library's own files say it; null when they are not there any more. */
function importedFrom(folder: string): ImportedFrom | null {
  const origin = readOrigin(folder);
  return origin && { kind: origin.kind, from: origin.from, imported: origin.imported, notes: origin.notes };
}

/** Where a session is both in a store and imported, each names the other. */
function twinsOf(db: Db, { agent, native, origin }: SummaryRow): SessionId[] {
  const rows = db
    .prepare(`SELECT st.key FROM store st JOIN session s ON s.store = st.id AND s.native = @native LEFT JOIN project p ON p.id = s.project
      WHERE st.agent = @agent AND (st.origin = 'import') <> @imported AND s.ignored = 0 AND ${notExcluded} ORDER BY s.gone, st.key LIMIT 20`)
    .all({ agent, native, imported: origin === 'import' ? 1 : 0 }) as { key: string }[];
  return rows.map(({ key }) => sessionId(storeId(key), nativeId(native)));
}

/** The current branch is every message that is not off it, in the order of the timeline; the others are written down. */
function branchesOf(db: Db, session: number, id: SessionId, stored: string | null, native: (key: string) => ReturnType<typeof messageId>): Branch[] {
  const rows = db
    .prepare(
      `SELECT r.key, r.source, r.at, m.key AS messageKey, min(p.seq) AS place FROM message m JOIN record r ON r.id = m.first JOIN part p ON p.session = m.session AND p.message = m.id
       WHERE m.session = ? AND p.state <> ? GROUP BY m.id ORDER BY place`,
    )
    .all(session, stateCode.code('off-branch')) as { key: string | Buffer | null; source: number; at: number; messageKey: string | Buffer }[];
  const current = rows.map((row) => messageId(id, partKey({ ...row, block: 0 })));
  const others = JSON.parse(stored ?? '[]') as StoredBranch[];
  if (current.length === 0 && others.length === 0) return [];
  const last = rows.at(-1);
  const placeOf = new Map(rows.map((row, index) => [decodeKey(row.messageKey), index]));
  return [
    ...others.map(({ tip, after, own }, index) => {
      const messages = [...(after === null ? [] : current.slice(0, (placeOf.get(after) ?? -1) + 1)), ...own.map(native)];
      return { id: String(index + 1), current: false, tip, count: messages.length, messages };
    }),
    { id: String(others.length + 1), current: true, tip: last ? partKey({ ...last, block: 0 }) : '', count: current.length, messages: current },
  ];
}

function damageOf(db: Db, session: number): PlacedDamage[] {
  const rows = db
    .prepare(
      `SELECT d.id, d.place, d.line, d.at, d.bytes, d.reason, p.before FROM damage d LEFT JOIN damage_place p ON p.damage = d.id
       WHERE d.session = ? ORDER BY coalesce(p.before, 0), d.place, d.at LIMIT ?`,
    )
    .all(session, damageListed) as (Damage & { id: number; before: number | null })[];
  // A library of an older Retrace knows the places once the session was read again.
  const found = rows.some(({ before, at }) => before === null && at !== null) ? new DamagePlaces(db).find(session) : null;
  return rows.map(({ id, before, ...damage }) => ({ ...damage, before: before ?? found?.get(id)?.before ?? 0 })).sort((a, b) => a.before - b.before);
}

function diagnosesOf(db: Db, session: number, id: SessionId): PlacedDiagnosis[] {
  const rows = db
    .prepare(
      `SELECT d.class, d.text, d.evidence, d.help, p.seq, p.block, r.key, r.source, r.at FROM diagnosis d JOIN part p ON p.id = d.part JOIN record r ON r.id = p.record
       WHERE d.session = ? ORDER BY p.seq, d.class LIMIT ?`,
    )
    .all(session, diagnosesListed) as (Diagnosis & { seq: number; block: number; key: string | Buffer | null; source: number; at: number })[];
  return rows.map(({ class: kind, text, evidence, help, seq, ...place }) => ({ class: kind, text, evidence, help, part: partId(id, partKey(place)), index: seq }));
}

function revertOf(db: Db, session: number, id: SessionId, facts: SessionFacts | null, native: (key: string) => ReturnType<typeof messageId>): RevertState | null {
  const revert = facts?.revert;
  if (!revert) return null;
  const { hidden } = db
    // The message a revert goes back into keeps its first parts: it is not hidden.
    .prepare('SELECT count(*) AS hidden FROM (SELECT 1 FROM part WHERE session = ? AND message IS NOT NULL GROUP BY message HAVING min(state = ?))')
    .get(session, stateCode.code('reverted')) as { hidden: number };
  return {
    message: revert.message === null ? null : native(revert.message),
    part: revert.part === null ? null : partId(id, revert.part),
    snapshot: revert.snapshot, diff: revert.diff, hiddenMessages: hidden, files: revert.files,
  };
}

export interface StoreRow {
  id: number;
  key: string;
  agent: Agent;
  folder: string;
  origin: 'default' | 'environment' | 'added' | 'import';
  found: number;
  problem: string | null;
}

/** Every place that was looked at. */
export function storeRows(db: Db): StoreRow[] {
  return db.prepare('SELECT id, key, agent, folder, origin, found, problem FROM store ORDER BY agent, key').all() as StoreRow[];
}

/** The same with what is wrong with it. */
export function storeStatuses(db: Db) {
  const sessions = db.prepare<[number], { n: number }>('SELECT count(*) AS n FROM session WHERE store = ? AND ignored = 0');
  const damage = db.prepare<[number], Damage>('SELECT place, line, at, bytes, reason FROM damage WHERE store = ? ORDER BY place, at LIMIT 200');
  const damaged = db.prepare<[number], { n: number }>('SELECT count(*) AS n FROM damage WHERE store = ?');
  return storeRows(db).map((row) => ({
    id: row.key, agent: row.agent, folder: row.folder, origin: row.origin, found: row.found !== 0, sessions: sessions.get(row.id)?.n ?? 0, problem: row.problem,
    damage: damage.all(row.id), damaged: damaged.get(row.id)?.n ?? 0,
  }));
}
