import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

/**
 * Holds a library for one engine. The lock is one of the operating system's, taken through a small database file
 * beside the library: it ends with the process that holds it, however that ends, so there is no stale lock.
 */
export class LibraryLock {
  #db: Database.Database | null = null;

  constructor(readonly file: string) {}

  /** True when this process holds the library now. */
  take(): boolean {
    if (this.#db) return true;
    const db = this.#opened();
    try {
      db.exec('BEGIN EXCLUSIVE');
      this.#db = db;
      return true;
    } catch (error) {
      db.close();
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return false;
      throw error;
    }
  }

  #opened(): Database.Database {
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      return new Database(this.file, { timeout: 0 });
    } catch (error) {
      throw new Error(`Nothing can be kept in ${dirname(this.file)}: ${error instanceof Error ? error.message : String(error)}.`, { cause: error });
    }
  }

  release(): void {
    this.#db?.close();
    this.#db = null;
  }
}
