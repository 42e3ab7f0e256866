import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { ZstdReader } from './zstd';

/** Bytes asked of the disk at a time. */
const blockBytes = 1024 * 1024;

/**
 * The text of a rollout by offset, packed or not. Offsets are those of the text. A packed file can only be read
 * onwards: asking for an earlier place begins it again.
 */
export interface Text {
  /** Bytes of the text; null when only reading to the end can tell. */
  readonly size: number | null;
  /** Reads up to `length` bytes from `offset`; none only at the end. */
  read(offset: number, target: Buffer, start: number, length: number): number;
  close(): void;
}

/** The text of a file. */
export interface Bytes extends Text {
  readonly stat: Stats;
}

/** Opens a file for reading only. Nothing beyond the size it has now is read. Throws what the system throws. */
export function openBytes(path: string, packed: boolean): Bytes {
  // A FIFO put in the place of a rollout must not hold us up.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    return packed ? new PackedBytes(fd, stat) : new PlainBytes(fd, stat);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Fills a room from `start` on, or as much of it as the text has; returns where it ends. */
export function readFully(bytes: Text, offset: number, room: Buffer, start: number): number {
  let have = start;
  while (have < room.length) {
    const got = bytes.read(offset + have - start, room, have, room.length - have);
    if (got === 0) break;
    have += got;
  }
  return have;
}

class PlainBytes implements Bytes {
  readonly size: number;

  constructor(
    readonly fd: number,
    readonly stat: Stats,
  ) {
    this.size = stat.size;
  }

  read(offset: number, target: Buffer, start: number, length: number): number {
    const wanted = Math.min(length, this.size - offset);
    let have = 0;
    while (have < wanted) {
      const got = readSync(this.fd, target, start + have, Math.min(blockBytes, wanted - have), offset + have);
      if (got === 0) break;
      have += got;
    }
    return have;
  }

  close(): void {
    closeSync(this.fd);
  }
}

class PackedBytes implements Bytes {
  readonly size = null;
  #reader: ZstdReader;
  #offset = 0;

  constructor(
    readonly fd: number,
    readonly stat: Stats,
  ) {
    this.#reader = new ZstdReader(fd);
  }

  /** Gives what one step unfolds, so that damage further on costs nothing of it. */
  read(offset: number, target: Buffer, start: number, length: number): number {
    if (offset < this.#offset) {
      this.#reader = new ZstdReader(this.fd);
      this.#offset = 0;
    }
    const passed = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(0, offset - this.#offset)));
    while (this.#offset < offset) if (this.#take(passed, 0, Math.min(passed.length, offset - this.#offset)) === 0) return 0;
    return this.#take(target, start, length);
  }

  #take(target: Buffer, start: number, length: number): number {
    const got = this.#reader.read(target, start, length);
    this.#offset += got;
    return got;
  }

  close(): void {
    closeSync(this.fd);
  }
}
