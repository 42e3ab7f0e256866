import type { Statement } from 'better-sqlite3';
import type { TableCursor } from './cursors';
import { type Db, isSqliteError, refusalOf } from '../foreign/database';
import { asNumber, asText, type Fields } from '../foreign/fields';
import type { Schema } from './schema';

export type TableSlot = 'message' | 'part' | 'v2';

/** A row as listed before it is read: what tells whether it has to be. */
export interface ListedRow {
  rowid: number;
  id: string;
  /** `time_updated`. */
  at: number;
  /** Of its data. */
  bytes: number;
  /** Message of a part. */
  message: string | null;
}

interface Fingerprint {
  count: number;
  sum: number;
  max: number;
}

/** What has to be read of one table for one session. */
export interface TablePlan {
  /** Changed rows first, then new ones in the order they were made. */
  rows: ListedRow[];
  now: Fingerprint;
  /** No row went away, and row numbers mean what they meant. */
  intact: boolean;
  /** What SQLite says when not all rows could be listed. */
  problem: string | null;
}

/**
 * Milliseconds before the newest change that are looked at again: two programs write with clocks of their own, and a
 * change may come into the database after one that is stamped later.
 */
export const margin = 5_000;
/** More rows than this in the margin were written by a migration or a fork, all at once; those are not looked at again. */
const marginRows = 128;
/** Milliseconds after which a change is over: nothing stamped before it comes into the store any more. */
const overAfter = 60_000;

export const isOver = (at: number): boolean => at < Date.now() - overAfter;

/** What is looked at again: the rows of the margin, while it is not over and unless they are many. */
export function recentOnly(edge: Record<string, string>, newest: number): Record<string, string> {
  return isOver(newest) || Object.keys(edge).length > marginRows ? {} : edge;
}

/** The message, part and session_message rows of a database, by session. */
export class RowTables {
  readonly message: RowTable;
  readonly part: RowTable;
  readonly v2: RowTable;

  constructor(db: Db, schema: Schema) {
    this.message = new RowTable(db, schema, 'message');
    this.part = new RowTable(db, schema, 'part');
    this.v2 = new RowTable(db, schema, 'session_message');
  }
}

export class RowTable {
  readonly readable: boolean;
  readonly #fingerprint: Statement<[string]> | null;
  readonly #listed: Statement<[string, number, number]> | null;
  readonly #listedBackwards: Statement<[string, number, number]> | null;
  readonly #row: Statement<[number]> | null;
  readonly #top: Statement<[]> | null;
  readonly #newSessions: Statement<[number]> | null;

  constructor(
    db: Db,
    schema: Schema,
    readonly name: 'message' | 'part' | 'session_message',
  ) {
    this.readable = schema.has(name, 'id', 'session_id', 'data') && (name !== 'part' || schema.has(name, 'message_id'));
    const prepare = <P extends unknown[]>(sql: string) => (this.readable ? db.prepare<P>(sql) : null);
    const at = schema.has(name, 'time_updated') ? 'coalesce(time_updated, 0)' : '0';
    const message = name === 'part' ? 'message_id' : 'NULL';
    // Counts and row numbers stand in the index over session_id; only the listing touches rows, and never their data.
    this.#fingerprint = prepare(`SELECT count(*) AS count, coalesce(sum(rowid), 0) AS sum, coalesce(max(rowid), 0) AS max FROM ${name} WHERE session_id = ?`);
    const listed = `SELECT rowid, id, ${at} AS at, octet_length(data) AS bytes, ${message} AS message FROM ${name}`;
    this.#listed = prepare(`${listed} WHERE session_id = ? AND (rowid > ? OR ${at} >= ?) ORDER BY rowid`);
    this.#listedBackwards = prepare(`${listed} WHERE session_id = ? AND (rowid > ? OR ${at} >= ?) ORDER BY rowid DESC`);
    this.#row = prepare(`SELECT * FROM ${name} WHERE rowid = ?`);
    this.#top = prepare(`SELECT coalesce(max(rowid), 0) AS top FROM ${name}`);
    this.#newSessions = prepare(`SELECT DISTINCT session_id AS id FROM ${name} WHERE rowid > ?`);
  }

  row(rowid: number): Fields | undefined {
    return this.#row?.get(rowid) as Fields | undefined;
  }

  /** Highest row number of the whole table. */
  top(): number {
    return asNumber((this.#top?.get() as Fields | undefined)?.['top']) ?? 0;
  }

  /** Sessions that got rows above a row number. */
  sessionsAbove(rowid: number): string[] {
    return ((this.#newSessions?.all(rowid) ?? []) as Fields[]).map(({ id }) => asText(id)).filter((id) => id !== null);
  }

  plan(session: string, cursor: TableCursor): TablePlan {
    const now = (this.#fingerprint?.get(session) ?? { count: 0, sum: 0, max: 0 }) as Fingerprint;
    const isSettled = Object.keys(cursor.edge).length === 0;
    const since = cursor.at === 0 ? Number.MAX_SAFE_INTEGER : isSettled ? cursor.at + 1 : cursor.at - margin;
    const { rows, problem } = this.list(session, cursor.max, since);
    const fresh = rows.filter((row) => row.rowid > cursor.max);
    const changed = rows.filter((row) => row.rowid <= cursor.max);
    const expected = { count: cursor.count + fresh.length, sum: cursor.sum + fresh.reduce((sum, row) => sum + row.rowid, 0), max: Math.max(cursor.max, fresh.at(-1)?.rowid ?? 0) };
    // Rows on a broken page are not gone: nothing is concluded from what is missing.
    const intact = problem !== null || (now.count === expected.count && now.sum === expected.sum);
    return { rows: [...changed, ...fresh], now: problem === null ? now : expected, intact, problem };
  }

  /** Rows above a row number, or changed at or after a time. Over a broken page what can be reached from both ends is listed. */
  list(session: string, above: number, since: number): { rows: ListedRow[]; problem: string | null } {
    try {
      return { rows: (this.#listed?.all(session, above, since) ?? []) as ListedRow[], problem: null };
    } catch (error) {
      if (!isSqliteError(error) || refusalOf(error).kind === 'busy') throw error;
      return { rows: this.#salvage(session, above, since), problem: refusalOf(error).reason };
    }
  }

  #salvage(session: string, above: number, since: number): ListedRow[] {
    const found = new Map<number, ListedRow>();
    for (const statement of [this.#listed, this.#listedBackwards]) {
      try {
        for (const row of (statement?.iterate(session, above, since) ?? []) as Iterable<ListedRow>) found.set(row.rowid, row);
      } catch {
        // As far as it goes; the reason is known.
      }
    }
    return [...found.values()].sort((a, b) => a.rowid - b.rowid);
  }
}
