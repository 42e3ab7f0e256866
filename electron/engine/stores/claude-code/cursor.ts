import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { Json, JsonObject } from '../store';
import { isEntry, numberOf, textOf } from './entry';

/** What was seen of a file when it was last read. */
export interface Cursor {
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  /** Bytes of the file that are in the stream or were skipped for good; reading goes on here. */
  offset: number;
  /** Line ends before `offset`. */
  line: number;
  /** Hash of the first bytes of the file, at most 4,096 of them and none after `offset`. */
  head: string;
  /** Hash of as many bytes just before `offset`. */
  tail: string;
}

/** Bytes at either end that tell a grown file from another one of the same name. */
export const probeBytes = 4096;

export function cursorOf(value: Json): Cursor | null {
  if (!isEntry(value)) return null;
  const [size, mtimeMs, ctimeMs, ino, offset, line] = [value['size'], value['mtimeMs'], value['ctimeMs'], value['ino'], value['offset'], value['line']].map(numberOf);
  const head = textOf(value['head']);
  const tail = textOf(value['tail']);
  if (size == null || mtimeMs == null || ctimeMs == null || ino == null || offset == null || line == null || head === null || tail === null) return null;
  return { size, mtimeMs, ctimeMs, ino, offset, line, head, tail };
}

/** Nothing about the file changed: it need not be opened. */
export function isUnchanged(cursor: Cursor, stat: Stats): boolean {
  return cursor.size === stat.size && cursor.mtimeMs === stat.mtimeMs && cursor.ctimeMs === stat.ctimeMs && cursor.ino === stat.ino;
}

/** Of a file that is gone while what it belonged to is there: nothing of it counts any more. */
export const withdrawn: Cursor = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0, offset: 0, line: 0, head: '', tail: '' };
export const isWithdrawn = (cursor: Cursor | null): boolean => cursor?.head === '' && cursor.tail === '';

export function toJson(cursor: Cursor): JsonObject {
  return { ...cursor };
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64').slice(0, 22);
