import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FolderState } from '@shared/contract';
import type { RevertReason } from '@shared/model';
import { mapped } from '../library/surroundings';
import { look, type Reach } from '../queries/folder-state';
import { isWindowsSpelling } from '../stores/foreign/spelling';
import { blobId, bytesContent, type Content } from '../diff/content';
import { isSafePath } from '../diff/patch-writer';
import { relativeTo } from '../diff/paths';

/** Bytes of one file that are read from a project's folder; a larger one is not compared. */
export const diskLimit = 4_000_000;

/** A file as it lies in the project's folder now, or why it was not looked at. */
export type DiskFile =
  /** `links`: names it has on the disk; a file with two is one file in two places. `sha256` in hex, of all its bytes. */
  | { state: 'read'; content: Content; links: number; sha256: string; bytes: number }
  | { state: 'absent' }
  | { state: 'refused'; reason: RevertReason };

export interface LookedFolder {
  recorded: string | null;
  looked: string | null;
  state: FolderState['state'];
  reason: string | null;
}

/**
 * The folders a session worked in, for reading files of them. A path is taken step by step from the folder, and none of
 * its steps may be a link: so nothing outside of it is ever read, whatever a transcript names.
 */
export class ProjectFiles {
  readonly #roots = new Map<string, LookedFolder>();

  /** `folders`: as recorded, the session's own first. */
  constructor(
    readonly folders: readonly string[],
    readonly reach: Reach,
  ) {}

  /** Where the session's own folder is. */
  async folder(): Promise<LookedFolder> {
    const [own] = this.folders;
    return own === undefined ? { recorded: null, looked: null, state: 'not looked at', reason: 'No folder is recorded.' } : this.#root(own);
  }

  async read(path: string): Promise<DiskFile> {
    const found = await this.#look(path);
    if (found.state !== 'read') return found;
    const { bytes, links } = found;
    return { state: 'read', content: bytesContent(bytes, blobId(bytes)), links, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
  }

  /** Its bytes as they are now; null where it may not be looked at, or is not there. */
  async bytes(path: string): Promise<Buffer | null> {
    const found = await this.#look(path);
    return found.state === 'read' ? found.bytes : null;
  }

  async #look(path: string): Promise<LookedBytes> {
    if (this.folders.length === 0) return refused('no folder');
    const inside = this.#inside(path);
    if (inside === null) return refused('outside');
    const { folder, steps } = inside;
    // On this system a backslash is a letter of a name, in what the path was taken apart by it is a border.
    const isForeign = path.includes('\\') && !isWindowsSpelling(path) && this.reach.platform !== 'win32';
    if (isForeign || !isSafePath(steps.join('/'))) return refused('unsafe');
    const root = await this.#root(folder);
    if (root.looked === null || root.state !== 'present') return refused(root.state === 'missing' ? 'folder gone' : 'folder not looked at');
    try {
      return await readBelow(root.looked, steps);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return { state: 'absent' };
      return refused(code === 'ELOOP' ? 'link' : 'not readable');
    }
  }

  /** Where a recorded path lies on this disk: the folder it may not leave, and the file. Null where `read` would refuse the path. */
  async place(path: string): Promise<{ root: string; file: string } | null> {
    const inside = this.#inside(path);
    const root = inside && (await this.#root(inside.folder));
    return root?.looked != null && inside !== null && isSafePath(inside.steps.join('/')) ? { root: root.looked, file: join(root.looked, ...inside.steps) } : null;
  }

  #inside(path: string): { folder: string; steps: string[] } | null {
    for (const folder of this.folders) {
      const relative = relativeTo(path, folder);
      if (relative !== null) return { folder, steps: relative.split('/') };
    }
    return null;
  }

  async #root(recorded: string): Promise<LookedFolder> {
    const known = this.#roots.get(recorded);
    if (known) return known;
    const looked = mapped(recorded, this.reach);
    const root = { recorded, looked, ...(await look(looked, this.reach)) };
    this.#roots.set(recorded, root);
    return root;
  }
}

type LookedBytes = { state: 'read'; bytes: Buffer; links: number } | Exclude<DiskFile, { state: 'read' }>;

const refused = (reason: RevertReason): Exclude<DiskFile, { state: 'read' }> => ({ state: 'refused', reason });

async function readBelow(root: string, steps: readonly string[]): Promise<LookedBytes> {
  let at = root;
  for (const step of steps.slice(0, -1)) {
    at = join(at, step);
    const fact = await lstat(at);
    if (fact.isSymbolicLink()) return refused('link');
    // A file stands where the folder was: what lay in it is gone.
    if (!fact.isDirectory()) return { state: 'absent' };
  }
  const file = join(at, steps.at(-1) ?? '');
  const fact = await lstat(file);
  if (fact.isSymbolicLink()) return refused('link');
  if (!fact.isFile()) return refused('no file');
  if (fact.size > diskLimit) return refused('too large');
  // Between the look and the opening a step could have become a link: the opened place is told by the system itself.
  const folder = join(await realpath(root), ...steps.slice(0, -1));
  if ((await realpath(at)) !== folder) return refused('link');
  const handle = await open(folder + sep + (steps.at(-1) ?? ''), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return refused('no file');
    // One byte over the limit tells a file that grows while it is read.
    const bytes = Buffer.alloc(Math.min(opened.size, diskLimit) + 1);
    let length = 0;
    for (let more = true; more && length < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      more = bytesRead > 0;
    }
    if (length > diskLimit) return refused('too large');
    return { state: 'read', bytes: bytes.subarray(0, length), links: opened.nlink };
  } finally {
    await handle.close();
  }
}
