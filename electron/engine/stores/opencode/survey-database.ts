import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { nativeId } from '@shared/model';
import type { KnownSources, SessionHead } from '../store';
import { type DatabaseCursor, emptyDatabase, readDatabaseCursor } from './cursors';
import { isSqliteError, type Refusal, refusalOf } from '../foreign/database';
import type { Look, Reading } from './look';
import { sourceKey } from './places';
import { asFilledText, asJsonObject, asNumber, asText, type Fields } from '../foreign/fields';
import { asTime } from './records';
import { margin } from './rows';
import { isOddTime } from '../foreign/odd-time';
import { databaseStamp, statOf } from '../foreign/stamps';

/** A session as the survey sees it: which, and when it last changed. */
interface SessionRow {
  id: string;
  updated: number;
  touched: number;
}

export interface DatabaseSurvey {
  name: string;
  sessions: Map<string, SessionRow>;
  /** What its row tells, so that a list stands at once. Null when it cannot be read. */
  headOf(id: string): SessionHead | null;
  /** Sessions that may have something new; reading them shows. */
  candidates: Set<string>;
  /** What to remember once they are read. */
  cursor: DatabaseCursor;
  /** Not all rows of the session table could be read: one that is not among `sessions` may be there all the same. */
  isPartial: boolean;
  /** Bytes of a session on the average. */
  share: number;
}

/** A database that stood unchanged since all of it was read. */
export function isQuiet(folder: string, name: string, known: KnownSources): DatabaseCursor | null {
  const cursor = readDatabaseCursor(known.get(name)?.cursor);
  return cursor && cursor.pending.length === 0 && cursor.stamp === databaseStamp(join(folder, name)) ? cursor : null;
}

/** Milliseconds for which an unfinished reply may still be going on; an older one gets new rows when it is taken up again. */
const openAtMost = 24 * 3_600_000;
const openSessions = 64;
/**
 * Milliseconds before the newest change within which sessions are looked at again where no event log tells of changed
 * rows (before 1.18): a summary or a cleared output may come after the reply has ended.
 */
const lookedBack = 10 * 60_000;
const attempts = 3;

/** Looks through a database for sessions with something new, without looking through its messages. */
export function surveyDatabase(look: Look, name: string, known: KnownSources): { survey: DatabaseSurvey; refusal?: never } | { refusal: Refusal; survey?: never } {
  const file = join(look.folder, name);
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Taken first: what is written while it is looked at makes it differ the next time.
    const stamp = databaseStamp(file);
    const { reading, refusal } = look.database(name);
    if (!reading) return { refusal };
    if (reading.schema.refusal !== null) return { refusal: { kind: 'damaged', reason: reading.schema.refusal } };
    try {
      const survey = surveyed(reading, name, stamp, statOf(file), known);
      if (look.holds(name, reading)) return { survey };
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      return { refusal: refusalOf(error) };
    }
  }
  return { refusal: { kind: 'busy', reason: 'it changed each time it was looked at' } };
}

function surveyed(reading: Reading, name: string, stamp: string, stats: Stats | null, known: KnownSources): DatabaseSurvey {
  const { rows, problem } = sessionRows(reading);
  const isPartial = problem.length > 0;
  const { tables, schema } = reading;
  const before = readDatabaseCursor(known.get(name)?.cursor);
  const since = before ?? emptyDatabase();
  const inode = stats?.ino ?? 0;
  const sound = soundly(problem);
  const cursor: DatabaseCursor = {
    ...emptyDatabase(), stamp, inode,
    message: sound(since.message, () => tables.message.top()), part: sound(since.part, () => tables.part.top()), v2: sound(since.v2, () => tables.v2.top()),
    event: sound(since.event, () => topEvent(reading)), session: rows.reduce((newest, row) => Math.max(newest, row.touched), 0), open: since.open,
  };
  const sessions = new Map(rows.map((row) => [row.id, row]));
  // A file in another file's place may differ anywhere, and so may one that is older than it was: a backup put back.
  // What was damaged and is not any more may have been mended in its place.
  const gaps = problemOf(schema.gaps.map(({ reason }) => reason));
  const mended = before !== null && before.problem !== '' && before.problem !== gaps && !isPartial;
  const replaced = before === null || mended || before.inode !== inode || cursor.session < since.session || cursor.event < since.event;
  const everywhere = [...sessions.keys()];
  const touchedSince = since.session - (cursor.event === 0 ? lookedBack : margin);
  const signalled = replaced ? everywhere : sound(everywhere, () => [
    ...rows.filter((row) => row.touched >= touchedSince).map(({ id }) => id),
    ...eventsAbove(reading, since.event), ...tables.message.sessionsAbove(since.message), ...tables.part.sessionsAbove(since.part), ...tables.v2.sessionsAbove(since.v2),
    ...reading.inbox.sessions(), ...since.pending, ...stillOpen(since.open, sessions),
  ]);
  const candidates = new Set(signalled.filter((id) => sessions.has(id)));
  const knownKeys = new Set(known.keys());
  for (const id of sessions.keys()) if (!knownKeys.has(sourceKey({ layout: 'database', name }, id))) candidates.add(id);
  cursor.problem = problemOf([...problem, ...schema.gaps.map(({ reason }) => reason)]);
  return { name, sessions, headOf: headsOf(reading), candidates, cursor, isPartial, share: sessions.size === 0 ? 0 : Math.round((stats?.size ?? 0) / sessions.size) };
}

