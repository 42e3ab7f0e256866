import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLibrary } from './database';
import { ForeignPlaceError, refuseForeignFile, refuseStoreFolder } from './ownership';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrace-ownership-'));
  file = join(folder, 'library.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a library is known by its header, also while it is open', () => {
  const { db } = openLibrary(file);
  expect(() => refuseForeignFile(file)).not.toThrow();
  db.close();
  expect(() => refuseForeignFile(file)).not.toThrow();
});

test('a new file and an empty one may become a library', () => {
  expect(() => refuseForeignFile(file)).not.toThrow();
  writeFileSync(file, '');
  expect(() => refuseForeignFile(file)).not.toThrow();
});

test.each(['{"type":"user"}\n', 'a note of my own'])('a file that holds %j is refused and left as it is', (text) => {
  writeFileSync(file, text);
  expect(() => refuseForeignFile(file)).toThrow(ForeignPlaceError);
  expect(() => openLibrary(file)).toThrow(ForeignPlaceError);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(readdirSync(folder)).toEqual(['library.db']);
});

test('a database of another program is refused and nothing appears beside it', () => {
  const db = new Database(file);
  db.exec('CREATE TABLE places(name)');
  db.close();
  const before = readFileSync(file);
  expect(() => openLibrary(file)).toThrow('is not a library of Retrace');
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder)).toEqual(['library.db']);
});

test('a folder is refused by name', () => {
  mkdirSync(file);
  expect(() => refuseForeignFile(file)).toThrow(`${file} is a folder`);
});

test('a place inside a store is refused', () => {
  expect(() => refuseStoreFolder('/home/ada/.claude/lib.db', ['/home/ada/.claude'])).toThrow('where an agent keeps its sessions');
  refuseStoreFolder('/home/ada/.claude-notes/lib.db', ['/home/ada/.claude']);
});
