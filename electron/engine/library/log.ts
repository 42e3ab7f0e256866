import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Db } from './database';

/**
 * Bytes of a chunk before compression. Larger chunks pack better (256 kB: 2 % of the corpus more), smaller ones open
 * faster: a body or a search hit costs one chunk, about 0.6 ms at this size.
 */
const chunkBytes = 512 * 1024;
/** Level 2 packs at 450 MB a second; level 1 takes 1 % of the corpus more, level 3 saves less than that and is slower. */
const level = 2;
/** Chunks kept unpacked: what a screen of the timeline or a page of hits touches again. */
const keptChunks = 16;

interface Chunk {
  source: number;
  at: number;
  bytes: Buffer;
}

/** The append-only log of everything that was read: one stream of bytes a source. */
export class RawLog {
  readonly #insert;
  readonly #find;
  readonly #next;
  #kept = new Map<number, Chunk>();

  constructor(db: Db) {
    this.#insert = db.prepare('INSERT INTO chunk(source, at, bytes, hash, data) VALUES (?, ?, ?, ?, ?)');
    this.#find = db.prepare<[number, number], { id: number; at: number; bytes: number }>(
      'SELECT id, at, bytes FROM chunk WHERE source = ? AND at <= ? ORDER BY at DESC LIMIT 1',
    );
    this.#next = db.prepare<[number], { data: Buffer; hash: Buffer }>('SELECT data, hash FROM chunk WHERE id = ?');
  }

  /** Appends whole records; chunks end at a line end where one is near, so that most records lie in one chunk. */
  append(source: number, at: number, bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; ) {
      const end = chunkEnd(bytes, start);
      const piece = bytes.subarray(start, end);
      // One output buffer that holds nearly every chunk: the default of 16 kB would be filled many times over.
      const data = zstdCompressSync(piece, { chunkSize: Math.max(1_024, piece.length >> 1), params: { [constants.ZSTD_c_compressionLevel]: level } });
      this.#insert.run(source, at + start, piece.length, hash('sha256', piece, 'buffer'), data);
      start = end;
    }
  }

  /** Bytes of a record, at most `limit` of them. Null when the log does not hold that place. */
  read(source: number, at: number, length: number, limit = Infinity): Buffer | null {
    const wanted = Math.min(length, limit);
    const pieces: Buffer[] = [];
    for (let have = 0; have < wanted; ) {
      const chunk = this.#chunkAt(source, at + have);
      if (!chunk) return null;
      const from = at + have - chunk.at;
      const piece = chunk.bytes.subarray(from, from + wanted - have);
      if (piece.length === 0) return null;
      pieces.push(piece);
      have += piece.length;
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  /** The chunks of a stream in order, for projecting it again. */
  *replay(db: Db, source: number): Iterable<{ at: number; bytes: Buffer }> {
    const ids = db.prepare<[number], { id: number; at: number }>('SELECT id, at FROM chunk WHERE source = ? ORDER BY at').all(source);
    for (const { id, at } of ids) yield { at, bytes: this.#unpack(id) };
  }

  /** Rows were taken out, and their numbers may be given out again: nothing that is kept unpacked can be trusted. */
  forget(): void {
    this.#kept.clear();
    this.#last = null;
  }

  /** Where the chunks of a stream lie, each unpacked only when it is read. */
  *pieces(db: Db, source: number): Iterable<{ at: number; end: number; read(): Buffer }> {
    const rows = db.prepare<[number], { id: number; at: number; bytes: number }>('SELECT id, at, bytes FROM chunk WHERE source = ? ORDER BY at').all(source);
    for (const { id, at, bytes } of rows) yield { at, end: at + bytes, read: () => this.#unpack(id) };
  }

  #chunkAt(source: number, at: number): Chunk | null {
    // Records are read in their order: most lie in the chunk that the one before was in, which need not be looked up.
    if (this.#last && this.#last.source === source && holds(this.#last, at)) return this.#last;
    return (this.#last = this.#keptChunk(source, at));
  }
  #last: Chunk | null = null;

  #keptChunk(source: number, at: number): Chunk | null {
    const found = this.#find.get(source, at);
    if (!found || at >= found.at + found.bytes) return null;
    const kept = this.#kept.get(found.id);
    if (kept) {
      this.#kept.delete(found.id);
      this.#kept.set(found.id, kept);
      return kept;
    }
    const chunk = { source, at: found.at, bytes: this.#unpack(found.id) };
    this.#kept.set(found.id, chunk);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > keptChunks && !oldest.done) this.#kept.delete(oldest.value);
    return chunk;
  }

  #unpack(id: number): Buffer {
    const row = this.#next.get(id);
    if (!row) throw new Error(`chunk ${id} is not in the log`);
    return zstdDecompressSync(row.data, { chunkSize: chunkBytes });
  }
}

const holds = ({ at, bytes }: Chunk, place: number): boolean => place >= at && place < at + bytes.length;

/** Ends a chunk after the last line end within its size; a longer record is cut at four times the size. */
function chunkEnd(bytes: Uint8Array, start: number): number {
  if (bytes.length - start <= chunkBytes * 1.25) return bytes.length;
  const near = bytes.lastIndexOf(10, start + chunkBytes);
  if (near > start) return near + 1;
  const far = bytes.indexOf(10, start + chunkBytes);
  const end = far < 0 ? bytes.length : far + 1;
  return Math.min(end, start + chunkBytes * 4);
}
