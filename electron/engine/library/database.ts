import { closeSync, constants, copyFileSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { applicationId, refuseForeignFile } from './ownership';
import { migrations } from './schema';

export type Db = Database.Database;

/** The library was written by a newer Retrace; opening it could lose what that one keeps. */
export class NewerLibraryError extends Error {
  override name = 'NewerLibraryError';
}

export interface OpenedLibrary {
  db: Db;
  /** Set when the file on disk was damaged: it was moved here, and a new library begun. */
  damagedCopy: string | null;
}

/**
 * Opens the library, making or migrating it. A damaged file is moved aside, never deleted: notes and sessions whose
 * source is gone may still be saved from it. Before a migration the whole file is copied beside itself.
 */
export function openLibrary(file: string): OpenedLibrary {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (file !== ':memory:') refuseForeignFile(file);
  const damagedCopy = moveAsideWhenDamaged(file);
  // Conversations are private: the file, and what SQLite puts beside it, is this user's alone wherever it lies.
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const db = new Database(file);
  configure(db);
  migrate(db, file);
  return { db, damagedCopy };
}

function configure(db: Db): void {
  // Chunks are 50 to 100 kB: larger pages need fewer overflow links. Only has an effect on a new file.
  db.pragma('page_size = 8192');
  // Before the log of SQLite takes over: the mark must stand in the file itself, where it is looked for.
  if (db.pragma('application_id', { simple: true }) === 0) db.pragma(`application_id = ${applicationId}`);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('busy_timeout = 10000');
  // Negative: kilobytes. Enough for the upper levels of all indexes of a library of several gigabytes.
  db.pragma('cache_size = -32000');
  // Pages. Larger than the default, so that one batch is not written twice in a row; 4,000 × 8 kB is 32 MB of log file.
  db.pragma('wal_autocheckpoint = 4000');
  db.pragma('temp_store = MEMORY');
}

function moveAsideWhenDamaged(file: string): string | null {
  if (file === ':memory:' || !existsSync(file) || statSync(file).size === 0) return null;
  try {
    const db = new Database(file, { readonly: true });
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      db.pragma('user_version');
    } finally {
      db.close();
    }
    return null;
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (code !== 'SQLITE_NOTADB' && !code.startsWith('SQLITE_CORRUPT')) throw error;
    const aside = `${file}.damaged-${Date.now()}`;
    for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) renameSync(file + end, aside + end);
    return aside;
  }
}

function migrate(db: Db, file: string): void {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > migrations.length) {
    throw new NewerLibraryError(`${file} was written by a newer Retrace (version ${version}; this one knows ${migrations.length}). Use that one, or another --library.`);
  }
  if (version === migrations.length) return;
  if (version > 0) copyBeforeMigration(db, file, version);
  db.transaction(() => {
    for (const sql of migrations.slice(version)) db.exec(sql);
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}

function copyBeforeMigration(db: Db, file: string, version: number): void {
  db.pragma('wal_checkpoint(TRUNCATE)');
  const copy = `${file}.version-${version}`;
  // A file system that can share blocks makes this free.
  if (!existsSync(copy)) copyFileSync(file, copy, constants.COPYFILE_FICLONE);
}
