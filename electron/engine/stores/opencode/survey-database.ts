import { join } from 'node:path';
import { nativeId } from '@shared/model';
import type { KnownSources, SessionHead } from '../store';
import { type DatabaseCursor, emptyDatabase, readDatabaseCursor } from './cursors';
import type { Refusal } from './database';
import type { Look, Reading } from './look';
import { sourceKey } from './places';
import { asFilledText, asJsonObject, asNumber, asText, asTime, type Fields } from './records';
import { margin } from './rows';
import { databaseStamp, statOf } from './stamps';

/** A session as its row tells, so that a list stands at once. */
export interface SessionRow {
  id: string;
  updated: number;
  head: SessionHead;
}

export interface DatabaseSurvey {
  name: string;
  sessions: Map<string, SessionRow>;
  /** Sessions that may have something new; reading them shows. */
  candidates: Set<string>;
  /** What to remember once they are read. */
  cursor: DatabaseCursor;
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
    const before = readDatabaseCursor(known.get(name)?.cursor);
    const survey = surveyed(reading, name, stamp, statOf(file)?.ino ?? 0, before, known, statOf(file)?.size ?? 0);
    if (look.holds(name, reading)) return { survey };
  }
  return { refusal: { kind: 'busy', reason: 'it changed each time it was looked at' } };
}

function surveyed(reading: Reading, name: string, stamp: string, inode: number, before: DatabaseCursor | null, known: KnownSources, bytes: number): DatabaseSurvey {
  const { rows, problem } = sessionRows(reading);
  const { tables, schema } = reading;
  const gaps = schema.gaps.map(({ reason }) => reason);
  const since = before ?? emptyDatabase();
  const cursor: DatabaseCursor = {
    ...emptyDatabase(), stamp, inode,
    message: tables.message.top(), part: tables.part.top(), v2: tables.v2.top(), event: topEvent(reading),
    session: rows.reduce((newest, row) => Math.max(newest, row.touched), since.session),
    open: since.open, problem: [...problem, ...gaps].join('; '),
  };
  const sessions = new Map(rows.map((row) => [row.id, row]));
  // A file in another file's place may differ anywhere.
  const replaced = before === null || before.inode !== inode;
  const signalled = replaced
    ? sessions.keys()
    : [
        ...rows.filter((row) => row.touched >= since.session - (cursor.event === 0 ? lookedBack : margin)).map(({ id }) => id),
        ...eventsAbove(reading, since.event), ...tables.message.sessionsAbove(since.message), ...tables.part.sessionsAbove(since.part), ...tables.v2.sessionsAbove(since.v2),
        ...waitingSessions(reading), ...since.pending, ...stillOpen(since.open, sessions),
      ];
  const candidates = new Set([...signalled].filter((id) => sessions.has(id)));
  const knownKeys = new Set(known.keys());
  for (const id of sessions.keys()) if (!knownKeys.has(sourceKey({ layout: 'database', name }, id))) candidates.add(id);
  return { name, sessions, candidates, cursor, share: sessions.size === 0 ? 0 : Math.round(bytes / sessions.size) };
}

/** The session table is small. Where a page of it is damaged, what can be reached from both ends is taken. */
function sessionRows({ db, schema }: Reading): { rows: (SessionRow & { touched: number })[]; problem: string[] } {
  const columns = schema.select('session', ['id', 'parent_id', 'title', 'directory', 'model', 'time_created', 'time_updated', 'time_archived']);
  const found = new Map<string, SessionRow & { touched: number }>();
  const problem: string[] = [];
  for (const direction of ['ASC', 'DESC']) {
    try {
      for (const row of db.prepare(`SELECT ${columns} FROM session ORDER BY rowid ${direction}`).iterate() as Iterable<Fields>) {
        const id = asText(row['id']);
        if (id !== null) found.set(id, sessionRow(id, row));
      }
      return { rows: [...found.values()], problem };
    } catch (error) {
      if (problem.length === 0) problem.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { rows: [...found.values()], problem };
}

function sessionRow(id: string, row: Fields): SessionRow & { touched: number } {
  const updated = asNumber(row['time_updated']) ?? 0;
  const archived = asTime(row['time_archived']);
  const parent = asFilledText(row['parent_id']);
  const hasParent = parent !== null && parent !== id;
  return {
    id, updated, touched: Math.max(updated, archived ?? 0),
    head: {
      native: nativeId(id), kind: hasParent ? 'subagent' : 'session', parent: hasParent ? nativeId(parent) : null, title: asFilledText(row['title']),
      directory: asFilledText(row['directory']), gitBranch: null, model: asText(asJsonObject(row['model'])?.['id']), created: asTime(row['time_created']),
      updated: asTime(updated), archived,
    },
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

/** Prompts in the inbox come and go without a trace elsewhere; there are never many. */
function waitingSessions({ db, schema }: Reading): string[] {
  if (!schema.has('session_input', 'session_id', 'promoted_seq')) return [];
  return db.prepare('SELECT DISTINCT session_id FROM session_input WHERE promoted_seq IS NULL').pluck().all() as string[];
}

function stillOpen(open: string[], sessions: Map<string, SessionRow>): string[] {
  const since = Date.now() - openAtMost;
  return open.filter((id) => (sessions.get(id)?.updated ?? 0) >= since).slice(-openSessions);
}
