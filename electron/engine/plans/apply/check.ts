import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExpectedBeginning, FileStep } from '../../stores/store';
import { readPieces, seeFile, type SeenFile } from '../disk/content';
import { HeldFolder } from '../disk/folder';
import type { FileSystem } from '../disk/machine';
import { foldedPath, type Place, placeOf } from '../disk/names';
import { Refused } from '../refused';
import type { PlannedStep } from '../steps';

/** A file step whose place and precondition were looked at. */
export interface CheckedFile {
  place: Place;
  /** Null while `within` is not there: a program step before makes it, and it is looked at then. */
  real: string | null;
  seen: SeenFile | null;
  /** Folders that are missing, the outermost first. */
  missing: string[];
}

/** `left`: what was there before is what an earlier write left. */
export type CheckableFile = FileStep & { left?: boolean };

/** Looks at one file step: its path without following links, and what must still be there. Refuses by name. */
export async function checkFile(files: FileSystem, step: CheckableFile, mayBeMade = false): Promise<CheckedFile> {
  const place = placeOf(step.path, step.within);
  if (files.look(step.within) === null) {
    if (!mayBeMade) throw new Refused(`${step.within} is not there.`, true);
    return { place, real: null, seen: null, missing: [] };
  }
  const real = files.realpath(step.within);
  const { folder, missing } = deepest(files, place);
  try {
    if (!files.mayWrite(folder.path)) throw new Refused(`Nothing may be written in ${folder.path}.`);
    if (missing.length > 0) {
      if (step.before.state === 'present') throw new Refused(`${step.path} is gone.`, true);
      return { place, real, seen: null, missing };
    }
    const seen = await seeFile(folder, place.name);
    refuseOther(files, folder, step, place, seen);
    return { place, real, seen, missing };
  } finally {
    folder.close();
  }
}

function refuseOther(files: FileSystem, folder: HeldFolder, { path, before, after, left = false }: CheckableFile, { name }: Place, seen: SeenFile | null): void {
  if (seen === null) {
    if (before.state === 'present') throw new Refused(left ? `${path} is gone: it is not as the write left it.` : `${path} is gone since the plan was made.`, true);
    return;
  }
  // A file system that does not tell case or accents apart finds a file by another spelling than its own.
  if (!files.names(folder.path).includes(name)) throw new Refused(`${path} is there under another spelling of its name: this file system takes the two for one.`);
  if (before.state === 'made') return;
  if (before.state === 'absent') throw new Refused(`There is something at ${path} now.`, true);
  if (seen.sha256 !== before.sha256) throw new Refused(left ? `${path} is not as the write left it: it was changed since.` : `${path} changed since the plan was made.`, true);
  if (after !== null && 'content' in after && seen.fact.links > 1) throw new Refused(`${path} has a second name on this disk: writing one would part it from the other.`);
}

/** The deepest folder of a path that is there, held, and the names of those that are not. */
function deepest(files: FileSystem, place: Place): { folder: HeldFolder; missing: string[] } {
  for (let depth = place.folders.length; ; depth--) {
    const folder = HeldFolder.open(files, place.within, place.folders.slice(0, depth), null);
    if (folder) return { folder, missing: place.folders.slice(depth).map((_name, at) => join(place.within, ...place.folders.slice(0, depth + at + 1))) };
    if (depth === 0) throw new Refused(`${place.within} is gone.`, true);
  }
}

/** A database is reached as a file is: no link on the way, and none in its place. */
export function checkDatabase(files: FileSystem, { database, within }: { database: string; within: string }): void {
  const { folders, name } = placeOf(database, within);
  const folder = HeldFolder.open(files, within, folders, null);
  const kind = folder?.look(name)?.kind;
  folder?.close();
  if (kind === undefined) throw new Refused(`${database} is not there.`, true);
  if (kind !== 'file') throw new Refused(`${database} is ${kind === 'link' ? 'a link: links are not followed' : 'no file'}.`);
}

/** A file that is only read, or that the result goes on leaning on: its beginning must be what it was. */
export async function checkBeginning(files: FileSystem, { path, within, bytes, sha256 }: ExpectedBeginning): Promise<void> {
  const { folders, name } = placeOf(path, within);
  const folder = HeldFolder.open(files, within, folders, null);
  const hash = folder && (await beginningHash(folder, name, bytes));
  if (hash === null) throw new Refused(`${path} is gone since the plan was made.`, true);
  if (hash !== sha256) throw new Refused(`${path} changed since the plan was made.`, true);
}

async function beginningHash(folder: HeldFolder, name: string, bytes: number): Promise<string | null> {
  const { files } = folder;
  try {
    const fact = folder.look(name);
    if (fact === null) return null;
    if (fact.kind !== 'file') throw new Refused(`${folder.path}/${name} is no file.`);
    const handle = files.open(folder.at(name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const hash = createHash('sha256');
      let left = bytes;
      for await (const piece of readPieces(files, handle)) {
        hash.update(piece.subarray(0, left));
        left -= Math.min(left, piece.length);
        if (left === 0) break;
      }
      return hash.digest('hex');
    } finally {
      files.close(handle);
    }
  } finally {
    folder.close();
  }
}

/** Refuses where two steps would write one file: the same path, or two spellings that the file system takes for one. */
export function refuseClashes(files: FileSystem, steps: readonly PlannedStep[]): void {
  const seen = new Map<string, string>();
  for (const step of steps) {
    if (step.kind !== 'file') continue;
    const folded = foldedPath(step.path);
    const other = seen.get(folded);
    seen.set(folded, step.path);
    if (other === undefined) continue;
    if (other === step.path) throw new Refused(`The plan writes ${step.path} twice.`);
    if (foldsNames(files, step.within)) throw new Refused(`${other} and ${step.path} are one file on this file system, which does not tell their spellings apart.`);
  }
}

/** Whether a file system takes two spellings of a name for one; looked for at the names of the folders themselves. */
export function foldsNames(files: FileSystem, folder: string): boolean {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const own = files.look(at);
    const name = at.slice(dirname(at).length).replace(/^[/\\]/, '');
    const swapped = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    if (own === null || own.kind === 'link' || swapped === name) continue;
    const other = files.look(join(dirname(at), swapped));
    return other !== null && other.dev === own.dev && other.ino === own.ino;
  }
  return process.platform !== 'linux';
}
