import { hash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { OverlayKind } from '../stores/omo/places';
import type { Db } from './database';

/** A file of an overlay, as the library knows it. */
export interface OverlayRow {
  id: number;
  /** The folder it was read in. */
  root: string;
  /** In that folder, with `/`. */
  path: string;
  /** The same folder as sessions record it: another spelling where `--map` was given. */
  folder: string;
  kind: OverlayKind;
  /** Empty: it was never read. */
  stamp: string;
  /** ms since 1970. */
  changed: number | null;
  problem: string | null;
  /** When it was seen to be gone, ms since 1970. */
  gone: number | null;
}

/** The tables of overlays: what was seen of each file, and every version that was read. */
export class OverlayRows {
  readonly #sql;

  constructor(readonly db: Db) {
    const columns = 'id, root, path, folder, kind, stamp, changed, problem, gone';
    this.#sql = {
      all: db.prepare<[], OverlayRow>(`SELECT ${columns} FROM overlay ORDER BY root, path`),
      of: db.prepare<[string], OverlayRow>(`SELECT ${columns} FROM overlay WHERE root = ?`),
      place: db.prepare<[string, string, string, string, string, number | null, string | null], { id: number }>(
        `INSERT INTO overlay(root, path, folder, kind, stamp, changed, problem) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(root, path) DO UPDATE SET kind = excluded.kind, stamp = excluded.stamp, changed = excluded.changed, problem = excluded.problem, gone = NULL RETURNING id`,
      ),
      refuse: db.prepare(
        `INSERT INTO overlay(root, path, folder, kind, stamp, problem) VALUES (?, ?, ?, ?, '', ?)
         ON CONFLICT(root, path) DO UPDATE SET problem = excluded.problem, gone = NULL`,
      ),
      gone: db.prepare('UPDATE overlay SET gone = ?, problem = NULL WHERE id = ?'),
      drop: db.prepare('DELETE FROM overlay WHERE id = ?'),
      newest: db.prepare<[number], { hash: Buffer; data: Buffer }>('SELECT hash, data FROM overlay_version WHERE overlay = ? ORDER BY id DESC LIMIT 1'),
      versions: db.prepare<[number, number], { data: Buffer }>('SELECT data FROM overlay_version WHERE overlay = ? ORDER BY id DESC LIMIT ?'),
      add: db.prepare('INSERT INTO overlay_version(overlay, time, bytes, hash, data) VALUES (?, ?, ?, ?, ?)'),
    };
  }

  all(): OverlayRow[] {
    return this.#sql.all.all();
  }

  of(root: string): OverlayRow[] {
    return this.#sql.of.all(root);
  }

  /** Files a read file with its content; the same content once more makes no version. */
  write(row: Pick<OverlayRow, 'root' | 'path' | 'folder' | 'kind' | 'stamp' | 'changed'>, bytes: Uint8Array, now: number): void {
    const placed = this.#sql.place.get(row.root, row.path, row.folder, row.kind, row.stamp, row.changed, null);
    if (!placed) throw new Error(`${row.path} could not be filed`);
    const digest = hash('sha256', bytes, 'buffer');
    if (this.#sql.newest.get(placed.id)?.hash.equals(digest)) return;
    this.#sql.add.run(placed.id, now, bytes.length, digest, zstdCompressSync(bytes));
  }

  /** Notes why a place is not read. What was read of it before stays. */
  refuse(row: Pick<OverlayRow, 'root' | 'path' | 'folder' | 'kind'>, problem: string): void {
    this.#sql.refuse.run(row.root, row.path, row.folder, row.kind, problem);
  }

  /** A file that is not there any more: what was read of it stays. A place that was only refused leaves nothing. */
  markGone({ id }: OverlayRow, now: number): void {
    if (this.#sql.newest.get(id)) this.#sql.gone.run(now, id);
    else this.#sql.drop.run(id);
  }

  /** What a file held when it was last read; null when it never was. */
  content(id: number): Buffer | null {
    const newest = this.#sql.newest.get(id);
    return newest ? zstdDecompressSync(newest.data) : null;
  }

  /** The versions of a file, newest first. */
  *versions(id: number, most: number): Iterable<Buffer> {
    for (const { data } of this.#sql.versions.all(id, most)) yield zstdDecompressSync(data);
  }
}
