import type { Statement } from 'better-sqlite3';
import type { Owner } from './lines';
import { asNumber, asText, type Fields } from './records';
import type { Reading } from './look';

/** Messages remembered while the parts of a session are read; parts of one message stand close together. */
const remembered = 4_000;

/** Tells what parts need to know of their messages, and which messages a person wrote. JSON that is none says nothing. */
export class Owners {
  readonly #known = new Map<string, Owner | null>();
  readonly #owner: Statement<[string]> | null;
  readonly #typed: Statement<[string]> | null;

  constructor({ db, schema, tables }: Reading) {
    const time = schema.has('message', 'time_created') ? 'time_created' : 'NULL';
    this.#owner = tables.message.readable
      ? db.prepare(
          `SELECT ${time} AS time, CASE WHEN json_valid(data) THEN json_extract(data, '$.role') END AS role,
             CASE WHEN json_valid(data) THEN json_type(data, '$.summary') END AS summary FROM message WHERE id = ?`,
        )
      : null;
    // A person's message holds a text that the program did not write, a file, or a command that is a subtask.
    this.#typed = tables.part.readable
      ? db.prepare(
          `SELECT 1 FROM part WHERE message_id = ? AND json_valid(data) AND (
             json_extract(data, '$.type') IN ('file', 'subtask') OR (json_extract(data, '$.type') = 'text' AND json_extract(data, '$.synthetic') IS NOT 1)) LIMIT 1`,
        )
      : null;
  }

  of(message: string): Owner | null {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const row = this.#owner?.get(message) as Fields | undefined;
    const owner = row ? { role: asText(row['role']), time: asNumber(row['time']), summary: row['summary'] === 'true' } : null;
    if (this.#known.size >= remembered) this.#known.clear();
    this.#known.set(message, owner);
    return owner;
  }

  /** A message of the person, as its parts tell. */
  isTyped(message: string): boolean {
    return this.of(message)?.role === 'user' && this.#typed?.get(message) !== undefined;
  }
}
