import { constants } from 'node:fs';
import { looksSame, writeAll, writeNew } from '../disk/content';
import { HeldFolder } from '../disk/folder';
import type { DiskFact, Machine } from '../disk/machine';
import { placeOf } from '../disk/names';
import type { FileRecord } from '../journal/records';
import { Refused } from '../refused';

/** The name under which the new content of a file waits beside it. No store takes it for a session: it begins with a dot and ends with the plan. */
export const stagedName = (name: string, id: string): string => `.${name}.retrace-${id}`;

/** Bits of a folder made inside a store, and inside a project. */
export const folderMode = (isPrivate: boolean): number => (isPrivate ? 0o700 : 0o755);

/** Writes the new content beside its place. Missing folders are made. */
export async function stageFile(machine: Machine, record: FileRecord, pieces: Iterable<Uint8Array>, { mode, modified, isPrivate, wrote }: { mode: number; modified: number | undefined; isPrivate: boolean; wrote: (bytes: number) => void }): Promise<void> {
  await inFolder(machine, record, folderMode(isPrivate), async (folder) => {
    if (record.staged === null) return;
    const { sha256, bytes, fact } = await writeNew(machine.files, folder.at(record.staged), pieces, { mode, modified, wrote });
    record.after = { sha256, bytes, mode: fact.mode, modified: fact.modified };
    folder.flush();
  });
}

/** Puts the new content in its place, or takes the file away. `seen`: what the last look found there. */
export async function changeFile(machine: Machine, record: FileRecord, seen: DiskFact | null, append: Uint8Array | null): Promise<void> {
  const { files } = machine;
  const { name } = placeOf(record.path, record.within);
  await inFolder(machine, record, null, (folder) => {
    folder.check();
    const now = folder.look(name);
    if (seen === null ? now !== null : !looksSame(now, seen)) throw new Refused(`${record.path} changed since the plan was made.`, true);
    if (append !== null) appendTo(machine, folder, name, record, append);
    else if (record.staged === null) {
      files.remove(folder.at(name));
      folder.flush();
      removeEmpty(machine, record.empties);
      machine.at('removed');
    } else {
      place(machine, folder, record.staged, name, seen === null);
      folder.flush();
      machine.at('renamed');
    }
  });
}

/** A new file never takes the place of one that came up meanwhile, where the file system can give a second name. */
function place({ files }: Machine, folder: HeldFolder, staged: string, name: string, isNew: boolean): void {
  if (isNew && files.link(folder.at(staged), folder.at(name))) files.remove(folder.at(staged));
  else files.rename(folder.at(staged), folder.at(name));
}

function appendTo(machine: Machine, folder: HeldFolder, name: string, record: FileRecord, bytes: Uint8Array): void {
  const { files } = machine;
  const handle = files.open(folder.at(name), constants.O_WRONLY | constants.O_APPEND);
  try {
    if (files.fact(handle).size !== record.before?.bytes) throw new Refused(`${record.path} changed since the plan was made.`, true);
    machine.at('appending');
    writeAll(files, handle, bytes);
    files.flush(handle);
    const { size, mode, modified } = files.fact(handle);
    if (record.after) record.after = { ...record.after, bytes: size, mode, modified };
  } finally {
    files.close(handle);
  }
  machine.at('appended');
}

/** The file as it was: its bytes from the backup, its bits and its time. */
export async function restoreFile(machine: Machine, record: FileRecord, backup: (() => Iterable<Uint8Array>) | null, staged: string): Promise<void> {
  const { files } = machine;
  const { name } = placeOf(record.path, record.within);
  await inFolder(machine, record, 0o700, async (folder) => {
    folder.check();
    if (folder.look(staged) !== null) files.remove(folder.at(staged));
    if (record.before === null || backup === null) {
      if (folder.look(name) !== null) files.remove(folder.at(name));
    } else if (record.act === 'append') shorten(machine, folder, name, record.before.bytes, record.before.modified);
    else {
      const written = await writeNew(files, folder.at(staged), backup(), { mode: record.before.mode, modified: record.before.modified });
      if (written.sha256 !== record.before.sha256) {
        files.remove(folder.at(staged));
        throw new Refused(`The backup of ${record.path} is not what was kept.`);
      }
      files.rename(folder.at(staged), folder.at(name));
    }
    folder.flush();
  });
  removeEmpty(machine, [...record.made].reverse());
}

/** What was appended goes again; the file stays the one it is. */
function shorten({ files }: Machine, folder: HeldFolder, name: string, bytes: number, modified: number): void {
  const handle = files.open(folder.at(name), constants.O_WRONLY);
  try {
    files.truncate(handle, bytes);
    files.setTime(handle, modified);
    files.flush(handle);
  } finally {
    files.close(handle);
  }
}

/** Takes away what waits beside a file, and folders that were made for it, if they are empty. */
export function removeLeftovers(machine: Machine, record: FileRecord): void {
  const { files } = machine;
  const { folders } = placeOf(record.path, record.within);
  const folder = record.staged === null || record.real === null ? null : HeldFolder.open(files, record.within, folders, null, record.real);
  if (folder) {
    try {
      if (record.staged !== null && folder.look(record.staged)?.kind === 'file') {
        files.remove(folder.at(record.staged));
        folder.flush();
      }
    } finally {
      folder.close();
    }
  }
  removeEmpty(machine, [...record.made].reverse());
}

/** Folders that hold something are somebody's by now, and stay. */
function removeEmpty({ files }: Machine, folders: readonly string[]): void {
  for (const folder of folders) {
    if (files.look(folder)?.kind !== 'folder' || files.names(folder).length > 0) continue;
    files.removeFolder(folder);
  }
}

async function inFolder(machine: Machine, record: FileRecord, make: number | null, work: (folder: HeldFolder) => void | Promise<void>): Promise<void> {
  const { folders } = placeOf(record.path, record.within);
  const folder = HeldFolder.open(machine.files, record.within, folders, make === null ? null : { mode: make, made: () => undefined }, record.real);
  if (folder === null) throw new Refused(`${record.within} changed since the plan was made.`, true);
  try {
    await work(folder);
  } finally {
    folder.close();
  }
}
