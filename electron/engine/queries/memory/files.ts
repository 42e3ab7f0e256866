import type { Damage } from '@shared/model';
import type { Db } from '../../library/database';
import type { RawLog } from '../../library/log';
import { OverlayRows } from '../../library/overlay-rows';
import type { Json, MemoryInOverlay, MemoryInStore, MemoryKeeper } from '../../stores/store';

/** Bytes of a text that are held; the reader of a store takes no larger file. */
const textLimit = 1024 * 1024;

/** A memory file as the library has it: its newest stream, or its newest version in an overlay. */
export interface KnownFile {
  store: number;
  folder: string;
  name: string;
  text: { in: 'log'; source: number; length: number } | { in: 'overlay'; overlay: number; place: string; problem: string | null };
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

interface OverlayFile {
  id: number;
  path: string;
  folder: string;
  changed: number | null;
  problem: string | null;
  gone: number | null;
  versions: number;
  bytes: number | null;
}

/** Memory files in the raw log, where a change begins a new stream of the same key, and in overlays. Every text that was read stays. */
export class MemoryFiles {
  readonly #under;
  readonly #cursor;
  readonly #damage;
  readonly #overlays;
  readonly #rows: OverlayRows;

  constructor(
    db: Db,
    readonly log: RawLog,
  ) {
    this.#rows = new OverlayRows(db);
    this.#overlays = db.prepare<[string, string, string, number], OverlayFile>(
      `SELECT o.id, o.path, o.folder, o.changed, o.problem, o.gone, (SELECT count(*) FROM overlay_version v WHERE v.overlay = o.id) AS versions,
         (SELECT v.bytes FROM overlay_version v WHERE v.overlay = o.id ORDER BY v.id DESC LIMIT 1) AS bytes
       FROM overlay o WHERE o.kind IN (SELECT value FROM json_each(?)) AND o.path >= ? AND o.path < ? AND o.folder IN (SELECT directory FROM session WHERE store = ?) ORDER BY o.root, o.path`,
    );
    this.#under = db.prepare<[number, string, string], SourceRow>('SELECT id, key, length, gone FROM source WHERE store = ? AND key >= ? AND key < ? ORDER BY key, generation');
    this.#cursor = db.prepare<[number], { cursor: string | null }>('SELECT cursor FROM source WHERE id = ?');
    this.#damage = db.prepare<[number], Damage>('SELECT place, line, at, bytes, reason FROM damage WHERE source = ? ORDER BY at LIMIT 100');
  }

  /** Of one folder, or of all of a store. */
  of(store: number, keeper: MemoryKeeper, folder: string | null = null): KnownFile[] {
    return keeper.kept.in === 'store' ? this.#inStore(store, keeper.kept, folder) : this.#inOverlay(store, keeper.kept, folder);
  }

  #inStore(store: number, kept: MemoryInStore, folder: string | null): KnownFile[] {
    const prefix = folder === null ? kept.allPrefix : `${kept.pathOf(folder)}/`;
    const files = new Map<string, KnownFile>();
    // Most sources are no memory: they are passed over by their keys.
    for (const { id, key, length, gone } of this.#under.iterate(store, prefix, afterAll(prefix))) {
      const name = kept.fileOf(key);
      if (!name) continue;
      const versions = (files.get(key)?.versions ?? 0) + (length > 0 ? 1 : 0);
      files.set(key, { store, ...name, text: { in: 'log', source: id, length }, gone: gone !== 0, versions, bytes: length, changed: null });
    }
    return [...files.values()].map((file) => {
      const cursor = file.text.in === 'log' ? (this.#cursor.get(file.text.source)?.cursor ?? null) : null;
      return { ...file, ...(cursor === null ? null : kept.stateOf(JSON.parse(cursor) as Json)) };
    });
  }

  #inOverlay(store: number, kept: MemoryInOverlay, folder: string | null): KnownFile[] {
    const prefix = folder === null ? '.' : `${kept.filedUnder(folder)}/`;
    return this.#overlays.all(JSON.stringify(kept.kinds), prefix, afterAll(prefix), store).flatMap(({ id, path, folder: owner, changed, problem, gone, versions, bytes }): KnownFile[] => {
      const place = `${owner.replace(/[\\/]+$/, '')}/${path}`;
      const name = kept.fileOf(place);
      if (!name || (folder !== null && name.folder !== folder)) return [];
      return [{ store, ...name, text: { in: 'overlay', overlay: id, place, problem }, gone: gone !== null, versions, bytes: bytes ?? 0, changed }];
    });
  }

  /** The last text that was read; null when there is none. */
  text(file: KnownFile): string | null {
    const bytes = file.text.in === 'log' ? this.#logged(file.text, file.bytes) : this.#rows.content(file.text.overlay);
    if (!bytes) return null;
    const text = bytes.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  #logged({ source, length }: { source: number; length: number }, bytes: number): Buffer | null {
    if (length === 0) return bytes === 0 ? Buffer.alloc(0) : null;
    return this.log.read(source, 0, length, textLimit);
  }

  damage({ text }: KnownFile): Damage[] {
    if (text.in === 'log') return this.#damage.all(text.source);
    return text.problem === null ? [] : [{ place: text.place, line: null, at: null, bytes: null, reason: text.problem }];
  }
}

/** The first text behind all that begin with a prefix. */
export const afterAll = (prefix: string): string => prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
