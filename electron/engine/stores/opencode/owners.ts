import type { Statement } from 'better-sqlite3';
import type { Db } from '../foreign/database';
import type { Owner } from './lines';
import { asNumber, asText, type Fields } from '../foreign/fields';
import type { RowTables } from './rows';
import type { Schema } from './schema';

/** Messages remembered while the parts of a session are read; parts of one message stand close together. */
const remembered = 20_000;

/** Tells what parts need to know of their messages. JSON that is none says nothing. */
export class Owners {
  readonly #known = new Map<string, Owner | null>();
  readonly #owner: Statement<[string]> | null;

  constructor(db: Db, schema: Schema, tables: RowTables) {
    const time = schema.has('message', 'time_created') ? 'time_created' : 'NULL';
    this.#owner = tables.message.readable
      ? db.prepare(
          `SELECT ${time} AS time, CASE WHEN json_valid(data) THEN json_extract(data, '$.role') END AS role,
             CASE WHEN json_valid(data) THEN json_type(data, '$.summary') END AS summary FROM message WHERE id = ?`,
        )
      : null;
  }

  of(message: string): Owner | null {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const row = this.#owner?.get(message) as Fields | undefined;
    const owner = row ? ownerOf(row) : null;
    this.#remember(message, owner);
    return owner;
  }

  /** A message that was just read tells its parts, which come next. */
  learn(message: unknown, fields: Fields): void {
    if (typeof message === 'string') this.#remember(message, ownerOf(fields));
  }

  #remember(message: string, owner: Owner | null): void {
    if (this.#known.size >= remembered) this.#known.clear();
    this.#known.set(message, owner);
  }
}

const ownerOf = ({ role, time, summary }: Fields): Owner => ({ role: asText(role), time: asNumber(time), summary: summary === 'true' });
