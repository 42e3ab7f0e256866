import type { PartBody, SessionStore } from '../stores/store';
import type { Db } from '../library/database';
import type { RawLog } from '../library/log';
import type { ViewRow } from './part-rows';

/** Bytes of a saved tool output that a card may ask for; what lies beyond is not shown. */
const fileLimit = 8 * 1024 * 1024;

/** Reads the body of a part from the log and lets its store explain it. */
export class Bodies {
  readonly #file;

  constructor(
    db: Db,
    readonly log: RawLog,
  ) {
    this.#file = db.prepare<[number, string, string], { id: number; length: number }>(
      `SELECT id, length FROM source WHERE store = ? AND (key = ? OR key LIKE ? ESCAPE '\\') ORDER BY generation DESC LIMIT 1`,
    );
  }

  record(row: ViewRow): Buffer | null {
    return this.log.read(row.source, row.at, row.bytes);
  }

  resultRecord(row: ViewRow): Buffer | null {
    if (row.resultSource === null || row.resultAt === null || row.resultBytes === null) return null;
    return this.log.read(row.resultSource, row.resultAt, row.resultBytes);
  }

  /** `asked` hears which other files of the store the body is made of. */
  body(store: SessionStore, storeRow: number, row: ViewRow, asked?: (key: string) => void): PartBody | null {
    const record = this.record(row);
    if (!record) return null;
    const result = row.result === null || row.resultBlock === null ? null : this.resultRecord(row);
    return store.body({
      record, block: row.block,
      result: result && row.resultBlock !== null ? { record: result, block: row.resultBlock } : null,
      file: (key) => {
        asked?.(key);
        return this.#read(storeRow, key);
      },
    });
  }

  /** A file of the store by its key, or by its name alone where a recorded path is stale. */
  #read(store: number, key: string): Buffer | null {
    const name = key.replace(/[\\%_]/g, '\\$&');
    const source = this.#file.get(store, key, `%/${name}`);
    return source ? this.log.read(source.id, 0, source.length, fileLimit) : null;
  }
}
