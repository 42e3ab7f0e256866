import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** Bytes asked of the disk at a time. */
const blockBytes = 1024 * 1024;
/** Bytes at either end that tell a grown file from another one of the same name. */
const probeBytes = 4096;

/** A file as it was when it was last looked at. JSON by its shape. */
export type Stamp = { size: number; mtimeMs: number; ctimeMs: number; ino: number };

/** What must be the same for a file to hold what was read of it. JSON by its shape. */
export type Probe = { offset: number; head: string; tail: string };

const stampFrom = ({ size, mtimeMs, ctimeMs, ino }: Stats): Stamp => ({ size, mtimeMs, ctimeMs, ino });

/** Null where there is no plain file, or none that may be looked at. */
export function stampOf(path: string): Stamp | null {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stampFrom(stats) : null;
  } catch {
    return null;
  }
}

/** Why a path may not be looked at; null where it may, or where nothing is there. */
export function refusalAt(path: string): string | null {
  try {
    statSync(path);
    return null;
  } catch (error) {
    return isMissing(error) ? null : faultOf(error);
  }
}

export const sameStamp = (a: Stamp, b: Stamp): boolean => a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;

/** A file open for reading; nothing beyond the size it had when it was opened is read. */
export class OpenFile {
  readonly #fd: number;
  readonly stamp: Stamp;
  /** Hash of the beginning as it was read first: a file written over meanwhile is then seen to be another. */
  #head: string | null = null;

  constructor(readonly path: string) {
    // A FIFO put in the place of a history must not hold us up.
    this.#fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    this.stamp = stampFrom(fstatSync(this.#fd));
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Fewer bytes than asked for only where the file ends. */
  read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.stamp.size - at)));
    let have = 0;
    while (have < bytes.length) {
      const got = readSync(this.#fd, bytes, have, Math.min(blockBytes, bytes.length - have), at + have);
      if (got === 0) break;
      have += got;
    }
    return bytes.subarray(0, have);
  }

  /** Just behind the next LF from here on; null when there is none. */
  lineEnd(from: number): number | null {
    for (let at = from; at < this.stamp.size; at += blockBytes) {
      const found = this.read(at, blockBytes).indexOf(10);
      if (found >= 0) return at + found + 1;
    }
    return null;
  }

  probe(offset: number): Probe {
    const length = Math.min(probeBytes, offset);
    const head = length === probeBytes ? (this.#head ??= hashOf(this.read(0, length))) : hashOf(this.read(0, length));
    return { offset, head, tail: hashOf(this.read(offset - length, length)) };
  }

  /** A file that only grew still holds what was read at the same place. */
  holds(probe: Probe): boolean {
    if (this.stamp.size < probe.offset) return false;
    const now = this.probe(probe.offset);
    return now.head === probe.head && now.tail === probe.tail;
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64').slice(0, 22);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '');

export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

export const isDiskFault = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

/** What a refused file operation means, in words. */
export function faultOf(error: unknown): string {
  const words: Record<string, string> = {
    EACCES: 'permission denied', EPERM: 'permission denied', EIO: 'the disk reports an error', ELOOP: 'its links go in a circle', EMFILE: 'too many files are open',
  };
  const code = codeOf(error);
  return words[code] ?? (code || (error instanceof Error ? error.message : String(error)));
}
