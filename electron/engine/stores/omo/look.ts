import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { liesIn } from '../foreign/spelling';
import type { OverlayKind } from './places';

/** Bytes of a file that is read. Plans and states are a few kilobytes; what is larger is named and left. */
export const fileLimit = 1024 * 1024;
/** Files of one folder that are looked at, newest names last: a session leaves one marker. */
const namesLimit = 5_000;

export interface FoundFile {
  /** In the root, with `/`. */
  path: string;
  kind: OverlayKind;
  /** Differs when the file does. */
  stamp: string;
  size: number;
  /** ms since 1970. */
  changed: number;
}

/** A place that is there and could not be looked into, or was not read; what is known of it stays. */
export interface RefusedPlace {
  path: string;
  kind: OverlayKind;
  reason: string;
}

export interface Look {
  files: FoundFile[];
  refused: RefusedPlace[];
}

/** Real paths within which links may lead; null for everywhere. */
export type Bounds = readonly string[] | null;

/** Looks for the overlay's files in a folder, by name and `stat` alone. */
export function lookInto(root: string, places: readonly { kind: OverlayKind; path: string; ending: string }[], bounds: Bounds): Look {
  const look = new Looking(root, bounds);
  for (const place of places) look.at(place);
  return look.found;
}

class Looking {
  readonly found: Look = { files: [], refused: [] };
  /** What a folder holds, by its path: places share folders. */
  readonly #folders = new Map<string, Dirent[]>();

  constructor(
    readonly root: string,
    readonly bounds: Bounds,
  ) {}

  at({ kind, path, ending }: { kind: OverlayKind; path: string; ending: string }): void {
    for (const folder of this.#expanded(path, kind, ending === '')) {
      if (ending === '') this.#single(folder, kind);
      else for (const entry of this.#entries(folder, kind)) if (entry.name.endsWith(ending) && !entry.isDirectory()) this.#file(`${folder}/${entry.name}`, kind, entry.isSymbolicLink());
    }
  }

  /** Puts every folder's name in the place of the `*`. */
  #expanded(path: string, kind: OverlayKind, isFile: boolean): string[] {
    const star = path.indexOf('/*');
    if (star < 0) return [path];
    const folder = path.slice(0, star);
    const rest = path.slice(star + 2);
    if (isFile && rest === '') return [];
    return this.#entries(folder, kind).filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => `${folder}/${name}${rest}`);
  }

  #single(path: string, kind: OverlayKind): void {
    const at = path.lastIndexOf('/');
    const entry = this.#entries(path.slice(0, at), kind).find(({ name }) => name === path.slice(at + 1));
    if (entry && !entry.isDirectory()) this.#file(path, kind, entry.isSymbolicLink());
  }

  #entries(folder: string, kind: OverlayKind): Dirent[] {
    const known = this.#folders.get(folder);
    if (known) return known;
    const entries = this.#list(folder, kind);
    this.#folders.set(folder, entries);
    return entries;
  }

  #list(folder: string, kind: OverlayKind): Dirent[] {
    try {
      const place = join(this.root, folder);
      if (!this.#isReachable(place)) {
        this.found.refused.push({ path: folder, kind, reason: 'It is reached through a link that leads out of the home.' });
        return [];
      }
      const entries = readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
      if (entries.length > namesLimit) this.found.refused.push({ path: folder, kind, reason: `It holds ${entries.length.toLocaleString('en-US')} files: the first ${namesLimit.toLocaleString('en-US')} by name are read.` });
      return entries.slice(0, namesLimit);
    } catch (error) {
      if (!isMissing(error)) this.found.refused.push({ path: folder, kind, reason: faultOf(error) });
      return [];
    }
  }

  #file(path: string, kind: OverlayKind, isLink: boolean): void {
    try {
      const place = join(this.root, path);
      if (isLink && !this.#isReachable(place)) {
        this.found.refused.push({ path, kind, reason: 'It is a link that leads out of the home.' });
        return;
      }
      const stats = statSync(place);
      if (!stats.isFile()) return;
      if (stats.size > fileLimit) this.found.refused.push({ path, kind, reason: `It has ${stats.size.toLocaleString('en-US')} bytes; more than ${fileLimit.toLocaleString('en-US')} are not read.` });
      else this.found.files.push({ path, kind, stamp: stampFrom(stats), size: stats.size, changed: stats.mtimeMs });
    } catch (error) {
      if (!isMissing(error)) this.found.refused.push({ path, kind, reason: faultOf(error) });
    }
  }

  #isReachable(place: string): boolean {
    if (this.bounds === null) return true;
    const real = realpathSync(place);
    return this.bounds.some((bound) => liesIn(real, bound));
  }
}

/** Reads a small file whole; a sentence where that is refused. Gone in between: null. */
export function readSmall(file: string): { bytes: Buffer; stamp: string; reason?: never } | { bytes?: never; reason: string } | null {
  let fd: number;
  try {
    // A FIFO put in the place of a plan must not hold us up.
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return isMissing(error) ? null : { reason: faultOf(error) };
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { reason: 'It is no plain file.' };
    const room = Buffer.alloc(Math.min(stats.size, fileLimit));
    let have = 0;
    while (have < room.length) {
      const got = readSync(fd, room, have, room.length - have, have);
      if (got === 0) break;
      have += got;
    }
    return { bytes: room.subarray(0, have), stamp: stampFrom(stats) };
  } catch (error) {
    return { reason: faultOf(error) };
  } finally {
    closeSync(fd);
  }
}

const stampFrom = ({ size, mtimeMs, ctimeMs, ino }: Stats): string => `${size} ${mtimeMs} ${ctimeMs} ${ino}`;

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

function faultOf(error: unknown): string {
  const words: Record<string, string> = { EACCES: 'Permission denied.', EPERM: 'Permission denied.', EIO: 'The disk reports an error.', ELOOP: 'Its links go in a circle.', EMFILE: 'Too many files are open.' };
  return words[codeOf(error)] ?? `It could not be read (${codeOf(error) || String(error)}).`;
}
