import { hash } from 'node:crypto';
import type { RowValue } from '../../stores/store';

/** A row as SQLite gives it back, integers as bigint. */
export type Row = Record<string, RowValue>;

/** A value as JSON keeps it: SQLite tells 1 and 1.0 apart, and has bytes. */
export type KeptValue = string | number | null | { i: string } | { b: string };

export function keptValue(value: RowValue): KeptValue {
  if (typeof value === 'bigint') return { i: value.toString() };
  return value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value;
}

export function valueOf(kept: KeptValue): RowValue {
  if (kept === null || typeof kept !== 'object') return kept;
  return 'i' in kept ? BigInt(kept.i) : Buffer.from(kept.b, 'base64');
}

/** Equal for rows that hold the same under the same columns, whatever their order. */
export function rowHash(row: Row): string {
  const columns = Object.keys(row).sort();
  return hash('sha256', JSON.stringify(columns.map((column) => [column, keptValue(row[column] ?? null)])));
}

export const sameValue = (a: RowValue, b: RowValue): boolean => JSON.stringify(keptValue(typeof a === 'number' && Number.isInteger(a) ? BigInt(a) : a)) === JSON.stringify(keptValue(typeof b === 'number' && Number.isInteger(b) ? BigInt(b) : b));

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
