import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from '@shared/model';
import { isPacked, keyOfName } from './names';

/** A rollout file as it lies in the home. */
export interface ListedFile {
  key: string;
  path: string;
  /** Relative to the home, with `/`. */
  place: string;
  archived: boolean;
  packed: boolean;
  stat: Stats;
  /** Other files that hold the same rollout: a crash while archiving or packing leaves two. */
  twins: string[];
}

export interface Listing {
  files: Map<string, ListedFile>;
  /** Folders that could not be looked into: what is known below them is neither there nor gone. */
  closed: boolean;
  damage: Damage[];
}

/** Folder levels below `sessions/`: year, month, day; the oldest shape lies flat, archived ones too. */
const deepest = 4;

/** Finds every rollout by names and `stat` alone; what is not a plain file is never opened. */
export function listRollouts(home: string): Listing {
  const listing: Listing = { files: new Map(), closed: false, damage: [] };
  const seen = new Set<string>();
  for (const top of ['sessions', 'archived_sessions']) walk(home, top, listing, seen, 1);
  return listing;
}

/** Why the home as a whole may not be looked into; null when it may. */
export function refusalAt(home: string): string | null {
  try {
    lstatSync(join(home, 'sessions'));
    return null;
  } catch (error) {
    return faultOf(error) === denied ? denied : null;
  }
}

function walk(home: string, folder: string, listing: Listing, seen: Set<string>, depth: number): void {
  let entries: Dirent[];
  try {
    entries = readdirSync(join(home, folder), { withFileTypes: true });
  } catch (error) {
    if (!isMissing(error)) refuse(listing, folder, error);
    return;
  }
  for (const entry of entries) {
    const place = `${folder}/${entry.name}`;
    const key = keyOfName(entry.name);
    if (entry.isDirectory() || entry.isSymbolicLink() || key !== null) look(home, place, key, listing, seen, depth);
  }
}

function look(home: string, place: string, key: string | null, listing: Listing, seen: Set<string>, depth: number): void {
  const path = join(home, place);
  let stat: Stats;
  try {
    stat = statSync(path);
  } catch (error) {
    if (!isMissing(error)) refuse(listing, place, error);
    // What stands for bytes that are no character is another name than the file's.
    else if (place.includes('\ufffd')) name(listing, place, 'cannot be looked at: its name is not UTF-8');
    else if (key !== null && isLink(path)) name(listing, place, 'not a file: its link leads nowhere');
    return;
  }
  if (key !== null && !stat.isFile()) name(listing, place, stat.isDirectory() ? 'not a file: it is a folder' : 'not a file');
  if (stat.isDirectory()) {
    const identity = `${stat.dev}:${stat.ino}`;
    // Two ways to one folder would show it twice. Some network file systems give every folder the number 0.
    if (depth >= deepest || (stat.ino !== 0 && seen.has(identity))) return;
    seen.add(identity);
    walk(home, place, listing, seen, depth + 1);
  } else if (stat.isFile() && key !== null) {
    add(listing, { key, path, place, archived: place.startsWith('archived_sessions/'), packed: isPacked(path), stat, twins: [] });
  }
}

/** Of two files of one rollout the plain one in `sessions` is what Codex reads; the other is named. */
function add(listing: Listing, file: ListedFile): void {
  const known = listing.files.get(file.key);
  if (!known) {
    listing.files.set(file.key, file);
    return;
  }
  const rank = ({ archived, packed }: ListedFile) => (archived ? 2 : 0) + (packed ? 1 : 0);
  const [first, second] = rank(known) <= rank(file) ? [known, file] : [file, known];
  listing.files.set(file.key, { ...first, twins: [...first.twins, ...second.twins, second.place] });
}

function name(listing: Listing, place: string, reason: string): void {
  listing.damage.push({ place, line: null, at: null, bytes: null, reason });
}

/** A link that leads nowhere is there; a file that was deleted just now is not. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function refuse(listing: Listing, place: string, error: unknown): void {
  listing.closed = true;
  name(listing, place, `cannot be looked at: ${faultOf(error)}`);
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '');

export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

const denied = 'permission denied';

/** What a refused file operation means, in words. */
export function faultOf(error: unknown): string {
  const words: Record<string, string> = {
    EACCES: denied, EPERM: denied, EIO: 'the disk reports an error', ELOOP: 'its links go in a circle', EMFILE: 'too many files are open',
    ERR_BUFFER_TOO_LARGE: 'its packed data unfolds to more than a text can be',
  };
  const code = codeOf(error);
  if (words[code]) return words[code];
  if (code.startsWith('ZSTD')) return 'its packed data is damaged';
  return code || (error instanceof Error ? error.message : String(error));
}

/** Faults of the disk or of packed data; anything else is our own. */
export const isReadFault = (error: unknown): boolean =>
  (error instanceof Error && 'syscall' in error && error.syscall === 'read') || codeOf(error).startsWith('ZSTD') || codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
