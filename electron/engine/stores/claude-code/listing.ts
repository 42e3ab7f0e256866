import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from '@shared/model';
import { type FilePath, pathIn, toldName } from './file-names';
import { memoryFolder, type Place, placeOf } from './places';

export interface ListedFile {
  key: string;
  path: FilePath;
  place: Place;
  stat: Stats;
}

export interface Listing {
  files: ListedFile[];
  /** Key prefixes that could not be looked into: what is known below them is neither there nor gone. */
  closed: string[];
  damage: Damage[];
}

/** Folder depth below `projects/<dir>/<session>/`; workflow runs keep their agents two levels below `subagents`. */
const deepest = 7;

/** Finds every file of ours by names and `stat` alone; what is not a plain file is never opened. */
export function listStore(root: string): Listing {
  const walk = new Walk();
  for (const top of ['projects', 'todos', 'tasks', 'jobs']) walk.folder(join(root, top), top);
  return walk.listing;
}

/** Why the folder as a whole may not be looked into; null when it may. */
export function refusalAt(root: string): string | null {
  try {
    lstatSync(join(root, 'projects'));
    return null;
  } catch (error) {
    return faultOf(error) === denied ? denied : null;
  }
}

class Walk {
  readonly listing: Listing = { files: [], closed: [], damage: [] };
  /** Project folders that were looked into. */
  readonly #seen = new Set<string>();
  readonly #keys = new Set<string>();

  folder(folder: FilePath, prefix: string): void {
    let entries: Dirent<Buffer>[];
    try {
      entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      if (!isMissing(error)) this.#refuse(prefix, error);
      return;
    }
    for (const entry of entries) {
      const key = `${prefix}/${toldName(entry.name)}`;
      const path = pathIn(folder, entry.name);
      if (entry.isDirectory() || entry.isSymbolicLink()) this.#enter(path, key, entry);
      else if (entry.isFile()) this.#add(path, key);
      else this.#name(key, 'not a file');
    }
  }

  /** A linked project folder is followed, and no folder twice: two ways to one place would show every session twice. */
  #enter(path: FilePath, key: string, entry: Dirent<Buffer>): void {
    if (!isWanted(key)) return;
    const isProject = key.split('/').length === 2;
    if (!entry.isSymbolicLink()) this.#name(key, 'not a file: it is a folder');
    if (!isProject && !entry.isSymbolicLink()) return this.folder(path, key);
    try {
      const stat = statSync(path);
      if (stat.isFile()) return this.#add(path, key);
      if (!isProject || !stat.isDirectory()) {
        // Memory is shared between projects by such links; what they lead to is not of this store, so it is named and not followed.
        const isMemory = stat.isDirectory() && key.split('/')[2] === memoryFolder;
        if (entry.isSymbolicLink()) this.#name(key, stat.isDirectory() ? 'not a file: it is a link to a folder' : 'not a file: its link leads to something else', isMemory);
        return;
      }
      const identity = `${stat.dev}:${stat.ino}`;
      // Some network file systems give every folder the number 0.
      if (stat.ino !== 0 && this.#seen.has(identity)) return;
      this.#seen.add(identity);
    } catch (error) {
      if (!isMissing(error)) this.#refuse(key, error);
      else if (isThere(path)) this.#name(key, 'not a file: its link leads nowhere', isProject);
      return;
    }
    this.folder(path, key);
  }

  #add(path: FilePath, key: string): void {
    const place = placeOf(key);
    if (!place) return;
    // Only a name that is not UTF-8 can be told like another one.
    if (this.#keys.has(key)) return this.#name(key, 'another file’s name is told in the same way: not read');
    this.#keys.add(key);
    try {
      const stat = statSync(path);
      if (stat.isFile()) this.listing.files.push({ key, path, place, stat });
    } catch (error) {
      if (!isMissing(error)) this.#refuse(key, error);
    }
  }

  /** Names what stands in the place of a file of ours. What a tool left among the saved outputs is its own business. */
  #name(key: string, reason: string, always = false): void {
    const place = placeOf(key);
    if (always || (place && place.kind !== 'output')) this.listing.damage.push({ place: key, line: null, at: null, bytes: null, reason });
  }

  #refuse(key: string, error: unknown): void {
    this.listing.closed.push(key);
    this.listing.damage.push({ place: key, line: null, at: null, bytes: null, reason: `cannot be looked at: ${faultOf(error)}` });
  }
}

/** A link that leads nowhere is there; a file that was deleted just now is not. */
function isThere(path: FilePath): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Keeps the walk to the folders of FORMAT.md: session environments and the like hold nothing of ours. */
function isWanted(key: string): boolean {
  const steps = key.split('/');
  if (steps[0] !== 'projects') return steps.length === 2;
  if (steps.length <= 3) return true;
  if (steps[2] === memoryFolder) return steps.length <= deepest;
  return steps.length <= deepest && (steps[3] === 'subagents' || (steps[3] === 'tool-results' && steps.length === 4));
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '');

export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

const denied = 'permission denied';

/** What a refused file operation means, in words. */
export function faultOf(error: unknown): string {
  const words: Record<string, string> = { EACCES: denied, EPERM: denied, EIO: 'the disk reports an error', ELOOP: 'its links go in a circle', EMFILE: 'too many files are open' };
  const code = codeOf(error);
  return words[code] ?? (code || (error instanceof Error ? error.message : String(error)));
}
