import type { Db } from './database';

/** Bytes read before a transaction is closed: each commit writes a segment of the search index, and what was read shows only then. */
const transactionBytes = 64 * 1024 * 1024;
/** Milliseconds a transaction may stay open, for the same reason. */
const transactionTime = 3_000;

/** A transaction kept open over several sources. There are no savepoints in it: each would make the search index write a segment. */
export class OpenTransaction {
  #began = 0;
  #bytes = 0;
  readonly #sql;

  constructor(db: Db) {
    this.#sql = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
    };
  }

  get isOpen(): boolean {
    return this.#began > 0;
  }

  begin(): void {
    if (this.isOpen) return;
    this.#sql.begin.run();
    this.#began = performance.now();
    this.#bytes = 0;
  }

  isFull(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes >= transactionBytes || performance.now() - this.#began > transactionTime;
  }

  commit(): void {
    this.#sql.commit.run();
    this.#began = 0;
  }

  /** After a fault: whatever was not committed is gone. */
  rollback(): void {
    if (this.isOpen) this.#sql.rollback.run();
    this.#began = 0;
  }
}
