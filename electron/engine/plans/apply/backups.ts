import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPieces, writeAll, writeNew } from '../disk/content';
import type { HeldFolder } from '../disk/folder';
import type { FileSystem } from '../disk/machine';
import { Refused } from '../refused';

/** The folder in the library's own in which one plan keeps what it replaces. Nobody but this user may look into it. */
export class Backups {
  readonly folder: string;
  #bytes = 0;

  constructor(
    readonly files: FileSystem,
    library: string,
    id: string,
  ) {
    this.folder = join(backupsOf(library), id);
  }

  /** Bytes kept until now. */
  get bytes(): number {
    return this.#bytes;
  }

  make(): void {
    for (const folder of [dirname(this.folder), this.folder]) {
      if (this.files.look(folder) !== null) continue;
      this.files.makeFolder(folder, 0o700);
      flushFolder(this.files, dirname(folder));
    }
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  has(name: string): boolean {
    return this.files.look(this.path(name)) !== null;
  }

  /** Keeps a file of a store or a project as it is; it must hold what the plan says. */
  async keep(folder: HeldFolder, file: string, name: string, sha256: string, wrote: (bytes: number) => void): Promise<void> {
    const handle = this.files.open(folder.at(file), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const kept = await writeNew(this.files, this.path(name), readPieces(this.files, handle), { mode: 0o600, wrote });
      if (kept.sha256 !== sha256) throw new Refused(`${folder.path}/${file} changed since the plan was made.`, true);
      this.#bytes += kept.bytes;
    } finally {
      this.files.close(handle);
    }
  }

  async write(name: string, pieces: Iterable<Uint8Array>): Promise<void> {
    this.#bytes += (await writeNew(this.files, this.path(name), pieces, { mode: 0o600 })).bytes;
  }

  /** The same at once, inside a transaction. What stood there of an attempt that was broken off goes. */
  writeNow(name: string, pieces: Iterable<Uint8Array>): void {
    const path = this.path(name);
    if (this.has(name)) this.files.remove(path);
    const handle = this.files.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      for (const bytes of gathered(pieces)) {
        writeAll(this.files, handle, bytes);
        this.#bytes += bytes.length;
      }
      this.files.flush(handle);
    } finally {
      this.files.close(handle);
    }
    this.flush();
  }

  flush(): void {
    flushFolder(this.files, this.folder);
  }

  /** Takes all of it away: nothing was changed, or all was put back. */
  remove(): void {
    if (this.files.look(this.folder) === null) return;
    for (const name of this.files.names(this.folder)) this.files.remove(this.path(name));
    this.files.removeFolder(this.folder);
  }
}

/** Bytes that small pieces are gathered to: each write is a call. */
const pieceBytes = 1024 * 1024;

function* gathered(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let some: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    some.push(piece);
    bytes += piece.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(some, bytes);
    some = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(some, bytes);
}

/** Where a library's backups lie. */
export const backupsOf = (library: string): string => `${library}.backups`;

function flushFolder(files: FileSystem, folder: string): void {
  // Windows does not open folders; NTFS keeps names in a journal of its own.
  if (process.platform === 'win32') return;
  const handle = files.open(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  try {
    files.flush(handle);
  } finally {
    files.close(handle);
  }
}
