import Database from 'better-sqlite3';

/** Every row of the tables that hold sessions, as text; or only those of one session. */
export function rowsOf(file: string, session?: string): Record<string, string[]> {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return Object.fromEntries(
      ['session', 'message', 'part', 'todo'].map((table) => {
        const key = table === 'session' ? 'id' : 'session_id';
        const rows = session === undefined ? db.prepare(`SELECT * FROM ${table}`).all() : db.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`).all(session);
        return [table, rows.map((row) => JSON.stringify(row)).sort()];
      }),
    );
  } finally {
    db.close();
  }
}

/** What SQLite's own checks say of a database. */
export function checked(file: string): unknown[] {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return [db.pragma('integrity_check', { simple: true }), db.pragma('foreign_key_check')];
  } finally {
    db.close();
  }
}
