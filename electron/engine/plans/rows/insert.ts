import type { Machine } from '../disk/machine';
import type { RowsStep } from '../../stores/store';
import { Refused } from '../refused';
import { byKey, inTransaction, refuseChanged } from './database';
import { keyLine } from './kept-rows';
import { keptValue, quotedName, rowHash, type Row } from './values';

/**
 * Puts the rows in, all or none. `keep` is given the list of keys, with the hash of what SQLite made of each row, before
 * the commit: when it throws, nothing is put in.
 */
export async function insertRows(machine: Machine, step: RowsStep, keep: (keys: Buffer) => void): Promise<void> {
  await inTransaction(machine, step.database, (db) => {
    refuseChanged(db, step);
    const lines: string[] = [];
    step.inserts.forEach(({ table, key, count, rows }, index) => {
      const find = byKey(db, table, key);
      let inserted = 0;
      const statements = new Map<string, ReturnType<typeof db.prepare>>();
      for (const row of rows()) {
        const columns = Object.keys(row);
        const name = columns.join('\0');
        const insert = statements.get(name) ?? db.prepare(`INSERT INTO ${quotedName(table)}(${columns.map(quotedName).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`);
        statements.set(name, insert);
        insert.run(...columns.map((column) => boundValue(row[column] ?? null)));
        const made = find.get(...key.map((column) => boundValue(row[column] ?? null))) as Row | undefined;
        if (!made) throw new Refused(`A row of ${table} was not kept as it was written.`);
        lines.push(keyLine(index, key.map((column) => keptValue(made[column] ?? null)), rowHash(made)));
        inserted++;
      }
      if (inserted !== count) throw new Refused(`${table} would have got ${inserted} rows, the plan says ${count}.`, true);
    });
    keep(Buffer.from(lines.join('')));
    machine.at('rows-inserted');
  });
  machine.at('rows-committed');
}

/** Whole numbers go in as integers: as a plain number SQLite would be given 1.0. */
const boundValue = (value: Row[string]): Row[string] => (typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value);
