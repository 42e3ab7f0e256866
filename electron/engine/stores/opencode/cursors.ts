import { asNumber, asObject, asText, asTexts, type Fields } from '../foreign/fields';
import type { JsonObject } from '../store';

/**
 * What is remembered between passes, small however large a session is: of each table the number and the sum of the
 * row numbers that were read, the highest of them, and the newest change. Rows above the highest are new, rows that
 * changed since are read again, and when number or sum do not fit, rows went away and the ids are compared.
 */
export interface TableCursor {
  count: number;
  sum: number;
  max: number;
  /** Newest `time_updated` (or file time) read, ms. */
  at: number;
  /** Hashes of the rows that changed within the margin before `at`: they are looked at again and mostly found unchanged. */
  edge: Record<string, string>;
}

/** Of one session in one place. */
export interface SessionCursor {
  version: number;
  /** Hash of each line of which a session has one (its row, project, todos …), by slot. */
  single: Record<string, string>;
  message: TableCursor;
  part: TableCursor;
  v2: TableCursor;
  /** Hashes of the prompts waiting in the inbox, by id. */
  inputs: Record<string, string>;
  /** `time_updated` of the session row: going backwards means an older store was put in place. */
  updated: number;
  /** Its last reply has no end yet, or a prompt waits. */
  open: boolean;
  /** JSON layouts: state of the session's file and of its message folder. */
  files: string;
  /** JSON layouts: files that held no whole record, by path, with their state. */
  torn: Record<string, string>;
}

/** Of a copy in a worse place: only that it is there is told. */
interface CopyCursor {
  version: number;
  copy: string;
}

/** Of a database as a whole: how far its tables were looked through for sessions with something new. */
export interface DatabaseCursor {
  version: number;
  stamp: string;
  inode: number;
  /** Highest row numbers seen. */
  message: number;
  part: number;
  v2: number;
  event: number;
  /** Newest `time_updated` or `time_archived` of a session row. */
  session: number;
  /** Sessions with an unfinished reply: rows that exist may still change in them. */
  open: string[];
  /** Sessions that were seen to have something new and were not read to the end. */
  pending: string[];
  /** What is wrong with it although it can be read, so that it is told while nothing changes. */
  problem: string;
}

/** A log with another shape of lines starts again. */
const version = 1;

export const emptyTable = (): TableCursor => ({ count: 0, sum: 0, max: 0, at: 0, edge: {} });

export const emptySession = (): SessionCursor => ({
  version, single: {}, message: emptyTable(), part: emptyTable(), v2: emptyTable(), inputs: {}, updated: 0, open: false, files: '', torn: {},
});

export const copyCursor = (copy: string): JsonObject => ({ version, copy });

export const emptyDatabase = (): DatabaseCursor => ({
  version, stamp: '', inode: 0, message: 0, part: 0, v2: 0, event: 0, session: 0, open: [], pending: [], problem: '',
});

/** Null when nothing is remembered, or by another version. */
export function readSessionCursor(value: unknown): SessionCursor | null {
  const fields = current(value);
  if (!fields || 'copy' in fields) return null;
  return {
    version, single: texts(fields['single']), message: table(fields['message']), part: table(fields['part']), v2: table(fields['v2']),
    inputs: texts(fields['inputs']), updated: asNumber(fields['updated']) ?? 0, open: fields['open'] === true,
    files: asText(fields['files']) ?? '', torn: texts(fields['torn']),
  };
}

export function readCopyCursor(value: unknown): CopyCursor | null {
  const copy = asText(current(value)?.['copy']);
  return copy === null ? null : { version, copy };
}

export function readDatabaseCursor(value: unknown): DatabaseCursor | null {
  const fields = current(value);
  if (!fields) return null;
  const number = (name: string) => asNumber(fields[name]) ?? 0;
  return {
    version, stamp: asText(fields['stamp']) ?? '', inode: number('inode'), message: number('message'), part: number('part'), v2: number('v2'),
    event: number('event'), session: number('session'), open: asTexts(fields['open']), pending: asTexts(fields['pending']),
    problem: asText(fields['problem']) ?? '',
  };
}

/** Of a saved tool output: the state of its file when it was read to the end. */
export const outputCursor = (stamp: string): JsonObject => ({ version, stamp });

export const readOutputCursor = (value: unknown): string | null => asText(current(value)?.['stamp']);

/** A cursor as the library keeps it: a copy, since reading goes on. */
export function sessionCursor(cursor: SessionCursor): JsonObject {
  const { single, message, part, v2, inputs, torn, ...plain } = cursor;
  return { ...plain, single: { ...single }, message: tableCursor(message), part: tableCursor(part), v2: tableCursor(v2), inputs: { ...inputs }, torn: { ...torn } };
}

const tableCursor = ({ edge, ...plain }: TableCursor): JsonObject => ({ ...plain, edge: { ...edge } });

export const databaseCursor = (cursor: DatabaseCursor): JsonObject => ({ ...cursor });

function current(value: unknown): Fields | null {
  const fields = asObject(value);
  return fields?.['version'] === version ? fields : null;
}

function table(value: unknown): TableCursor {
  const fields = asObject(value) ?? {};
  const number = (name: string) => asNumber(fields[name]) ?? 0;
  return { count: number('count'), sum: number('sum'), max: number('max'), at: number('at'), edge: texts(fields['edge']) };
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(asObject(value) ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
