import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NewerLibraryError, openLibrary } from './database';
import { migrations } from './schema';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrace-database-'));
  file = join(folder, 'deep', 'library.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a new library is made in WAL mode with all migrations', () => {
  const { db, damagedCopy } = openLibrary(file);
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(db.pragma('user_version', { simple: true })).toBe(migrations.length);
  expect(damagedCopy).toBeNull();
  db.close();
});

test('a damaged library is moved aside, not deleted, and a new one begun', () => {
  openLibrary(file).db.close();
  // The mark of an engine that had this library.
  writeFileSync(`${file}.lock`, '');
  writeFileSync(file, 'This is a broken DB');
  const { db, damagedCopy } = openLibrary(file);
  expect(db.prepare('SELECT count(*) AS n FROM session').get()).toEqual({ n: 0 });
  db.close();
  expect(damagedCopy && readFileSync(damagedCopy, 'utf8')).toBe('This is a broken DB');
});

test('a library of a newer Retrace is left alone', () => {
  openLibrary(file).db.close();
  const db = new Database(file);
  db.pragma(`user_version = ${migrations.length + 1}`);
  db.close();
  expect(() => openLibrary(file)).toThrow(NewerLibraryError);
  expect(existsSync(file)).toBe(true);
  expect(readdirSync(join(folder, 'deep')).filter((name) => name.includes('damaged'))).toEqual([]);
});
