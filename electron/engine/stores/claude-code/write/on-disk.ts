import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { ExpectedFile, FileContent } from '../../store';

/** Bytes read at once. */
const pieceBytes = 1024 * 1024;

/** A plain file of the store as it is now; null when there is none. Links are not followed. */
export function fileAt(path: string): Stats | null {
  try {
    const stat = lstatSync(path);
    return stat.isFile() ? stat : null;
  } catch {
    return null;
  }
}

/** Why a transcript is not written to: it is a link, or `otherwise`. */
export const noTranscript = (path: string | undefined, otherwise: string): string =>
  path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? `${path} is a link: links are not followed.` : otherwise;

/** The bytes of a file, read anew each time it is asked. It fails when the file was changed in length since: then the plan does not hold. */
export function contentOf(path: string, size: number): FileContent {
  return {
    size,
    *pieces() {
      const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
      try {
        if (fstatSync(fd).size !== size) throw new Error(`${path} changed since the plan was made.`);
        for (let at = 0; at < size; ) {
          const room = Buffer.allocUnsafe(Math.min(pieceBytes, size - at));
          const got = readSync(fd, room, 0, room.length, at);
          if (got === 0) throw new Error(`${path} changed since the plan was made.`);
          yield room.subarray(0, got);
          at += got;
        }
      } finally {
        closeSync(fd);
      }
    },
  };
}

export const contentOfBytes = (bytes: Uint8Array): FileContent => ({ size: bytes.length, pieces: () => [bytes] });

/** What a file must still hold, and whether its last line has an end. Null when it is not there or cannot be read. */
export function expectedAt(path: string): { before: Extract<ExpectedFile, { state: 'present' }>; endsInLine: boolean } | null {
  const stat = fileAt(path);
  if (!stat) return null;
  const hash = createHash('sha256');
  let last = 0x0a;
  try {
    for (const piece of contentOf(path, stat.size).pieces()) {
      hash.update(piece);
      last = piece.at(-1) ?? last;
    }
  } catch {
    return null;
  }
  return { before: { state: 'present', sha256: hash.digest('hex'), bytes: stat.size }, endsInLine: last === 0x0a };
}

/** Names in a folder; none when it is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** All plain files below a folder, in name order, and what stands there besides. Stops at a number of files: then null. */
export function filesBelow(folder: string, atMost: number): { files: string[]; others: string[] } | null {
  const found: { files: string[]; others: string[] } = { files: [], others: [] };
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of namesIn(at).toSorted()) {
      const path = join(at, name);
      const stat = statOf(path);
      if (stat?.isDirectory()) waiting.push(path);
      else if (stat?.isFile()) found.files.push(path);
      else if (stat) found.others.push(path);
      if (found.files.length + found.others.length + waiting.length > atMost) return null;
    }
  }
  return found;
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** Some bytes of a file's end, or of its beginning; empty when it cannot be read. */
export function textOfEnd(path: string, bytes: number, end: 'first' | 'last' = 'last'): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(fd);
    const room = Buffer.allocUnsafe(Math.min(bytes, size));
    const got = readSync(fd, room, 0, room.length, end === 'first' ? 0 : size - room.length);
    return room.toString('utf8', 0, got);
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}
