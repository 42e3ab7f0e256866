import { statSync } from 'node:fs';
import { type Examination, type NativeId, partId, sessionId, type SkippedPlace, type StoreExamination, storeId } from '@shared/model';
import type { Db } from '../library/database';
import type { CheckedSession, JsonObject, SessionStore } from '../stores/store';
import { type StoreRow, storeRows } from './detail';
import { partKey } from './part-rows';
import { count, listed } from '../stores/foreign/said';
import { compareFiles, sayDeletions, sayWriteAheadLogs } from './store-files';
import { overlayFiles } from './work/overlay-files';

/** Skipped places named one by one, a store; the rest is counted. */
const skippedListed = 500;
/** Record types whose sizes are told, a store. */
const typesListed = 20;
/** Sessions without a source that are named, a store. */
const goneListed = 100;

type SizeRow = { store: number; type: string; records: number; bytes: number };

/**
 * Everything that was read and that was not, by store. Goes once over all records of the library, looks at the times and
 * sizes of transcripts and asks the stores what does not fit together: long work on a large library, done in the thread
 * that writes it, so that the engine goes on answering. No session's file is opened, and no project folder looked at.
 */
export function examine(db: Db, file: string, stores: readonly SessionStore[], now: number): Examination {
  const sizes = db
    .prepare(
      `SELECT so.store, w.text AS type, sum(r.records) AS records, sum(r.bytes) AS bytes
       FROM (SELECT source, type, count(*) AS records, sum(bytes) AS bytes FROM record GROUP BY source, type) r
       JOIN source so ON so.id = r.source JOIN word w ON w.id = r.type GROUP BY so.store, r.type ORDER BY bytes DESC, type`,
    )
    .all() as SizeRow[];
  return {
    library: libraryFacts(db, file),
    stores: storeRows(db).map((row) => withOverlays(db, row, examineStore(db, row, sizes.filter(({ store }) => store === row.id), stores.find(({ agent }) => agent === row.agent), now))),
  };
}

/** Overlays are told with the store whose sessions they are about; their files lie in projects and in the home, so they are named whole. */
function withOverlays(db: Db, row: StoreRow, store: StoreExamination): StoreExamination {
  if (row.key !== 'opencode') return store;
  const damage = overlayFiles(db).damage.map(({ place, line, at, bytes, reason }): SkippedPlace => ({ file: place, line, at, bytes, reason, session: null, part: null }));
  const { files } = db.prepare('SELECT count(*) AS files FROM overlay WHERE gone IS NULL').get() as { files: number };
  return {
    ...store, skipped: [...store.skipped, ...damage].slice(0, skippedListed), skippedTotal: store.skippedTotal + damage.length,
    notices: files === 0 ? store.notices : [...store.notices, `${count(files, 'file')} of Oh-My-OpenCode about its sessions ${files === 1 ? 'was' : 'were'} found beside it.`],
  };
}

function examineStore(db: Db, row: StoreRow, sizes: SizeRow[], store: SessionStore | undefined, now: number): StoreExamination {
  const { agent, folder, origin } = row;
  const location = { agent, folder, origin };
  const known = db
    .prepare(
      `SELECT key, length FROM source s WHERE store = ? AND gone = 0
       AND generation = (SELECT max(generation) FROM source n WHERE n.store = s.store AND n.key = s.key) ORDER BY key`,
    )
    .all(row.id) as { key: string; length: number }[];
  // The streams of an import lie in one bundle of ours: there are no files to compare, and no agent that deletes any.
  const isImport = origin === 'import';
  const transcripts = isImport ? [] : known.flatMap(({ key, length }) => {
    const file = store?.transcriptOf?.(key) ?? null;
    return file === null ? [] : [{ file, length }];
  });
  const { sources, bytes } = db.prepare('SELECT count(DISTINCT key) AS sources, coalesce(sum(length), 0) AS bytes FROM source WHERE store = ?').get(row.id) as { sources: number; bytes: number };
  const unknown = db
    .prepare('SELECT u.type, sum(u.count) AS count FROM unknown_type u JOIN source s ON s.id = u.source WHERE s.store = ? GROUP BY u.type ORDER BY 2 DESC, 1')
    .all(row.id) as StoreExamination['unknown'];
  const sessions = db.prepare('SELECT count(*) AS n, coalesce(sum(head), 0) AS heads FROM session WHERE store = ? AND ignored = 0').get(row.id) as { n: number; heads: number };
  const gone = goneSessions(db, row);
  // A history file in a project (Aider) is the person's folder, where nothing is looked at without need.
  const isOwnFolder = row.found !== 0 && agent !== 'aider' && !isImport;
  const files = isOwnFolder ? compareFiles(folder, transcripts, store?.retention?.(location) ?? null, now) : { notices: [], deletions: null };
  return {
    id: row.key, agent, location: folder, origin, found: row.found !== 0, problem: row.problem, sessions: sessions.n,
    read: { sources, bytes, records: sizes.reduce((sum, { records }) => sum + records, 0) },
    ...skippedPlaces(db, row),
    notices: [
      ...(sessions.heads > 0 ? [`${count(sessions.heads, 'session')} ${sessions.heads === 1 ? 'is' : 'are'} listed but not read yet.`] : []),
      ...files.notices,
      ...(unknown.length > 0 ? [`Record types that this version does not know; they are kept: ${listed(unknown.map(({ type, count: times }) => `${type} (${times})`))}.`] : []),
      ...(isOwnFolder ? [folder, ...(store?.databaseFolders?.(location) ?? [])].flatMap((each) => sayWriteAheadLogs(each, each === folder)) : []),
      ...(isOwnFolder ? (store?.check?.(location, () => checkedSessions(db, row.id)) ?? []) : []),
      ...(gone.total > 0 ? [`The source of ${count(gone.total, 'session')} is gone; the library keeps ${gone.total === 1 ? 'it' : 'them'}: ${listed(gone.sessions, gone.total)}.`] : []),
      ...(files.deletions ? [sayDeletions(files.deletions)] : []),
    ],
    sizes: sizes.slice(0, typesListed).map(({ type, records, bytes: size }) => ({ type, records, bytes: size })),
    unknown, gone, deletions: files.deletions,
  };
}

