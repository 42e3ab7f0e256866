import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from '@shared/model';
import type { JsonObject } from '../store';
import { type OpenedDatabase, openWithoutTrace, refusalOf } from '../foreign/database';
import { asFilledText, asNumber, asText } from '../foreign/fields';
import { namesIn, tableName, tablesFolder } from './places';

type Db = OpenedDatabase['db'];

/** What one thread table says of a thread, and which table. Columns a release does not have are missing. */
export interface ThreadRow {
  table: string;
  /** The table has a column for names; in older ones a name takes the place of the title. */
  hasNames: boolean;
  columns: JsonObject;
}

export interface Tables {
  /** Names of the tables that could be read, newest first. */
  names: string[];
  rows: Map<string, ThreadRow[]>;
  /** Child → who spawned it, as the newest table says. */
  spawned: Map<string, { parent: string; status: string | null }>;
  damage: Damage[];
  /** A table is busy or may not be read: what is known of its rows stands. */
  refused: boolean;
}

/** Columns kept (FORMAT.md, "Thread table"). Sums of tokens and texts of a whole first message are left out. */
const columnsKept = [
  'rollout_path', 'created_at', 'created_at_ms', 'updated_at', 'updated_at_ms', 'source', 'model', 'reasoning_effort', 'cwd', 'title', 'name', 'preview', 'first_user_message', 'archived', 'archived_at',
  'git_sha', 'git_branch', 'git_origin_url', 'cli_version', 'agent_nickname', 'agent_role', 'agent_path', 'history_mode', 'attached_thread_parent_id',
];
/** Characters kept of a column; titles are the whole first message. */
const columnCharacters = 1_000;

/** Databases with a thread table, the newest number first. */
function tableFiles(home: string): { name: string; path: string }[] {
  const folder = tablesFolder(home);
  return namesIn(folder)
    .filter((name) => tableName.test(name))
    .sort((a, b) => Number(tableName.exec(b)?.[1]) - Number(tableName.exec(a)?.[1]))
    .map((name) => ({ name, path: join(folder, name) }));
}

/** State of all tables, as a text that differs when one of them does. The `-shm` says nothing. */
export function tablesStamp(home: string): string {
  return tableFiles(home).map(({ name, path }) => `${name} ${fileStamp(path)} ${fileStamp(`${path}-wal`)}`).join(' | ');
}

export function fileStamp(path: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(path);
    return `${size} ${mtimeMs} ${ino}`;
  } catch {
    return '-';
  }
}

/** Reads every thread table without leaving a trace. One that cannot be read is named and costs only itself. */
export function readTables(home: string): Tables {
  const tables: Tables = { names: [], rows: new Map(), spawned: new Map(), damage: [], refused: false };
  for (const { name, path } of tableFiles(home)) {
    const opening = openWithoutTrace(path);
    const refusal = opening.opened ? readTable(opening.opened, name, tables) : opening.refusal;
    if (!refusal) continue;
    const words = { busy: 'the thread table is busy', damaged: 'the thread table is damaged', denied: 'the thread table cannot be opened', missing: 'the thread table went away' }[refusal.kind];
    tables.damage.push({ place: name, line: null, at: null, bytes: null, reason: `${words}: ${refusal.reason}` });
    tables.refused = true;
  }
  return tables;
}

function readTable(opened: OpenedDatabase, table: string, tables: Tables): ReturnType<typeof refusalOf> | null {
  try {
    const found = columnsOf(opened.db, 'threads');
    if (!found.includes('id')) return { kind: 'damaged', reason: found.length === 0 ? 'no such table: threads' : 'no such column: threads.id' };
    const selected = columnsKept.filter((column) => found.includes(column)).map((column) => `CASE typeof("${column}") WHEN 'text' THEN substr("${column}", 1, ${columnCharacters}) ELSE "${column}" END AS "${column}"`);
    for (const row of opened.db.prepare(`SELECT id, ${selected.join(', ') || '1'} FROM threads`).iterate()) addRow(table, row, found.includes('name'), tables);
    if (columnsOf(opened.db, 'thread_spawn_edges').includes('child_thread_id')) addEdges(opened.db, tables);
    tables.names.push(table);
    return null;
  } catch (error) {
    return refusalOf(error);
  } finally {
    opened.close();
  }
}

const columnsOf = (db: Db, table: string): string[] => db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);

function addRow(table: string, row: unknown, hasNames: boolean, tables: Tables): void {
  if (typeof row !== 'object' || row === null || !('id' in row) || typeof row.id !== 'string') return;
  const columns: JsonObject = {};
  for (const [column, value] of Object.entries(row)) {
    const plain = asFilledText(value) ?? asNumber(value);
    if (column !== 'id' && plain !== null) columns[column] = plain;
  }
  tables.rows.set(row.id, [...(tables.rows.get(row.id) ?? []), { table, hasNames, columns }]);
}

function addEdges(db: Db, tables: Tables): void {
  for (const row of db.prepare('SELECT parent_thread_id AS parent, child_thread_id AS child, status FROM thread_spawn_edges').iterate()) {
    if (typeof row !== 'object' || row === null || !('parent' in row) || !('child' in row) || !('status' in row)) continue;
    const [parent, child] = [asText(row.parent), asText(row.child)];
    if (parent !== null && child !== null && !tables.spawned.has(child)) tables.spawned.set(child, { parent, status: asText(row.status) });
  }
}
