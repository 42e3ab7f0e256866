import type { Damage } from '@shared/model';
import type { Db } from '../../library/database';
import type { RawLog } from '../../library/log';
import type { Json, MemoryKeeper } from '../../stores/store';

/** Bytes of a text that are held; the reader of a store takes no larger file. */
const textLimit = 1024 * 1024;

/** A memory file as the library has it: its newest stream. */
export interface KnownFile {
  store: number;
  folder: string;
  name: string;
  source: number;
  length: number;
  gone: boolean;
  versions: number;
  bytes: number;
  /** ms since 1970. */
  changed: number | null;
}

interface SourceRow {
  id: number;
  key: string;
  length: number;
  gone: number;
}

/** Memory files in the raw log. Every text that was read stays there: a change begins a new stream of the same key. */
export class MemoryFiles {
  readonly #under;
  readonly #cursor;
  readonly #damage;

  constructor(
    db: Db,
    readonly log: RawLog,
  ) {
    this.#under = db.prepare<[number, string, string], SourceRow>('SELECT id, key, length, gone FROM source WHERE store = ? AND key >= ? AND key < ? ORDER BY key, generation');
    this.#cursor = db.prepare<[number], { cursor: string | null }>('SELECT cursor FROM source WHERE id = ?');
    this.#damage = db.prepare<[number], Damage>('SELECT place, line, at, bytes, reason FROM damage WHERE source = ? ORDER BY at LIMIT 100');
  }

  /** Of one folder, or of all of a store. */
  of(store: number, keeper: MemoryKeeper, folder: string | null = null): KnownFile[] {
    const prefix = folder === null ? keeper.allPrefix : `${keeper.pathOf(folder)}/`;
    const files = new Map<string, KnownFile>();
    // Most sources are no memory: they are passed over by their keys.
    for (const { id, key, length, gone } of this.#under.iterate(store, prefix, afterAll(prefix))) {
      const name = keeper.fileOf(key);
      if (!name) continue;
      const versions = (files.get(key)?.versions ?? 0) + (length > 0 ? 1 : 0);
      files.set(key, { store, ...name, source: id, length, gone: gone !== 0, versions, bytes: length, changed: null });
    }
    return [...files.values()].map((file) => {
      const cursor = this.#cursor.get(file.source)?.cursor ?? null;
      return { ...file, ...(cursor === null ? null : keeper.stateOf(JSON.parse(cursor) as Json)) };
    });
  }

  /** The last text that was read; null when there is none. */
  text(file: KnownFile): string | null {
    if (file.length === 0) return file.bytes === 0 ? '' : null;
    const bytes = this.log.read(file.source, 0, file.length, textLimit);
    if (!bytes) return null;
    const text = bytes.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  damage(file: KnownFile): Damage[] {
    return this.#damage.all(file.source);
  }
}

/** The first text behind all that begin with a prefix. */
export const afterAll = (prefix: string): string => prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
