import { constants } from 'node:fs';
import { readPieces } from '../disk/content';
import type { FileSystem } from '../disk/machine';
import { type KeptValue, valueOf, type Row } from './values';
import type { RowValue } from '../../stores/store';

/** A row of a list of keys: its table by number, its key, and the hash of all it holds. */
export interface KeptKey {
  table: number;
  key: RowValue[];
  hash: string;
}

export const keyLine = (table: number, key: KeptValue[], hash: string): string => `${JSON.stringify([table, key, hash])}\n`;
export const rowLine = (table: number, row: Record<string, KeptValue>): string => `${JSON.stringify([table, row])}\n`;

/** Reads a list of keys; they are gone through one by one, a fork may have a hundred thousand. */
export async function readKeys(files: FileSystem, path: string): Promise<KeptKey[]> {
  const keys: KeptKey[] = [];
  for await (const line of lines(files, path)) {
    const [table, key, hash] = JSON.parse(line) as [number, KeptValue[], string];
    keys.push({ table, key: key.map(valueOf), hash });
  }
  return keys;
}

/** Reads whole rows of one table, as often as asked. */
export function* readRows(files: FileSystem, path: string, wanted: number): Iterable<Row> {
  const handle = files.open(path, constants.O_RDONLY);
  try {
    let rest = Buffer.alloc(0);
    for (const buffer = Buffer.alloc(1024 * 1024); ; ) {
      const length = files.read(handle, buffer);
      const bytes = Buffer.concat([rest, buffer.subarray(0, length)]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        const [table, row] = JSON.parse(bytes.toString('utf8', from, end)) as [number, Record<string, KeptValue>];
        from = end + 1;
        if (table === wanted) yield Object.fromEntries(Object.entries(row).map(([column, value]) => [column, valueOf(value)]));
      }
      rest = bytes.subarray(from);
      if (length === 0) return;
    }
  } finally {
    files.close(handle);
  }
}

async function* lines(files: FileSystem, path: string): AsyncIterable<string> {
  const handle = files.open(path, constants.O_RDONLY);
  try {
    let rest = Buffer.alloc(0);
    for await (const piece of readPieces(files, handle)) {
      const bytes = Buffer.concat([rest, piece]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        yield bytes.toString('utf8', from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
    }
  } finally {
    files.close(handle);
  }
}
