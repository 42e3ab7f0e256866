import { statSync } from 'node:fs';
import type { Room } from '@shared/model';
import type { Db } from '../database';

/** What the whole file holds. `words` and `rows` are measured for all and shared out among sessions. */
export interface Measure {
  /** Bytes of the file and of SQLite's log beside it. */
  file: number;
  free: number;
  log: number;
  words: number;
  /** Indexes and tables that are neither the log nor the search index. */
  rows: number;
  /** Characters of all parts: what `words` is shared out by. */
  characters: number;
  /** Parts, records and messages of all sessions: what `rows` is shared out by. */
  entries: number;
  pageSize: number;
  pages: number;
}

/** Measures a library without reading its pages: the length of a blob stands in its row's head. */
export function measure(db: Db, file: string): Measure {
  const one = (sql: string): number => Number(db.prepare(sql).pluck().get() ?? 0);
  const pageSize = Number(db.pragma('page_size', { simple: true }));
  const pages = Number(db.pragma('page_count', { simple: true }));
  const free = Number(db.pragma('freelist_count', { simple: true })) * pageSize;
  const log = one('SELECT sum(length(data)) FROM chunk');
  const words = one('SELECT sum(length(block)) FROM search_data') + one('SELECT sum(length(sz)) FROM search_docsize');
  // Every table and index has a page, though it is empty: that is nobody's.
  const frame = one('SELECT count(*) FROM sqlite_schema WHERE rootpage > 0') * pageSize;
  return {
    file: sizeOf(file) + sizeOf(`${file}-wal`), free, log, words, pageSize, pages,
    rows: Math.max(0, pages * pageSize - free - log - words - frame),
    characters: one('SELECT sum(size + coalesce(result_size, 0)) FROM part'),
    entries: one('SELECT (SELECT count(*) FROM part) + (SELECT count(*) FROM record) + (SELECT count(*) FROM message)'),
  };
}

export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** The share of sessions that have so much of the log, so many characters and so many rows. */
export function roomOf({ words, rows, characters, entries }: Measure, own: { log: number; characters: number; entries: number }): Room {
  return { log: own.log, words: shareOf(words, own.characters, characters), rows: shareOf(rows, own.entries, entries) };
}

const shareOf = (whole: number, part: number, all: number): number => (all > 0 ? Math.round((whole * part) / all) : 0);
