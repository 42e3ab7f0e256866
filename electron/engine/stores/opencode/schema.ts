import type { Db } from '../foreign/database';

/** Tables and columns as this database has them: versions differ, and an upgraded one keeps its old column order. */
export class Schema {
  readonly #columns = new Map<string, Set<string>>();

  constructor(readonly db: Db) {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
    const columns = db.prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)');
    for (const table of tables) if (tablesRead.has(table)) this.#columns.set(table, new Set(columns.all(table).map(({ name }) => name)));
  }

  has(table: string, ...columns: string[]): boolean {
    const found = this.#columns.get(table);
    return found !== undefined && columns.every((column) => found.has(column));
  }

  /** Those of the wanted columns that exist, as a select list; `id` columns are always wanted. */
  select(table: string, wanted: readonly string[]): string {
    return wanted.map((column) => (this.has(table, column) ? `"${column}"` : `NULL AS "${column}"`)).join(', ');
  }

  /** Why this is no database of OpenCode, or null. */
  get refusal(): string | null {
    if (!this.has('session')) return 'no such table: session';
    if (!this.has('session', 'id')) return 'no such column: session.id';
    // Every version names a session's title and the time it was made; other programs have a table of this name, too.
    if (!this.has('session', 'title') && !this.has('session', 'time_created')) return 'its session table is not one of OpenCode (no title, no time_created)';
    if (Object.keys(needed).every((table) => !this.#columns.has(table))) return 'it has no table of messages';
    return null;
  }

  /** Tables whose rows cannot be read for want of a column, each with what is missing. */
  get gaps(): { table: string; reason: string }[] {
    return Object.entries(needed).flatMap(([table, columns]) => {
      if (!this.#columns.has(table)) return table === 'session_message' ? [] : [{ table, reason: `no such table: ${table}` }];
      const missing = columns.filter((column) => !this.has(table, column));
      return missing.length === 0 ? [] : [{ table, reason: `no such column: ${missing.map((column) => `${table}.${column}`).join(', ')}` }];
    });
  }
}

/** What must be there for the rows of a table to make sense. */
const needed = {
  message: ['id', 'session_id', 'data'],
  part: ['id', 'message_id', 'session_id', 'data'],
  session_message: ['id', 'session_id', 'type', 'data'],
} as const;

/** All that is ever looked at: `account`, `account_state`, `control_account` and `credential` hold keys and are left alone. */
const tablesRead = new Set([
  'session', 'message', 'part', 'todo', 'project', 'project_directory', 'session_share', 'event', 'event_sequence',
  'session_message', 'session_input', 'session_context_epoch',
]);
