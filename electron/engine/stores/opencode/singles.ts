import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type { Db } from '../foreign/database';
import { rowJson, writeLine } from './lines';
import { isPlainId } from './ids';
import type { Schema } from './schema';
import { asJsonObject, asNumber, asObject, asObjects, asText, type Fields, parsed } from '../foreign/fields';

/** A line of which a session has one at a time: its slot, and the line itself. */
export interface Single {
  slot: string;
  line: Buffer;
}

/** What is known of a session beside its messages: its row and what other tables say of it. */
export class Singles {
  readonly #session;
  readonly #todos;
  readonly #project;
  readonly #directories;
  readonly #share;
  readonly #epoch;
  readonly #events;
  readonly #logBegins;
  readonly #created;
  readonly #copied;
  readonly #begins;

  constructor(
    db: Db,
    schema: Schema,
    readonly folder: string,
  ) {
    const when = (table: string, columns: string[], sql: string) => (schema.has(table, ...columns) ? db.prepare<[string]>(sql) : null);
    this.#session = when('session', ['id'], 'SELECT * FROM session WHERE id = ?');
    this.#todos = when('todo', ['session_id', 'content'], `SELECT ${schema.select('todo', ['content', 'status', 'priority', 'position'])} FROM todo WHERE session_id = ? ORDER BY position`);
    // Without the times: the program touches them at every start, and each would be news for all sessions of a project.
    this.#project = when('project', ['id', 'worktree'], `SELECT ${schema.select('project', ['id', 'worktree', 'vcs', 'name', 'sandboxes'])} FROM project WHERE id = ?`);
    this.#directories = when('project_directory', ['project_id', 'directory'], `SELECT ${schema.select('project_directory', ['directory', 'strategy'])} FROM project_directory WHERE project_id = ? ORDER BY directory`);
    // Never the secret: with it a share can be changed.
    this.#share = when('session_share', ['session_id', 'url'], 'SELECT id, url FROM session_share WHERE session_id = ?');
    this.#epoch = when('session_context_epoch', ['session_id', 'baseline'], `SELECT ${schema.select('session_context_epoch', ['baseline', 'snapshot', 'baseline_seq'])} FROM session_context_epoch WHERE session_id = ?`);
    this.#events = when('event_sequence', ['aggregate_id'], 'SELECT 1 FROM event_sequence WHERE aggregate_id = ?');
    this.#logBegins = schema.has('event_sequence', 'aggregate_id') && schema.has('session', 'time_created')
      ? db.prepare<[]>('SELECT min(time_created) FROM session JOIN event_sequence ON aggregate_id = session.id').pluck()
      : null;
    this.#created = when('event', ['aggregate_id', 'seq', 'data'], 'SELECT type, data FROM event WHERE aggregate_id = ? AND seq = 0');
    this.#copied = schema.has('message', 'session_id', 'time_created')
      ? db.prepare<[string, number]>('SELECT count(*) FROM message WHERE session_id = ? AND time_created < ?').pluck()
      : null;
    this.#begins = schema.has('message', 'session_id', 'time_created') ? db.prepare<[string]>('SELECT min(time_created) FROM message WHERE session_id = ?').pluck() : null;
  }

  /** The session's row; undefined when it was deleted meanwhile. */
  row(session: string): Fields | undefined {
    return this.#session?.get(session) as Fields | undefined;
  }

  /** All lines; `soundly` asks a table that may be damaged and gives null then. */
  lines(session: string, row: Fields, place: Fields, soundly: <T>(what: string, ask: () => T) => T | null): Single[] {
    const created = asNumber(row['time_created']);
    const found: [string, Fields | null][] = [
      ['session', row],
      ['place', place],
      ['project', soundly('project', () => this.#projectOf(asText(row['project_id'])))],
      ['todo', soundly('todo', () => ({ rows: this.#todos?.all(session) ?? [] }))],
      ['share', soundly('session_share', () => ({ url: asText((this.#share?.get(session) as Fields | undefined)?.['url']), known: this.#share !== null }))],
      ['epoch', soundly('session_context_epoch', () => (this.#epoch?.get(session) as Fields | undefined) ?? null)],
      ['origin', soundly('event', () => this.#origin(session))],
      ['copied', soundly('message', () => ({ messages: (created !== null && this.#copied?.get(session, created)) || 0, begins: this.#begins?.get(session) ?? null }))],
    ];
    const singles = found.flatMap(([slot, fields]) => (fields ? [{ slot, line: writeLine(slot, rowJson(fields)) }] : []));
    const undone = undoneWork(this.folder, session, row);
    return undone ? [...singles, undone] : singles;
  }

  #projectOf(id: string | null): Fields | null {
    const project = id === null ? undefined : (this.#project?.get(id) as Fields | undefined);
    return project ? { ...project, directories: this.#directories?.all(id as string) ?? [] } : null;
  }

  /** What the event log says of the beginning: where it was made, or that the log does not know it at all, and since when it knows sessions. */
  #origin(session: string): Fields {
    const events = this.#events ? this.#events.get(session) !== undefined : null;
    const first = this.#created?.get(session) as Fields | undefined;
    const info = asText(first?.['type'])?.startsWith('session.created') ? asObject(asJsonObject(first?.['data'])?.['info']) : null;
    return { events, logBegins: events === false ? asNumber(this.#logBegins?.get()) : null, directory: asText(info?.['directory']), project: asText(info?.['projectID']) };
  }
}

/**
 * While a revert without a stored diff is pending, the program's list of what was undone (in the direction of the work)
 * is the next best: file names and counts, never the contents.
 */
export function undoneWork(folder: string, session: string, row: Fields): Single | null {
  const revert = asJsonObject(row['revert']);
  if (!revert || asText(revert['diff']) !== null || !isPlainId(session)) return null;
  try {
    const stored = parsed(readFileSync(join(folder, 'storage', 'session_diff', `${session}.json`), 'utf8'));
    const files = asObjects(stored).map(({ file, additions, deletions, status }) => ({ file, additions, deletions, status }));
    return { slot: 'undone', line: writeLine('undone', JSON.stringify({ files })) };
  } catch {
    // No such file is the usual case.
    return null;
  }
}
