import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileContent } from '../../stores/store';
import { Refused } from '../refused';
import { type HeldFolder, isSame } from './folder';
import type { DiskFact, FileSystem } from './machine';

/** Bytes read or written in one call, and after how many the engine answers others in between. */
const pieceBytes = 1024 * 1024;
const turnBytes = 16 * pieceBytes;

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A file as it was looked at: what it holds by its hash, and what tells at a glance that it is still the same. */
export interface SeenFile {
  sha256: string;
  fact: DiskFact;
}

/** A file of a folder, read whole once; null where there is none. A link, and what is no file, is refused; one that changes meanwhile is somebody's at work. */
export async function seeFile(folder: HeldFolder, name: string): Promise<SeenFile | null> {
  const { files } = folder;
  const path = `${folder.path}/${name}`;
  const before = folder.look(name);
  if (before === null) return null;
  if (before.kind === 'link') throw new Refused(`${path} is a link: links are not followed.`);
  if (before.kind !== 'file') throw new Refused(`${path} is no file.`);
  const handle = files.open(folder.at(name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!isSame(files.fact(handle), before)) throw new Refused(`${path} was replaced while it was looked at.`, true);
    const hash = createHash('sha256');
    for await (const piece of readPieces(files, handle)) hash.update(piece);
    const after = files.fact(handle);
    if (after.size !== before.size || after.modified !== before.modified) throw new Refused(`${path} is being written: it changed while it was looked at.`);
    return { sha256: hash.digest('hex'), fact: after };
  } finally {
    files.close(handle);
  }
}

/** True while a file looks as it did: its place, its size and its time. */
export const looksSame = (now: DiskFact | null, then: DiskFact): boolean => now !== null && isSame(now, then) && now.size === then.size && now.modified === then.modified;

export async function* readPieces(files: FileSystem, handle: number): AsyncIterable<Uint8Array> {
  const buffer = Buffer.alloc(pieceBytes);
  for (let done = 0; ; ) {
    const length = files.read(handle, buffer);
    if (length === 0) return;
    yield buffer.subarray(0, length);
    done += length;
    if (done % turnBytes < pieceBytes) await nextTurn();
  }
}

export interface WrittenFile {
  sha256: string;
  bytes: number;
}

/** Writes a new file, whole and flushed, and says what it holds. It must not be there. `stopped` throws when the person gave up. */
export async function writeNew(
  files: FileSystem,
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { mode, modified, wrote = () => undefined }: { mode: number; modified?: number | undefined; wrote?: (bytes: number) => void },
): Promise<WrittenFile & { fact: DiskFact }> {
  const handle = files.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    let sinceTurn = 0;
    for await (const piece of pieces) {
      writeAll(files, handle, piece);
      hash.update(piece);
      bytes += piece.length;
      sinceTurn += piece.length;
      wrote(piece.length);
      if (sinceTurn < turnBytes) continue;
      sinceTurn = 0;
      await nextTurn();
    }
    files.setMode(handle, mode);
    if (modified !== undefined) files.setTime(handle, modified);
    files.flush(handle);
    return { sha256: hash.digest('hex'), bytes, fact: files.fact(handle) };
  } finally {
    files.close(handle);
  }
}

export function writeAll(files: FileSystem, handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const wrote = files.write(handle, bytes.subarray(done));
    // A disk that takes nothing and says nothing would be asked for ever.
    if (wrote === 0) throw Object.assign(new Error('The disk took no more bytes.'), { code: 'ENOSPC' });
    done += wrote;
  }
}

/** What a file on the disk holds, as content of a step. It is one of Retrace's own backups: nobody else writes it. */
export function fileContent(files: FileSystem, path: string, size: number): FileContent {
  return {
    size,
    *pieces() {
      const handle = files.open(path, constants.O_RDONLY);
      try {
        for (;;) {
          const buffer = Buffer.alloc(pieceBytes);
          const length = files.read(handle, buffer);
          if (length === 0) return;
          yield buffer.subarray(0, length);
        }
      } finally {
        files.close(handle);
      }
    },
  };
}
