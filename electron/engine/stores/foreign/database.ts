import Database from 'better-sqlite3';
import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { copyOf } from './copies';
import { heldOpen } from './processes';
import { databaseStamp, statOf } from './stamps';

/**
 * Opens another program's database so that nothing is left behind (opencode/FORMAT.md, "Opening"). Measured with SQLite 3.54:
 * a plain read-only connection to a WAL database makes `-wal` and `-shm` files where there are none, an immutable one
 * ignores the WAL, and a WAL without its `-shm` cannot be opened in a folder that may not be written.
 */
export type Db = Database.Database;

// Names that are addresses (`file:…?immutable=1`) must be allowed before the addon is loaded, which the first connection
// of the process does. In a worker thread the setting may come too late; then a copy is read instead.
process.env['SQLITE_USE_URI'] ??= '1';

/** Bytes up to which a database is copied to be read; a larger one is opened in place. */
const copiedAtMost = 512 * 1024 * 1024;
/** The same where it cannot be told whether a program has it open. */
const copiedUnasked = 64 * 1024 * 1024;
/** Milliseconds to wait for a lock: a busy store is tried again at the next look, a window must not freeze. */
const lockPatience = 250;

export interface Refusal {
  kind: 'busy' | 'damaged' | 'denied' | 'missing';
  /** SQLite's or the system's own words. */
  reason: string;
}

export interface OpenedDatabase {
  db: Db;
  how: 'in place' | 'immutable' | 'copy';
  /** True when what this connection reads may not hold together any more, and it must be opened anew. */
  isStale(): boolean;
  close(): void;
}

type Opening = { opened: OpenedDatabase; refusal?: never } | { refusal: Refusal; opened?: never };

export function openWithoutTrace(file: string, copyLimit = copiedAtMost): Opening {
  try {
    const stats = statOf(file);
    if (!stats) return { refusal: { kind: 'missing', reason: 'no such file' } };
    const wal = statOf(`${file}-wal`)?.size ?? 0;
    if (stats.size === 0 && wal === 0) return { refusal: { kind: 'damaged', reason: 'the file is empty (0 bytes)' } };
    return { opened: checked(choose(file, stats.size + wal, wal, copyLimit)) };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

function choose(file: string, bytes: number, wal: number, copyLimit: number): OpenedDatabase {
  if (!isWalMode(file) && wal === 0) {
    // Without a WAL a read-only connection takes a shared lock and leaves nothing; only what a dead program left of a
    // transaction stands in its way.
    const unfinished = (statOf(`${file}-journal`)?.size ?? 0) > 0 && heldOpen(file) !== 'yes';
    return unfinished ? copyOrInPlace(file, bytes, copyLimit) : inPlace(file);
  }
  const held = existsSync(`${file}-shm`) ? heldOpen(file) : 'no';
  if (held === 'yes') return inPlace(file);
  // Where nobody says whether a program is at work, a large file is not copied each time it may have written to it.
  if (wal > 0) return copyOrInPlace(file, bytes, held === 'unknown' ? Math.min(copyLimit, copiedUnasked) : copyLimit);
  return immutable(file) ?? copyOrInPlace(file, bytes, copyLimit);
}

/** Bytes 18 and 19 of the header are 2 in WAL mode. A file too short to say is for SQLite to judge. */
function isWalMode(file: string): boolean {
  const header = Buffer.alloc(20);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, 20, 0);
  } finally {
    closeSync(descriptor);
  }
  return header[18] === 2 || header[19] === 2;
}

function copyOrInPlace(file: string, bytes: number, copyLimit: number): OpenedDatabase {
  return (bytes <= copyLimit ? copied(file) : null) ?? inPlace(file);
}

/** Reads the file itself. What SQLite puts beside it is taken away again when it was not there and nobody uses it. */
function inPlace(file: string): OpenedDatabase {
  const missing = ['-wal', '-shm'].filter((suffix) => !existsSync(file + suffix));
  const sweep = () => {
    if (missing.length === 0 || heldOpen(file) !== 'no') return;
    // A log with something in it is a program's, not ours, however it came here.
    for (const suffix of missing) if (suffix === '-shm' || statOf(file + suffix)?.size === 0) rmSync(file + suffix, { force: true });
  };
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true, timeout: lockPatience });
    return { db, how: 'in place', isStale: () => false, close: () => (db.close(), sweep()) };
  } catch (error) {
    sweep();
    throw error;
  }
}

function immutable(file: string): OpenedDatabase | null {
  if (!addressesWork()) return null;
  const before = databaseStamp(file);
  const db = new Database(`${pathToFileURL(file).href}?immutable=1`, { readonly: true, fileMustExist: true, timeout: lockPatience });
  return { db, how: 'immutable', isStale: () => databaseStamp(file) !== before, close: () => db.close() };
}

let addresses: boolean | null = null;
function addressesWork(): boolean {
  try {
    addresses ??= (new Database('file:probe?mode=memory', { fileMustExist: true }).close(), true);
  } catch {
    addresses = false;
  }
  return addresses;
}

function copied(file: string): OpenedDatabase | null {
  const copy = copyOf(file);
  if (!copy) return null;
  try {
    // A journal has to be played back first, for which the copy must be writable; a WAL is read as it is.
    const db = new Database(copy.file, { readonly: !existsSync(`${copy.file}-journal`), fileMustExist: true, timeout: lockPatience });
    return { db, how: 'copy', isStale: () => false, close: () => (db.close(), copy.discard()) };
  } catch (error) {
    copy.discard();
    throw error;
  }
}

/** A connection that answers a first question; what SQLite refuses shows here and not in the middle of reading. */
function checked(opened: OpenedDatabase): OpenedDatabase {
  try {
    opened.db.pragma('query_only = ON');
    opened.db.prepare('SELECT count(*) FROM sqlite_master').get();
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

export function refusalOf(error: unknown): Refusal {
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return { kind: 'busy', reason };
  if (/^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|ERROR)/.test(code)) return { kind: 'damaged', reason };
  if (code === 'ENOENT') return { kind: 'missing', reason };
  return { kind: 'denied', reason };
}

/** What SQLite says of a store, and not a fault of our own. */
export const isSqliteError = (error: unknown): boolean => error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');

/** Asks several things of one state of a database. Nothing was written, so the end is a rollback: a damaged one can do no other. */
export function inOneState<T>(db: Db, ask: () => T): T {
  db.exec('BEGIN');
  try {
    return ask();
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}
