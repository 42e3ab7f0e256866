import { dirname } from 'node:path';
import type { PlanView } from '@shared/model';
import type { FileSystem } from '../disk/machine';
import { Refused } from '../refused';
import type { PlannedStep } from '../steps';
import type { RowsInsert, RowValue } from '../../stores/store';

/** Bytes kept free beside what a plan writes: a disk filled to its last byte stops the agent too. */
const spare = 8 * 1024 * 1024;

export type Room = PlanView['room'];

/** What a plan needs on each disk: new contents wait beside the old ones, and what is replaced is kept in the library's folder. */
export function roomFor(files: FileSystem, steps: readonly PlannedStep[], backups: string): Room {
  const disks = new Map<number, Room[number]>();
  const need = (folder: string, bytes: number): void => {
    const there = nearest(files, folder);
    const dev = files.look(there)?.dev ?? -1;
    const disk = disks.get(dev) ?? { folder: there, needed: 0, free: freeOn(files, there) };
    disk.needed += bytes;
    disks.set(dev, disk);
  };
  for (const step of steps) {
    if (step.kind === 'file') {
      if (step.after !== null) need(step.within, 'append' in step.after ? step.after.append.length : sizeOf(step.after.content));
      if (step.before.state === 'present') need(backups, step.before.bytes);
    } else if (step.kind === 'rows') {
      const bytes = rowBytes(step);
      // Once in the log of SQLite, once in the database.
      need(step.within, bytes * 2);
      need(backups, bytes);
    } else if (step.kind === 'rows-out') need(backups, step.tables.reduce((sum, { count }) => sum + count * 1_024, 0));
  }
  return [...disks.values()];
}

/** Refuses by numbers where a disk is known to be too full. */
export function refuseWithoutRoom(room: Room): void {
  for (const { folder, needed, free } of room) {
    if (free !== null && needed > 0 && needed + spare > free) throw new Refused(`There is not enough room on the disk of ${folder}: ${needed} bytes are needed and ${spare} kept free, ${free} are free.`);
  }
}

function sizeOf(content: { size: number | null; pieces(): Iterable<Uint8Array> }): number {
  if (content.size !== null) return content.size;
  let bytes = 0;
  for (const piece of content.pieces()) bytes += piece.length;
  return bytes;
}

const valueBytes = (value: RowValue): number => (typeof value === 'string' ? Buffer.byteLength(value) : value instanceof Uint8Array ? value.length : 8);

/** Bytes of rows by what gives them: the plan asks for the room and so does the apply, and a long session is not drawn again for it. */
const known = new WeakMap<RowsInsert, number>();

const rowBytes = ({ inserts }: Extract<PlannedStep, { kind: 'rows' }>): number => inserts.reduce((sum, insert) => sum + insertBytes(insert), 0);

function insertBytes(insert: RowsInsert): number {
  let bytes = known.get(insert);
  if (bytes !== undefined) return bytes;
  bytes = 0;
  for (const row of insert.rows()) for (const value of Object.values(row)) bytes += valueBytes(value);
  known.set(insert, bytes);
  return bytes;
}

function nearest(files: FileSystem, folder: string): string {
  for (let at = folder; ; at = dirname(at)) if (files.look(at) !== null || dirname(at) === at) return at;
}

function freeOn(files: FileSystem, folder: string): number | null {
  try {
    return files.free(folder);
  } catch {
    return null;
  }
}
