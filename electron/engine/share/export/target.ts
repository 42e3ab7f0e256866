import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import type { ExportRefusal } from '@shared/model';

/** Where exports may not go. */
export interface ForbiddenPlaces {
  /** Folders of stores: nothing is written there. */
  folders: readonly string[];
  /** The library, and what begins with its name beside it. */
  library: string;
}

/** Histories that lie in a project's folder are not in a folder of a store. */
const histories = /^\.aider\./;

/** Bytes written at once. */
const blockBytes = 1 << 20;

/**
 * The file of an export: written under another name beside the target, which it takes only when it is whole. Until then
 * the target is as it was, and what was written goes away when the export is cancelled or fails.
 */
export class TargetFile {
  readonly #part: string;
  readonly #hash = createHash('sha256');
  #file: number | null;
  #held: Buffer[] = [];
  #size = 0;
  bytes = 0;

  private constructor(
    readonly path: string,
    readonly overwrite: boolean,
  ) {
    this.#part = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.part`);
    this.#file = openSync(this.#part, 'wx', 0o600);
  }

  static open(path: string, overwrite: boolean, places: ForbiddenPlaces): TargetFile | ExportRefusal {
    const refusal = refuseTarget(path, overwrite, places);
    if (refusal) return refusal;
    try {
      return new TargetFile(path, overwrite);
    } catch (error) {
      return failed(path, error);
    }
  }

  write(chunk: string | Uint8Array): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    this.#held.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= blockBytes) this.#flush();
  }

  #flush(): void {
    if (this.#file === null) return;
    const block = Buffer.concat(this.#held);
    this.#held = [];
    this.#size = 0;
    for (let at = 0; at < block.length; ) at += writeSync(this.#file, block, at);
  }

  /** Gives the file its name. A name that was taken meanwhile stays with its owner. */
  finish(): { hash: string } | ExportRefusal {
    try {
      this.#flush();
      if (this.#file !== null) {
        fsyncSync(this.#file);
        closeSync(this.#file);
        this.#file = null;
      }
      if (this.overwrite) renameSync(this.#part, this.path);
      else this.#takeName();
      return { hash: this.#hash.digest('hex') };
    } catch (error) {
      this.discard();
      return (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(this.path) : failed(this.path, error);
    }
  }

  #takeName(): void {
    try {
      linkSync(this.#part, this.path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw error;
      // A file system without links: looked at once more, then renamed.
      if (lstatSync(this.path, { throwIfNoEntry: false })) throw Object.assign(new Error('exists'), { code: 'EEXIST' });
      return renameSync(this.#part, this.path);
    }
    rmSync(this.#part);
  }

  /** Leaves nothing behind. */
  discard(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    rmSync(this.#part, { force: true });
  }
}

/** Why no file may be written at a path; null when it may. */
export function refuseTarget(path: string, overwrite: boolean, { folders, library }: ForbiddenPlaces): ExportRefusal | null {
  const place = (reason: string): ExportRefusal => ({ refused: 'place', reason });
  if (!isAbsolute(path) || path.includes('\0')) return place(`${path} is not a whole path.`);
  const folder = dirname(path);
  let real: string;
  try {
    if (!statSync(folder).isDirectory()) return place(`${folder} is not a folder.`);
    real = join(realpathSync(folder), basename(path));
  } catch {
    return place(`There is no folder ${folder}.`);
  }
  const store = folders.find((each) => [path, real].some((candidate) => candidate === each || candidate.startsWith(each + sep) || candidate.startsWith(realOf(each) + sep)));
  if (store !== undefined) return place(`${path} lies in ${store}, where an agent keeps its sessions. Choose another folder.`);
  if (histories.test(basename(path))) return place(`${basename(path)} is the name of a history of Aider. Choose another name.`);
  const own = [library, realOf(library)];
  if (own.some((file) => path === file || real === file || real.startsWith(`${file}-`) || real.startsWith(`${file}.`))) return place(`${path} belongs to the library. Choose another name.`);
  let there: ReturnType<typeof lstatSync>;
  try {
    there = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return failed(path, error);
  }
  if (!there) return null;
  if (there.isDirectory()) return place(`${path} is a folder. Name a file.`);
  if (!there.isFile() && !there.isSymbolicLink()) return place(`${path} is not a file.`);
  return overwrite ? null : exists(path);
}

const exists = (path: string): ExportRefusal => ({ refused: 'exists', reason: `${path} is there already.` });

/** A file that the disk did not take. */
export const failed = (path: string, error: unknown): ExportRefusal => ({ refused: 'failed', reason: `${path} could not be written: ${sentenceOf(error)}.` });

function sentenceOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = { EACCES: 'this user may not write there', EPERM: 'this user may not write there', ENOSPC: 'the disk is full', EROFS: 'the disk is read-only', ENOENT: 'its folder takes no files, or is gone', EFBIG: 'it is larger than a file may be there', ENAMETOOLONG: 'the name is too long', EDQUOT: 'the quota is used up' };
  return known[code ?? ''] ?? message;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
