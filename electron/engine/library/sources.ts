import type { Json, KnownSource, KnownSources } from '../stores/store';
import { decodeKey, recordFlag } from './codes';
import type { Db } from './database';

export interface SourceRow {
  id: number;
  key: string;
  generation: number;
  length: number;
  cursor: string | null;
  carry: string | null;
  reader: number;
  gone: number;
}

/** The sources of one store: where each stream stands, and what a store must remember to go on reading it. */
export class Sources implements KnownSources {
  readonly #insert;
  readonly #update;
  readonly #markGone;
  readonly #keys;
  #rows = new Map<string, SourceRow>();

  constructor(
    db: Db,
    readonly store: number,
    readonly reader: number,
  ) {
    const rows = db
      .prepare<[number], SourceRow>('SELECT id, key, generation, length, cursor, carry, reader, gone FROM source WHERE store = ? ORDER BY generation')
      .all(store);
    // Later generations overwrite earlier ones: only the newest stream of a key is the source's present.
    for (const row of rows) this.#rows.set(row.key, row);
    this.#insert = db.prepare('INSERT INTO source(store, key, generation, reader) VALUES (?, ?, ?, ?)');
    this.#update = db.prepare('UPDATE source SET length = ?, cursor = ?, carry = ?, reader = ?, gone = 0 WHERE id = ?');
    this.#keys = db.prepare<[number, number], { key: string | Buffer }>(
      `SELECT r.key FROM source_session x JOIN record r ON r.session = x.session WHERE x.source = ? AND r.source = ? AND r.key IS NOT NULL AND (r.flags & ${recordFlag.gone}) = 0`,
    );
    this.#markGone = db.prepare('UPDATE source SET gone = 1 WHERE id = ?');
  }

  /** A source that went away is not known any more: should it come back it is read from its beginning. */
  get(key: string): KnownSource | undefined {
    const row = this.#rows.get(key);
    if (!row || row.gone) return undefined;
    return { key, length: row.length, cursor: parsed(row.cursor), carry: parsed(row.carry), keys: () => this.#keysOf(row.id) };
  }

  #keysOf(source: number): string[] {
    return this.#keys.all(source, source).map(({ key }) => decodeKey(key));
  }

  *keys(): Iterable<string> {
    for (const row of this.#rows.values()) if (!row.gone) yield row.key;
  }

  /** Every source, those that went away included: the log still has their streams. */
  rows(): SourceRow[] {
    return [...this.#rows.values()];
  }

  row(key: string): SourceRow | undefined {
    return this.#rows.get(key);
  }

  /** The row of a source, made when it is new. */
  ensure(key: string): SourceRow {
    return this.#rows.get(key) ?? this.#begin(key, 0);
  }

  /** Begins a new stream for a source that was truncated or replaced; the old one stays in the log. */
  restart(key: string): SourceRow {
    const old = this.#rows.get(key);
    return this.#begin(key, old ? old.generation + 1 : 0);
  }

  #begin(key: string, generation: number): SourceRow {
    const id = Number(this.#insert.run(this.store, key, generation, this.reader).lastInsertRowid);
    const row: SourceRow = { id, key, generation, length: 0, cursor: null, carry: null, reader: this.reader, gone: 0 };
    this.#rows.set(key, row);
    return row;
  }

  advance(row: SourceRow, length: number, cursor: Json, carry: Json): void {
    row.length = length;
    row.cursor = JSON.stringify(cursor);
    row.carry = JSON.stringify(carry);
    row.reader = this.reader;
    row.gone = 0;
    this.#update.run(row.length, row.cursor, row.carry, row.reader, row.id);
  }

  gone(key: string): SourceRow | undefined {
    const row = this.#rows.get(key);
    if (!row || row.gone) return undefined;
    row.gone = 1;
    this.#markGone.run(row.id);
    return row;
  }
}

const parsed = (text: string | null): Json => (text === null ? null : (JSON.parse(text) as Json));
