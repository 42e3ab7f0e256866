import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { Damage } from '@shared/model';
import { batchBytes, type KnownSource, type RawBatch, recordLimit, type SourceChange } from '../store';
import { type Cursor, cursorOf, hashOf, probeBytes, toJson, withdrawn } from './cursor';
import { faultOf, isMissing, type ListedFile } from './listing';
import type { SourceKind } from './places';

/** Bytes asked of the disk at a time. */
const blockBytes = 1024 * 1024;
/** A room holds a batch and the line that begins at its end. */
const usualRoom = batchBytes + blockBytes;
const lineEnd = 10;
/** Milliseconds after its last write in which a line without an end is taken for one that is still being written. */
const writingFor = 10_000;
/** Bytes of a memory file that are read; the program itself loads 25,000 of an index. A larger file is named, not read. */
export const memoryLimit = 1024 * 1024;

/**
 * Reads what is new in a file, as batches of whole lines. The stream's offsets are the file's own offsets: a line over
 * `recordLimit` leaves a gap, and the stream goes on at that line's end, so that lines can still be counted.
 * The file is opened for reading only; nothing beyond the size it had when it was opened is read.
 */
export function* readSource(change: SourceChange, known: KnownSource | undefined, limit = recordLimit): Iterable<RawBatch> {
  if (change.handle === null) {
    yield { source: change.key, restarts: true, at: 0, bytes: new Uint8Array(), cursor: toJson(withdrawn), damage: [] };
    return;
  }
  const file = change.handle as ListedFile;
  const before = known ? cursorOf(known.cursor) : null;
  let fd: number;
  try {
    // A FIFO put in the place of a transcript must not hold us up.
    fd = openSync(file.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (!isMissing(error)) yield refusal(file, before, file.stat, `cannot be opened: ${faultOf(error)}`, false);
    return;
  }
  const reading = new Reading(file, fd, file.place.kind === 'memory' ? Math.min(limit, memoryLimit) : limit);
  try {
    yield* reading.batches(before);
  } catch (error) {
    if (!isDiskFault(error)) throw error;
    // The time stamps are left out, so that the next pass tries again.
    const kept = reading.begun ? reading.cursor : before;
    yield refusal(file, kept, null, `cannot be read on from byte ${kept?.offset ?? 0}: ${faultOf(error)}`, reading.restarts);
  } finally {
    closeSync(fd);
  }
}

const isDiskFault = (error: unknown): boolean => error instanceof Error && 'syscall' in error && error.syscall === 'read';

/** Nothing more could be read: the place is named once, and tried again when the file or its rights change, or, without `stat`, at the next pass. */
function refusal(file: ListedFile, cursor: Cursor | null, stat: Stats | null, reason: string, restarts: boolean): RawBatch {
  const kept = cursor ?? { offset: 0, line: 0, head: hashOf(new Uint8Array()), tail: hashOf(new Uint8Array()) };
  const seen = stat ? { size: stat.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs, ino: stat.ino } : { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 };
  return {
    source: file.key, restarts, at: kept.offset, bytes: new Uint8Array(), cursor: toJson({ ...kept, ...seen }),
    damage: [{ place: file.key, line: null, at: kept.offset, bytes: null, reason }],
  };
}

/** How a kind of file is cut: by lines, in one piece (it is one JSON text), or anywhere. */
const shape: Record<SourceKind, 'lines' | 'whole' | 'bytes'> = {
  transcript: 'lines', agent: 'lines', meta: 'whole', title: 'whole', todos: 'whole', task: 'whole', job: 'whole', output: 'bytes', memory: 'whole',
};

class Reading {
  readonly #size: number;
  readonly #written: number;
  readonly #shape;
  /** What has been read so far, as the next pass must know it. */
  cursor: Cursor;
  /** True once it is known where reading goes on. */
  begun = false;
  /** True until the batch that says so: the stream begins anew. */
  restarts = false;

  constructor(
    readonly file: ListedFile,
    readonly fd: number,
    readonly limit: number,
  ) {
    const stat = fstatSync(fd);
    this.#size = stat.size;
    this.#written = stat.mtimeMs;
    this.#shape = shape[file.place.kind];
    const empty = hashOf(new Uint8Array());
    this.cursor = { size: stat.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs, ino: stat.ino, offset: 0, line: 0, head: empty, tail: empty };
  }

  *batches(before: Cursor | null): Iterable<RawBatch> {
    if (before && this.#shape === 'lines' && this.#continues(before)) {
      this.cursor = { ...this.cursor, offset: before.offset, line: before.line, head: before.head, tail: before.tail };
    } else {
      this.restarts = before !== null;
    }
    this.begun = true;
    let sent = false;
    for (const batch of this.#shape === 'whole' ? this.#whole() : this.#lines()) {
      sent = true;
      yield batch;
    }
    // Even without new bytes the library must learn what the file looks like now.
    if (!sent) yield this.#batch(this.cursor.offset, new Uint8Array(), []);
  }

  /** A file that only grew still holds what was read at the same place. */
  #continues(before: Cursor): boolean {
    if (this.#size < before.offset) return false;
    return this.#hash(0, Math.min(probeBytes, before.offset)) === before.head && this.#tailHash(before.offset) === before.tail;
  }

  *#whole(): Iterable<RawBatch> {
    if (this.#size > this.limit) {
      this.#advance(this.#size, 0);
      yield this.#batch(0, new Uint8Array(), [this.#damage(1, 0, this.#size, `larger than the limit of ${megabytes(this.limit)} for one record: not read`)]);
      return;
    }
    const bytes = this.#read(0, this.#size);
    this.#advance(bytes.length, 0);
    yield this.#batch(0, bytes, []);
  }

  *#lines(): Iterable<RawBatch> {
    let room = Buffer.allocUnsafe(Math.min(usualRoom, this.#size - this.cursor.offset));
    let held = 0;
    for (;;) {
      held += this.#fill(room, held);
      const ended = held < room.length || this.cursor.offset + held >= this.#size;
      let from = 0;
      for (let cut = this.#cut(room, from, held); cut > from; cut = this.#cut(room, from, held)) {
        const start = this.cursor.offset;
        const bytes = room.subarray(from, cut);
        this.#advance(start + bytes.length, this.#shape === 'lines' ? countLineEnds(bytes) : 0);
        yield this.#batch(start, bytes, []);
        from = cut;
      }
      const rest = room.subarray(from, held);
      if (this.#shape === 'lines' && this.#exceeds(rest)) {
        if (!(yield* this.#skipLine(rest))) return;
        room = Buffer.allocUnsafe(Math.min(usualRoom, this.#size - this.cursor.offset));
        held = 0;
        continue;
      }
      if (ended) {
        if (rest.length > 0) yield* this.#rest(rest);
        return;
      }
      // A batch keeps the room it was read into; the line that it did not take whole moves to a new one.
      room = Buffer.allocUnsafe(Math.max(usualRoom, Math.min(rest.length * 2, this.limit + usualRoom)));
      rest.copy(room);
      held = rest.length;
    }
  }

  /** Reads until the room is full or the file ends; returns how many bytes came. */
  #fill(room: Buffer, held: number): number {
    let have = held;
    while (have < room.length) {
      const at = this.cursor.offset + have;
      const got = readSync(this.fd, room, have, Math.min(blockBytes, room.length - have, this.#size - at), at);
      if (got === 0) break;
      have += got;
    }
    return have - held;
  }

  /** Where the next batch ends: after a line end, near `batchBytes` where the room holds more. `from` when there is none. */
  #cut(room: Buffer, from: number, held: number): number {
    if (held === from) return from;
    if (this.#shape === 'bytes') return Math.min(held, from + batchBytes);
    if (this.#exceeds(room.subarray(from, held))) return from;
    const near = held - from > usualRoom ? room.indexOf(lineEnd, from + batchBytes) : -1;
    const end = near >= 0 && near < held ? near : room.lastIndexOf(lineEnd, held - 1);
    if (end < from) return from;
    // Only a room that grew can hold two lines of that length; the first is taken by itself, then the second is looked at.
    return end - from > this.limit ? room.indexOf(lineEnd, from) + 1 : end + 1;
  }

  /** True when the first line is known to be over the limit. */
  #exceeds(bytes: Buffer): boolean {
    if (bytes.length <= this.limit) return false;
    const end = bytes.indexOf(lineEnd);
    return end < 0 || end > this.limit;
  }

  /** The last line has no end: the writer is in the middle of it, or died there. A whole record is taken all the same. */
  *#rest(torn: Buffer): Iterable<RawBatch> {
    const start = this.cursor.offset;
    if (isBlank(torn) || isWholeRecord(torn)) {
      this.#advance(start + torn.length, 0);
      yield this.#batch(start, torn, []);
    } else if (Math.abs(Date.now() - this.#written) < writingFor) {
      // Nothing is said of it yet. Without its time stamps the file is looked at again at the next pass, grown or not.
      this.cursor = { ...this.cursor, size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 };
      yield this.#batch(start, new Uint8Array(), []);
    } else {
      yield this.#batch(start, new Uint8Array(), [this.#damage(this.cursor.line + 1, start, torn.length, 'cut: the last line ends in the middle of a record')]);
    }
  }

  /** Passes over a line that is too long to be held. False when its end is not in the file yet: it is looked at again when the file grows. */
  *#skipLine(begun: Buffer): Generator<RawBatch, boolean> {
    const start = this.cursor.offset;
    const known = begun.indexOf(lineEnd);
    const end = known >= 0 ? start + known : this.#findLineEnd(start + begun.length);
    const bytes = (end ?? this.#size) - start;
    const damage = this.#damage(this.cursor.line + 1, start, bytes, `a record of ${megabytes(bytes)}, over the limit of ${megabytes(this.limit)}: not read`);
    yield this.#batch(start, new Uint8Array(), [damage]);
    if (end === null) return false;
    this.#advance(end + 1, 1);
    yield this.#batch(end, Buffer.from([lineEnd]), []);
    return true;
  }

  #findLineEnd(from: number): number | null {
    const block = Buffer.allocUnsafe(blockBytes);
    for (let at = from; at < this.#size; ) {
      const got = readSync(this.fd, block, 0, Math.min(blockBytes, this.#size - at), at);
      if (got === 0) return null;
      const end = block.subarray(0, got).indexOf(lineEnd);
      if (end >= 0) return at + end;
      at += got;
    }
    return null;
  }

  #batch(at: number, bytes: Uint8Array, damage: Damage[]): RawBatch {
    const { restarts } = this;
    this.restarts = false;
    return { source: this.file.key, restarts, at, bytes, cursor: toJson(this.cursor), damage };
  }

  #advance(offset: number, lines: number): void {
    // Once it is whole the beginning is remembered as it was read: a file written over meanwhile is then seen to be another.
    const head = this.cursor.offset >= probeBytes ? this.cursor.head : this.#hash(0, Math.min(probeBytes, offset));
    this.cursor = { ...this.cursor, offset, line: this.cursor.line + lines, head };
    this.cursor.tail = this.#tailHash(offset);
  }

  #tailHash(offset: number): string {
    const from = Math.max(0, offset - probeBytes);
    return this.#hash(from, offset - from);
  }

  #hash(from: number, length: number): string {
    return hashOf(this.#read(from, length));
  }

  #read(from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let have = 0;
    while (have < length) {
      const got = readSync(this.fd, bytes, have, Math.min(blockBytes, length - have), from + have);
      if (got === 0) break;
      have += got;
    }
    return bytes.subarray(0, have);
  }

  #damage(line: number, at: number, bytes: number, reason: string): Damage {
    return { place: this.file.key, line: this.#shape === 'lines' ? line : null, at, bytes, reason };
  }
}

function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) count++;
  return count;
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);

function isWholeRecord(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const megabytes = (bytes: number): string => (bytes < 1e6 ? `${bytes.toLocaleString('en-US')} bytes` : `${(bytes / 1e6).toFixed(1)} MB`);
