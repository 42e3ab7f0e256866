import type Database from 'better-sqlite3';
import type { Machine } from '../disk/machine';
import { Refused } from '../refused';
import type { RowsTable } from '../steps';
import { byKey, inTransaction, refuseChanged } from './database';
import { type KeptKey, rowLine } from './kept-rows';
import { keptValue, quotedName, rowHash, type Row } from './values';

export interface RowsToRemove {
  database: string;
  schema: Record<string, string[]>;
  tables: readonly RowsTable[];
  keys: readonly KeptKey[];
}

/** Takes the rows out again, all or none; `keep` is given them whole before the commit. */
export async function removeRows(machine: Machine, rows: RowsToRemove, keep: (values: Iterable<Uint8Array>) => void): Promise<void> {
  await inTransaction(machine, rows.database, (db) => {
    refuseWhenNotAlone(db, rows);
    keep(linesOf(db, rows));
    const deletes = rows.tables.map(({ table, key }) => byKey(db, table, key, 'DELETE'));
    // What was put in last hangs on what was put in first.
    for (const { table, key } of [...rows.keys].reverse()) {
      deletes[table]?.run(...key);
    }
    machine.at('rows-inserted');
  });
  machine.at('rows-committed');
}

/** The rows whole, a line each, read one by one: all of them are never held. */
function* linesOf(db: Database.Database, { tables, keys }: RowsToRemove): Iterable<Uint8Array> {
  const finds = tables.map(({ table, key }) => byKey(db, table, key));
  for (const { table, key } of keys) {
    const row = finds[table]?.get(...key) as Row;
    yield Buffer.from(rowLine(table, Object.fromEntries(Object.entries(row).map(([column, value]) => [column, keptValue(value)]))));
  }
}

/** Refuses where a row is not as it was put in, or where others hang on it now. */
export function refuseWhenNotAlone(db: Database.Database, { database, schema, tables, keys }: RowsToRemove): void {
  refuseChanged(db, { database, schema, expects: [] });
  const finds = tables.map(({ table, key }) => byKey(db, table, key));
  for (const { table, key, hash } of keys) {
    const row = finds[table]?.get(...key) as Row | undefined;
    const name = `${tables[table]?.table ?? '?'} ${key.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value))).join(', ')}`;
    if (!row) throw new Refused(`The row ${name} is not in ${database} any more.`, true);
    if (rowHash(row) !== hash) throw new Refused(`The row ${name} in ${database} is not as it was written: it was changed since.`, true);
  }
  tables.forEach((table, index) => refuseHanging(db, database, tables, keys, table, index));
}

/** Rows of others that name ours would go along, or be left without what they name. */
function refuseHanging(db: Database.Database, database: string, tables: readonly RowsTable[], keys: readonly KeptKey[], { table, key, references }: RowsTable, index: number): void {
  const ours = keys.filter((kept) => kept.table === index);
  for (const { from, columns, to } of [...foreignKeysTo(db, table, key), ...references.map(({ table: other, column }) => ({ from: other, columns: [column], to: key.slice(0, 1) }))]) {
    const target = tables.findIndex((other) => other.table === from);
    const mine = new Set(keys.filter((kept) => kept.table === target).map((kept) => keyName(kept.key)));
    const ownKey = target < 0 ? [] : (tables[target]?.key ?? []);
    const shown = ownKey.length === 0 ? '1' : ownKey.map(quotedName).join(', ');
    const find = db.prepare(`SELECT ${shown} FROM ${quotedName(from)} WHERE ${columns.map((column) => `${quotedName(column)} = ?`).join(' AND ')}`);
    for (const { key: values } of ours) {
      const named = to.map((column) => values[key.indexOf(column)] ?? null);
      for (const row of find.iterate(...named) as IterableIterator<Row>) {
        if (target >= 0 && mine.has(keyName(ownKey.map((column) => row[column] ?? null)))) continue;
        throw new Refused(`A row of ${from} in ${database} that was made since hangs on ${table} ${values.map(String).join(', ')}: it would be lost or left without it.`);
      }
    }
  }
}

const keyName = (key: readonly Row[string][]): string => JSON.stringify(key.map(keptValue));

interface ForeignKey {
  from: string;
  columns: string[];
  to: string[];
}

function foreignKeysTo(db: Database.Database, table: string, key: readonly string[]): ForeignKey[] {
  const rows = db
    .prepare(`SELECT m.name AS name, f.id AS id, f."from" AS "from", f."to" AS "to" FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND lower(f."table") = lower(?) ORDER BY m.name, f.id, f.seq`)
    .all(table) as { name: string; id: bigint; from: string; to: string | null }[];
  const found = new Map<string, ForeignKey>();
  for (const { name, id, from, to } of rows) {
    const known = found.get(`${name}\0${id}`) ?? { from: name, columns: [], to: [] };
    known.columns.push(from);
    known.to.push(to ?? (key[known.to.length] as string));
    found.set(`${name}\0${id}`, known);
  }
  // One that names other columns than the key cannot be followed from the key alone.
  return [...found.values()].filter(({ to }) => to.every((column) => key.includes(column)));
}
