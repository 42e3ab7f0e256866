import type { Db } from '../foreign/database';
import type { Fields } from '../foreign/fields';
import type { RowTables } from './rows';
import type { Schema } from './schema';

/** Prompts of the second generation that were admitted and not yet taken up. */
export class Inbox {
  readonly #waiting;
  readonly #taken;
  readonly #sessions;

  constructor(db: Db, schema: Schema, tables: RowTables) {
    const readable = schema.has('session_input', 'id', 'session_id', 'prompt', 'promoted_seq', 'admitted_seq');
    this.#waiting = readable ? db.prepare<[string]>('SELECT * FROM session_input WHERE session_id = ? AND promoted_seq IS NULL ORDER BY admitted_seq') : null;
    this.#sessions = readable ? db.prepare<[]>('SELECT DISTINCT session_id FROM session_input WHERE promoted_seq IS NULL').pluck() : null;
    this.#taken = tables.v2.readable ? db.prepare<[string]>('SELECT 1 FROM session_message WHERE id = ?') : null;
  }

  waiting(session: string): Fields[] {
    return (this.#waiting?.all(session) ?? []) as Fields[];
  }

  /** A prompt that was taken up is a message now, under the same id. */
  wasTaken(id: string): boolean {
    return this.#taken?.get(id) !== undefined;
  }

  /** Prompts come and go without a trace elsewhere; there are never many. */
  sessions(): string[] {
    return (this.#sessions?.all() ?? []) as string[];
  }
}
