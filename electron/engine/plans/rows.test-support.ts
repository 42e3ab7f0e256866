import Database from 'better-sqlite3';
import { join } from 'node:path';
import type { RowsInsert, RowsStep, RowValue } from '../stores/store';

/** A session of OpenCode's database with its messages and parts, copied under other ids: what a fork of it adds. */
export function copyOfSession(home: string, mark: string): RowsStep {
  const within = join(home, '.local/share/opencode');
  const database = join(within, 'opencode.db');
  const db = new Database(database, { readonly: true });
  try {
    const [session] = rowsOf(db, 'SELECT * FROM session ORDER BY id LIMIT 1');
    const messages = rowsOf(db, 'SELECT * FROM message WHERE session_id = ? ORDER BY id', session?.['id'] ?? null);
    const parts = rowsOf(db, 'SELECT * FROM part WHERE session_id = ? ORDER BY id', session?.['id'] ?? null);
    const own = (id: RowValue | undefined): string => `${String(id)}${mark}`;
    const insert = (table: string, rows: Record<string, RowValue>[]): RowsInsert => ({ table, key: ['id'], count: rows.length, rows: () => rows });
    return {
      kind: 'rows', database, within, schema: Object.fromEntries(['session', 'message', 'part'].map((table) => [table, columns(db, table)])),
      expects: [{ sql: 'SELECT count(*) FROM message WHERE session_id = ?', parameters: [session?.['id'] ?? null], value: messages.length }],
      inserts: [
        { ...insert('session', [{ ...session, id: own(session?.['id']), title: `Copy ${mark}` }]), references: [{ table: 'session', column: 'parent_id' }] },
        insert('message', messages.map((row) => ({ ...row, id: own(row['id']), session_id: own(row['session_id']) }))),
        insert('part', parts.map((row) => ({ ...row, id: own(row['id']), session_id: own(row['session_id']), message_id: own(row['message_id']) }))),
      ],
      why: 'A copy of the session.',
    };
  } finally {
    db.close();
  }
}

/** All rows of the tables a fork writes, and what SQLite's own checks say. */
export function databaseState(home: string): { rows: string; integrity: unknown; foreignKeys: unknown } {
  const db = new Database(join(home, '.local/share/opencode/opencode.db'), { readonly: true });
  try {
    const rows = ['session', 'message', 'part'].map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY id`).raw().all());
    return { rows: JSON.stringify(rows), integrity: db.pragma('integrity_check'), foreignKeys: db.pragma('foreign_key_check') };
  } finally {
    db.close();
  }
}

const columns = (db: Database.Database, table: string): string[] => (db.prepare('SELECT name FROM pragma_table_info(?) ORDER BY name').pluck().all(table) as string[]).sort();
const rowsOf = (db: Database.Database, sql: string, ...values: RowValue[]): Record<string, RowValue>[] => db.prepare(sql).all(...values) as Record<string, RowValue>[];
