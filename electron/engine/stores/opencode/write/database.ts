import { join } from 'node:path';
import type { RowValue, SessionToWrite } from '../../store';
import { type Db, inOneState, isSqliteError, openWithoutTrace, refusalOf } from '../../foreign/database';
import { asNumber, asText, type Fields } from '../../foreign/fields';
import { databaseFiles, holdersOf, sayOpenFiles } from '../../foreign/open-files';
import { databasesOf, placeOf } from '../places';

/** A database as it was found when a fork into it is planned. */
export interface FoundDatabase {
  file: string;
  /** Columns by table, in name order. */
  schema: Record<string, string[]>;
  /** The session's own row; null when the store does not have it any more. */
  session: Fields | null;
  project: Fields | null;
  /** Columns that name a session without a foreign key. */
  references: { table: string; column: string }[];
  /** Single values that tell whether the session was changed. */
  state: { sql: string; parameters: RowValue[]; value: RowValue }[];
}

/** The database a session is in; for one that went from the store, the one it was in. Null: it lies in JSON files only. */
export function databaseOf({ location, spine }: SessionToWrite): string | null {
  const place = spine.evidence.map(({ source }) => placeOf(source)).find(({ layout }) => layout === 'database');
  if (place) return join(location.folder, place.name);
  return null;
}

/** The program's usual database of a data folder, whether a session is in it or not. */
export const usualDatabase = (folder: string): string | null => (databasesOf(folder)[0] === undefined ? null : join(folder, databasesOf(folder)[0] as string));

/** Looks at what a fork needs to know of a database, without leaving anything there; a text says why that cannot be done. */
export function findDatabase(file: string, session: string, project: string | null): FoundDatabase | string {
  const { opened, refusal } = openWithoutTrace(file);
  if (!opened) return refusal.kind === 'missing' ? `There is no ${file}.` : `${file} cannot be read: ${refusal.reason}.`;
  try {
    return inOneState(opened.db, () => lookInside(opened.db, file, session, project));
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return `${file} cannot be read: ${refusalOf(error).reason}.`;
  } finally {
    opened.close();
  }
}

/** Generations of the schema by what each added to the session table (FORMAT.md, "Writing"). */
const firstSession = [
  'id', 'project_id', 'parent_id', 'slug', 'directory', 'title', 'version', 'share_url', 'summary_additions', 'summary_deletions', 'summary_files', 'summary_diffs', 'revert',
  'permission', 'time_created', 'time_updated', 'time_compacting', 'time_archived',
];
const addedToSession = [
  ['workspace_id'],
  ['path', 'agent', 'model'],
  ['cost', 'tokens_input', 'tokens_output', 'tokens_reasoning', 'tokens_cache_read', 'tokens_cache_write'],
  ['metadata'],
];
const others: Record<string, string[]> = {
  message: ['data', 'id', 'session_id', 'time_created', 'time_updated'],
  part: ['data', 'id', 'message_id', 'session_id', 'time_created', 'time_updated'],
  todo: ['content', 'position', 'priority', 'session_id', 'status', 'time_created', 'time_updated'],
};

/** Why rows may not be added to a database of this schema; null: every column is known. */
export function unknownSchema(schema: Record<string, string[]>): string | null {
  const refused = (what: string) => `This database is of a generation that is not known (${what}): nothing is written into it by hand.`;
  for (const [table, columns] of Object.entries(others)) {
    const found = schema[table] ?? [];
    if (found.join() !== columns.join()) return refused(found.length === 0 ? `it has no table ${table}` : `columns of ${table}: ${found.join(', ')}`);
  }
  const found = schema['session'] ?? [];
  let known = firstSession;
  for (const group of [[], ...addedToSession]) {
    known = [...known, ...group];
    if (known.toSorted().join() === found.join()) return null;
  }
  const strange = found.filter((column) => !known.includes(column));
  return refused(strange.length > 0 ? `unknown in session: ${strange.join(', ')}` : `columns of session: ${found.join(', ')}`);
}

/** Subagents of a session and its events: while there are any it was gone on with. */
const references = [{ table: 'session', column: 'parent_id' }, { table: 'event_sequence', column: 'aggregate_id' }];

function lookInside(db: Db, file: string, session: string, project: string | null): FoundDatabase | string {
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY name').pluck();
  const schema = Object.fromEntries(['session', 'message', 'part', 'todo'].map((table) => [table, columns.all(table)]));
  const unknown = unknownSchema(schema);
  if (unknown !== null) return unknown;
  const trigger = db.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('session', 'message', 'part', 'todo')").pluck().get();
  if (trigger !== undefined) return `This database is of a generation that is not known (trigger ${trigger}): nothing is written into it by hand.`;
  const row = (db.prepare('SELECT * FROM session WHERE id = ?').get(session) as Fields | undefined) ?? null;
  const id = asText(row?.['project_id']) ?? project;
  const questions = [
    { sql: "SELECT count(*) || ' ' || coalesce(max(time_updated), 0) FROM message WHERE session_id = ?", parameters: [session] },
    { sql: "SELECT count(*) || ' ' || coalesce(max(time_updated), 0) FROM part WHERE session_id = ?", parameters: [session] },
    { sql: 'SELECT max(time_updated) FROM session WHERE id = ?', parameters: [session] },
    { sql: 'SELECT count(*) FROM project WHERE id = ?', parameters: [id ?? ''] },
  ];
  return {
    file, schema, session: row, references: references.filter(({ table, column }) => columns.all(table).includes(column)),
    project: (db.prepare('SELECT * FROM project WHERE id = ?').get(id ?? '') as Fields | undefined) ?? null,
    state: questions.map(({ sql, parameters }) => ({ sql, parameters, value: db.prepare(sql).pluck().get(...parameters) as RowValue })),
  };
}

/** What the library read of a session against what its database holds; a text when the library is behind. */
export function behind({ spine, facts }: SessionToWrite, { session, state }: FoundDatabase): string | null {
  const here = spine.records.filter(({ gone }) => !gone);
  const counted = [here.filter(({ type }) => type.startsWith('message/')).length, here.filter(({ type }) => type.startsWith('part/')).length];
  const there = state.slice(0, 2).map(({ value }) => Number(String(value).split(' ')[0]));
  const isSame = counted.every((count, at) => count === there[at]) && (facts.updated === null || asNumber(session?.['time_updated']) === facts.updated);
  return isSame ? null : 'The session was changed since Retrace read it; it is read again at the next look, and then a fork can be planned.';
}

/** Why nothing may be written into a database directly now; null: nobody has it open. */
export function heldBy(file: string): string | null {
  const open = holdersOf(databaseFiles(file));
  if (open.isKnown && open.holders.length === 0) return null;
  return `${sayOpenFiles(file, open)} Rows are added only when no program has it open.`;
}
