import type { SessionCursor, TableCursor } from './cursors';
import { timeOfId } from './ids';
import type { ListedFile } from './json-layouts';
import { shortHash } from './lines';
import { margin, recentOnly } from './rows';

/** The files of a message of a JSON layout. */
export interface MessageFiles {
  id: string;
  /** Null when only its parts are there. */
  file: ListedFile | null;
  parts: ListedFile[];
}

export const allFiles = (messages: MessageFiles[]): ListedFile[] => messages.flatMap(({ file, parts }) => (file ? [file, ...parts] : parts));

export const stampOfListed = (file: ListedFile): string => `${file.bytes} ${file.at}`;

/** A number that stands for a name, so that a set of names has a sum. */
const nameNumber = (name: string): number => Number.parseInt(Buffer.from(shortHash(name)).toString('hex').slice(0, 8), 16);

const madeAt = (file: ListedFile, near: number): number => timeOfId(file.id, near) ?? file.at;

/** What is remembered of a set of files: as of the rows of a table, number, sum, newest. */
export function remember(files: ListedFile[], created: number | null): TableCursor {
  const at = files.reduce((newest, file) => Math.max(newest, file.at), 0);
  const recent = files.filter((file) => file.at >= at - margin);
  return {
    count: files.length,
    sum: files.reduce((sum, { id }) => sum + nameNumber(id), 0),
    max: files.reduce((newest, file) => Math.max(newest, madeAt(file, created ?? file.at)), 0),
    at,
    edge: recentOnly(Object.fromEntries(recent.map((file) => [file.id, stampOfListed(file)])), at),
  };
}

/** Whether the files there are those remembered and, at the most, some that were made later. */
export function fits(cursor: SessionCursor, messages: MessageFiles[]): boolean {
  const same = (known: TableCursor, files: ListedFile[]) => {
    const old = files.filter((file) => madeAt(file, known.max) <= known.max);
    return old.length === known.count && old.reduce((sum, { id }) => sum + nameNumber(id), 0) === known.sum;
  };
  return same(cursor.message, messages.flatMap(({ file }) => file ?? [])) && same(cursor.part, messages.flatMap(({ parts }) => parts));
}

/** Tells which files are new or changed. One that changed while the others were listed lies in the margin, in another state than remembered. */
export function newsSince(known: TableCursor, held: Set<string> | null): (file: ListedFile) => boolean {
  const marked = Object.keys(known.edge).length > 0;
  return (file) =>
    known.count === 0 ||
    file.at > known.at ||
    (marked && file.at >= known.at - margin && known.edge[file.id] !== stampOfListed(file)) ||
    (held !== null && !held.has(file.id));
}
