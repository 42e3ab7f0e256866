import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from '@shared/model';
import { type Place, placeOf } from './places';

export interface ListedFile {
  key: string;
  path: string;
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
  const listing: Listing = { files: [], closed: [], damage: [] };
  const seen = new Set<string>();
  for (const top of ['projects', 'todos', 'tasks', 'jobs']) walk(root, top, listing, seen);
  return listing;
}

function walk(root: string, prefix: string, listing: Listing, seen: Set<string>): void {
  const folder = join(root, prefix);
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (!isMissing(error)) refuse(listing, prefix, error);
    return;
  }
  for (const entry of entries) {
    const key = `${prefix}/${entry.name}`;
    if (entry.isDirectory() || entry.isSymbolicLink()) enter(root, key, entry, listing, seen);
    else if (entry.isFile()) add(root, key, listing);
  }
}

/** A linked project folder is followed, and no folder twice: two ways to one place would show every session twice. */
function enter(root: string, key: string, entry: Dirent, listing: Listing, seen: Set<string>): void {
  if (!isWanted(key)) return;
  const isProject = key.split('/').length === 2;
  if (!isProject && !entry.isSymbolicLink()) return walk(root, key, listing, seen);
  try {
    const stat = statSync(join(root, key));
    if (stat.isFile()) return add(root, key, listing);
    if (!isProject || !stat.isDirectory()) return;
    const identity = `${stat.dev}:${stat.ino}`;
    // Some network file systems give every folder the number 0.
    if (stat.ino !== 0 && seen.has(identity)) return;
    seen.add(identity);
  } catch (error) {
    if (!isMissing(error)) refuse(listing, key, error);
    return;
  }
  walk(root, key, listing, seen);
}

/** Keeps the walk to the folders of FORMAT.md: memory, session environments and the like hold no sessions. */
function isWanted(key: string): boolean {
  const steps = key.split('/');
  if (steps[0] !== 'projects') return steps.length === 2;
  if (steps.length <= 3) return steps[2] !== 'memory';
  return steps.length <= deepest && (steps[3] === 'subagents' || (steps[3] === 'tool-results' && steps.length === 4));
}

function add(root: string, key: string, listing: Listing): void {
  const place = placeOf(key);
  if (!place) return;
  const path = join(root, key);
  try {
    const stat = statSync(path);
    if (stat.isFile()) listing.files.push({ key, path, place, stat });
  } catch (error) {
    if (!isMissing(error)) refuse(listing, key, error);
  }
}

function refuse(listing: Listing, key: string, error: unknown): void {
  listing.closed.push(key);
  listing.damage.push({ place: key, line: null, at: null, bytes: null, reason: `cannot be looked at: ${faultOf(error)}` });
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '');

export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

/** What a refused file operation means, in words. */
export function faultOf(error: unknown): string {
  const words: Record<string, string> = { EACCES: 'permission denied', EPERM: 'permission denied', EIO: 'the disk reports an error', ELOOP: 'its links go in a circle', EMFILE: 'too many files are open' };
  const code = codeOf(error);
  return words[code] ?? (code || (error instanceof Error ? error.message : String(error)));
}
