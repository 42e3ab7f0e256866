import { constants } from 'node:fs';
import { openWithoutTrace } from '../../stores/foreign/database';
import { readPieces, seeFile, sha256 } from '../disk/content';
import { HeldFolder } from '../disk/folder';
import type { FileSystem } from '../disk/machine';
import { placeOf } from '../disk/names';
import type { FileRecord, ProgramRecord, RowsRecord, StepRecord } from '../journal/records';
import { readKeys } from '../rows/kept-rows';
import { byKey } from '../rows/database';
import { rowHash, type Row } from '../rows/values';
import type { Backups } from './backups';

/** How a step stands on the disk: not done, done, a part of an append written, or neither (somebody else was there). */
export type Standing = 'before' | 'after' | 'part' | 'other';

/** Looks at what is there, not at what is remembered: so it holds after a crash as well. */
export async function standingOf(files: FileSystem, record: StepRecord, backups: Backups): Promise<Standing> {
  switch (record.kind) {
    case 'file':
      return fileStanding(files, record, backups);
    case 'rows':
      return rowsStanding(files, record, backups);
    case 'program':
      return record.state === 'waiting' ? 'before' : record.state === 'done' ? 'after' : begunStanding(files, record);
    case 'library':
      // It is written with the end of the entry, and again when that is found missing.
      return 'after';
  }
}

/** Of a program that was asked and did not answer: what git does with a worktree is seen by its folder, of others it is not known. */
function begunStanding(files: FileSystem, { program, call }: ProgramRecord): Standing {
  const { act, path } = call;
  if (program !== 'git' || typeof path !== 'string') return 'other';
  return (files.look(path) !== null) === (act === 'worktree add') ? 'after' : 'before';
}

async function fileStanding(files: FileSystem, record: FileRecord, backups: Backups): Promise<Standing> {
  const place = placeOf(record.path, record.within);
  const folder = HeldFolder.open(files, record.within, place.folders, null, record.real);
  if (folder === null && record.goes) return 'after';
  if (folder === null) return record.before === null ? 'before' : record.after === null ? 'after' : 'other';
  try {
    const seen = await seeFile(folder, place.name);
    if (seen === null) return record.before === null ? 'before' : record.act === 'delete' ? 'after' : 'other';
    // In what a program made, and not looked at before the end came: it is as the program made it.
    if (record.isMade && record.before === null && record.after === null) return 'before';
    if (record.after !== null && seen.sha256 === record.after.sha256) return 'after';
    if (record.before !== null && seen.sha256 === record.before.sha256) return 'before';
    return (await isTornAppend(files, folder, place.name, record, backups)) ? 'part' : 'other';
  } finally {
    folder.close();
  }
}

/** What was there, and a beginning of what was to be added. */
async function isTornAppend(files: FileSystem, folder: HeldFolder, name: string, { act, before, tail }: FileRecord, backups: Backups): Promise<boolean> {
  if (act !== 'append' || before === null || tail === null || !backups.has(tail)) return false;
  const bytes = await wholeFile(files, folder.at(name));
  const added = await wholeFile(files, backups.path(tail));
  const rest = bytes.subarray(before.bytes);
  return sha256(bytes.subarray(0, before.bytes)) === before.sha256 && rest.length < added.length && rest.equals(added.subarray(0, rest.length));
}

async function wholeFile(files: FileSystem, path: string): Promise<Buffer> {
  const handle = files.open(path, constants.O_RDONLY);
  try {
    const pieces: Buffer[] = [];
    for await (const piece of readPieces(files, handle)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  } finally {
    files.close(handle);
  }
}

async function rowsStanding(files: FileSystem, { act, database, tables, keys }: RowsRecord, backups: Backups): Promise<Standing> {
  // The list of keys is kept before the rows are committed: without it nothing was.
  if (!backups.has(keys)) return 'before';
  const kept = await readKeys(files, backups.path(keys));
  const { opened, refusal } = openWithoutTrace(database);
  if (!opened) return refusal.kind === 'missing' && act === 'delete' ? 'after' : 'other';
  try {
    opened.db.defaultSafeIntegers(true);
    const finds = tables.map(({ table, key }) => byKey(opened.db, table, key));
    let there = 0;
    for (const { table, key, hash } of kept) {
      const row = finds[table]?.get(...key) as Row | undefined;
      if (!row) continue;
      if (rowHash(row) !== hash) return 'other';
      there++;
    }
    if (there !== 0 && there !== kept.length) return 'other';
    const isThere = there > 0;
    return isThere === (act === 'insert') ? 'after' : 'before';
  } catch {
    return 'other';
  } finally {
    opened.close();
  }
}
