import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { Machine } from '../disk/machine';
import { Refused } from '../refused';
import { databaseFiles, holdersOf, sayOpenFiles } from '../../stores/foreign/open-files';
import type { RowsStep } from '../../stores/store';
import { quotedName, sameValue, type Row } from './values';

/** Refuses while a process is seen to have the database open; gives what was looked at, as a sentence. */
export function refuseWhenOpen(file: string): string {
  const open = holdersOf(databaseFiles(file));
  if (open.holders.length > 0) throw new Refused(`${sayOpenFiles(file, open)} End it, and try again.`);
  return sayOpenFiles(file, open);
}

/** Does something in one transaction of a store's database, which is open only for that. Nothing of its settings is changed. */
export async function inTransaction<T>(machine: Machine, file: string, work: (db: Database.Database) => T): Promise<T> {
  const db = machine.database(file, { timeout: 0 });
  try {
    db.defaultSafeIntegers(true);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    await begun(db, file, machine.waits.store);
    try {
      const result = work(db);
      db.exec('COMMIT');
      return result;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  } finally {
    db.close();
  }
}

async function begun(db: Database.Database, file: string, patience: number): Promise<void> {
  for (const end = Date.now() + patience; ; await delay(50)) {
    try {
      db.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!code.startsWith('SQLITE_BUSY')) throw error;
      if (Date.now() > end) throw new Refused(`${file} is busy: another program is writing it. Nothing was changed.`);
    }
  }
}

/** Another layout than the planner knew, or values that are others now: refused, inside the transaction that would write. */
export function refuseChanged(db: Database.Database, { database, schema, expects }: Pick<RowsStep, 'database' | 'schema' | 'expects'>): void {
  for (const [table, columns] of Object.entries(schema)) {
    const found = columnsOf(db, table);
    if (found.join() !== [...columns].sort().join()) throw new Refused(`${database} has another layout than the plan was made for: table ${table} has the columns ${found.join(', ') || '(none)'}.`, true);
  }
  for (const { sql, parameters, value } of expects) {
    const row = db.prepare(sql).raw().get(...parameters) as Row[string][] | undefined;
    if (!sameValue(row?.[0] ?? null, value)) throw new Refused(`${database} changed since the plan was made.`, true);
  }
}

/** In name order. */
export const columnsOf = (db: Database.Database, table: string): string[] =>
  (db.prepare(`SELECT name FROM pragma_table_info(?) ORDER BY name`).pluck().all(table) as string[]).sort();

/** The row that a key names. */
export const byKey = (db: Database.Database, table: string, key: readonly string[], verb = 'SELECT *'): Database.Statement<unknown[]> =>
  db.prepare(`${verb} FROM ${quotedName(table)} WHERE ${key.map((column) => `${quotedName(column)} IS ?`).join(' AND ')}`);
