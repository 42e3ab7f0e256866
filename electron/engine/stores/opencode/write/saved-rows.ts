import Database from 'better-sqlite3';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type JsonObject, PerformError } from '../../store';
import { inOneState, isSqliteError, openWithoutTrace, refusalOf } from '../../foreign/database';
import { asNumber, asText } from '../../foreign/fields';
import { heldBy } from './database';

/** Tables that hold rows of a session, with the column that says whose they are, in the order in which they are put back. */
const tablesOfSession: [table: string, column: string][] = [
  ['session', 'id'], ['message', 'session_id'], ['part', 'session_id'], ['todo', 'session_id'], ['session_share', 'session_id'], ['session_message', 'session_id'],
  ['session_input', 'session_id'], ['session_context_epoch', 'session_id'], ['event_sequence', 'aggregate_id'], ['event', 'aggregate_id'],
];

/** Bytes of saved rows, compressed: what the journal takes for one session. A larger one is not deleted from here. */
const savedAtMost = 48 * 1024 * 1024;

interface SavedTable {
  table: string;
  columns: string[];
  rows: unknown[][];
}

/** All rows of some sessions as the journal keeps them: deleting is only done when they are safe. */
export function savedRows(database: string, sessions: readonly string[]): JsonObject {
  const { opened, refusal } = openWithoutTrace(database);
  if (!opened) throw new PerformError(`${database} cannot be read: ${refusal.reason}.`);
  try {
    const { db } = opened;
    const tables = inOneState(db, () => tablesOfSession.flatMap(([table, column]): SavedTable[] => {
      const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
      if (!columns.includes(column)) return [];
      const statement = db.prepare(`SELECT * FROM ${table} WHERE ${column} = ? ORDER BY rowid`).raw().safeIntegers();
      return [{ table, columns, rows: sessions.flatMap((session) => (statement.all(session) as unknown[][]).map((row) => row.map(packed))) }];
    }));
    const bytes = zstdCompressSync(Buffer.from(JSON.stringify(tables)));
    if (bytes.length > savedAtMost) throw new PerformError('The session is too large to be kept in the journal; it is not deleted.');
    return { saved: bytes.toString('base64'), rows: tables.reduce((sum, { rows }) => sum + rows.length, 0), sessions: [...sessions] };
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    throw new PerformError(`${database} cannot be read: ${refusalOf(error).reason}.`);
  } finally {
    opened.close();
  }
}

/** Puts saved rows back in one transaction, while nobody has the database open and its columns are those they came from. */
export function restoreRows(database: string, given: JsonObject | null): JsonObject {
  const saved = asText(given?.['saved']);
  if (saved === null) throw new PerformError('Nothing was saved.');
  const held = heldBy(database);
  if (held !== null) throw new PerformError(held);
  const tables = JSON.parse(zstdDecompressSync(Buffer.from(saved, 'base64')).toString('utf8')) as SavedTable[];
  let db: Database.Database | null = null;
  try {
    db = new Database(database, { fileMustExist: true, timeout: 5_000 });
    db.pragma('foreign_keys = ON');
    putBack(db, tables);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    throw new PerformError(`The rows could not be put back: ${refusalOf(error).reason}. Nothing was changed.`);
  } finally {
    db?.close();
  }
  return { rows: asNumber(given?.['rows']) ?? 0 };
}

function putBack(db: Database.Database, tables: readonly SavedTable[]): void {
  const columnsOf = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
  db.transaction(() => {
    for (const { table, columns, rows } of tables) {
      if (!tablesOfSession.some(([known]) => known === table)) throw new PerformError(`The saved rows name a table that is not OpenCode’s: ${table}.`);
      const now = columnsOf.all(table);
      if (rows.length > 0 && now.toSorted().join() !== columns.toSorted().join()) throw new PerformError(`OpenCode changed its table ${table} since: the rows do not fit any more.`);
      if (rows.length === 0) continue;
      const insert = db.prepare(`INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`);
      for (const row of rows) insert.run(...row.map(unpacked));
    }
  }).immediate();
}

/** What JSON has no word for: whole numbers beyond doubles, and bytes. */
const packed = (value: unknown): unknown =>
  typeof value === 'bigint' ? { n: String(value) } : value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value;

function unpacked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('n' in value) return BigInt(String(value.n));
  return 'b' in value ? Buffer.from(String(value.b), 'base64') : null;
}