function* checkedSessions(db: Db, store: number): Iterable<CheckedSession> {
  const rows = db.prepare("SELECT native, gone, json_extract(facts, '$.own') AS own FROM session WHERE store = ? AND facts IS NOT NULL").iterate(store) as Iterable<{ native: NativeId; gone: number; own: string | null }>;
  for (const { native, gone, own } of rows) yield { native, gone: gone !== 0, own: own === null ? {} : (JSON.parse(own) as JsonObject) };
}

function skippedPlaces(db: Db, { id, key }: StoreRow): Pick<StoreExamination, 'skipped' | 'skippedTotal'> {
  const rows = db
    .prepare(
      `SELECT d.place AS file, d.line, d.at, d.bytes, d.reason, s.native, p.block, r.key, r.source, r.at AS recordAt
       FROM damage d LEFT JOIN session s ON s.id = d.session LEFT JOIN damage_place dp ON dp.damage = d.id LEFT JOIN part p ON p.id = dp.part LEFT JOIN record r ON r.id = p.record
       WHERE d.store = ? ORDER BY d.place, d.at LIMIT ${skippedListed}`,
    )
    .all(id) as SkippedRow[];
  const { n } = db.prepare('SELECT count(*) AS n FROM damage WHERE store = ?').get(id) as { n: number };
  return { skipped: rows.map((row) => skippedPlace(row, key)), skippedTotal: n };
}

type SkippedRow = Omit<SkippedPlace, 'session' | 'part'> & { native: NativeId | null; block: number | null; key: string | Buffer | null; source: number | null; recordAt: number | null };

function skippedPlace({ native, block, key, source, recordAt, ...place }: SkippedRow, store: string): SkippedPlace {
  if (native === null) return { ...place, session: null, part: null };
  const session = sessionId(storeId(store), native);
  return { ...place, session, part: block === null || source === null || recordAt === null ? null : partId(session, partKey({ block, key, source, at: recordAt })) };
}

function goneSessions(db: Db, { id, key }: StoreRow): StoreExamination['gone'] {
  const { n } = db.prepare('SELECT count(*) AS n FROM session WHERE store = ? AND gone = 1 AND ignored = 0').get(id) as { n: number };
  const rows = db.prepare(`SELECT native FROM session WHERE store = ? AND gone = 1 AND ignored = 0 ORDER BY updated DESC, native LIMIT ${goneListed}`).all(id) as { native: NativeId }[];
  return { total: n, sessions: rows.map(({ native }) => sessionId(storeId(key), native)) };
}

function libraryFacts(db: Db, path: string): Examination['library'] {
  // The length of a blob stands in its row's head: the compressed bytes themselves are not read.
  const { chunks, bytes, stored } = db.prepare('SELECT count(*) AS chunks, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(length(data)), 0) AS stored FROM chunk').get() as {
    chunks: number;
    bytes: number;
    stored: number;
  };
  const size = [path, `${path}-wal`].reduce((sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0), 0);
  return { path, bytes: size, chunks, log: { bytes, stored } };
}