const problemOf = (reasons: string[]): string => [...new Set(reasons)].join('; ');

/** Asks a table that may be damaged; what SQLite says goes into `problem`, and a second best answer is taken. */
function soundly(problem: string[]) {
  return <T>(otherwise: T, ask: () => T): T => {
    try {
      return ask();
    } catch (error) {
      if (!isSqliteError(error) || refusalOf(error).kind === 'busy') throw error;
      problem.push(refusalOf(error).reason);
      return otherwise;
    }
  };
}

/** The session table is small. Where a page of it is damaged, what can be reached from both ends is taken. */
function sessionRows({ db, schema }: Reading): { rows: SessionRow[]; problem: string[] } {
  const archived = schema.has('session', 'time_archived') ? 'coalesce(time_archived, 0)' : '0';
  const updated = schema.has('session', 'time_updated') ? 'coalesce(time_updated, 0)' : '0';
  const found = new Map<string, SessionRow>();
  const problem: string[] = [];
  for (const direction of ['ASC', 'DESC']) {
    const listed = db.prepare(`SELECT id, ${updated} AS updated, max(${updated}, ${archived}) AS touched FROM session WHERE typeof(id) = 'text' ORDER BY rowid ${direction}`);
    try {
      // A row dated beyond all others would hide what really is new from now on.
      for (const row of listed.iterate() as Iterable<SessionRow>) found.set(row.id, isOddTime(row.touched) ? { ...row, touched: 0 } : row);
      break;
    } catch (error) {
      if (refusalOf(error).kind === 'busy') throw error;
      if (problem.length === 0) problem.push(refusalOf(error).reason);
    }
  }
  return { rows: [...found.values()], problem };
}

function headsOf({ db, schema }: Reading): (id: string) => SessionHead | null {
  const columns = schema.select('session', ['id', 'parent_id', 'title', 'directory', 'model', 'time_created', 'time_updated', 'time_archived']);
  const find = db.prepare<[string], Fields>(`SELECT ${columns} FROM session WHERE id = ?`);
  return (id) => {
    const row = soundly([])(undefined, () => find.get(id));
    if (!row) return null;
    const parent = asFilledText(row['parent_id']);
    const hasParent = parent !== null && parent !== id;
    return {
      native: nativeId(id), kind: hasParent ? 'subagent' : 'session', parent: hasParent ? nativeId(parent) : null, title: asFilledText(row['title']),
      directory: asFilledText(row['directory']), gitBranch: null, model: asText(asJsonObject(row['model'])?.['id']), created: asTime(row['time_created']),
      updated: asTime(row['time_updated']), archived: asTime(row['time_archived']),
    };
  };
}

function topEvent({ db, schema }: Reading): number {
  if (!schema.has('event', 'aggregate_id')) return 0;
  return asNumber((db.prepare('SELECT coalesce(max(rowid), 0) AS top FROM event').get() as Fields)['top']) ?? 0;
}

/** The event log names the session of every change, also of a row that was there before. */
function eventsAbove({ db, schema }: Reading, rowid: number): string[] {
  if (!schema.has('event', 'aggregate_id')) return [];
  return db.prepare('SELECT DISTINCT aggregate_id FROM event WHERE rowid > ?').pluck().all(rowid) as string[];
}

function stillOpen(open: string[], sessions: Map<string, SessionRow>): string[] {
  const since = Date.now() - openAtMost;
  return open.filter((id) => (sessions.get(id)?.updated ?? 0) >= since).slice(-openSessions);
}
