import { join } from 'node:path';
import { Calls } from './calls';
import { type Db, type OpenedDatabase, openWithoutTrace, type Refusal, refusalOf } from '../foreign/database';
import { Inbox } from './inbox';
import { Owners } from './owners';
import { RowLines } from './row-lines';
import { RowTables, type TableSlot } from './rows';
import { Schema } from './schema';
import { Singles } from './singles';

/** A database that is open for reading, with its statements: they are prepared once, not for each session. */
export class Reading {
  readonly schema: Schema;
  readonly tables: RowTables;
  readonly singles: Singles;
  readonly calls: Calls;
  readonly owners: Owners;
  readonly lines: Readonly<Record<TableSlot, RowLines>>;
  readonly inbox: Inbox;

  constructor(
    readonly db: Db,
    folder: string,
  ) {
    this.schema = new Schema(db);
    this.tables = new RowTables(db, this.schema);
    this.singles = new Singles(db, this.schema, folder);
    this.calls = new Calls(db, this.schema, this.tables);
    this.owners = new Owners(db, this.schema, this.tables);
    const linesOf = (slot: TableSlot) => new RowLines(db, this.schema, slot, this.tables[slot], this.owners);
    this.lines = { message: linesOf('message'), part: linesOf('part'), v2: linesOf('v2') };
    this.inbox = new Inbox(db, this.schema, this.tables);
  }
}

/** Milliseconds after which files are closed that nobody asked for; a pass may stop in the middle and never come back. */
const idleAtMost = 5_000;

/** One look at a data folder: the survey, and the reading of what it found. Databases stay open in between. */
export class Look {
  /** Sources that were found to have something new and are not read to the end. */
  readonly unread = new Set<string>();
  /** Sessions whose last reply has no end, as their reading told; others are as they were. */
  readonly open = new Map<string, boolean>();
  readonly #databases = new Map<string, { opened: OpenedDatabase; reading: Reading }>();
  #idle: NodeJS.Timeout | null = null;

  constructor(readonly folder: string) {}

  /** Opens a database, or says why not. What was open and may not hold together any more is opened anew. */
  database(name: string): { reading: Reading; refusal?: never } | { refusal: Refusal; reading?: never } {
    this.#stayOpen();
    const known = this.#databases.get(name);
    if (known && !known.opened.isStale()) return { reading: known.reading };
    if (known) this.#close(name);
    const { opened, refusal } = openWithoutTrace(join(this.folder, name));
    if (!opened) return { refusal };
    try {
      const reading = new Reading(opened.db, this.folder);
      this.#databases.set(name, { opened, reading });
      return { reading };
    } catch (error) {
      opened.close();
      return { refusal: refusalOf(error) };
    }
  }

  /** Whether what is read from it now belongs with what was read before. */
  holds(name: string, reading: Reading): boolean {
    this.#stayOpen();
    const known = this.#databases.get(name);
    return known?.reading === reading && !known.opened.isStale();
  }

  close(): void {
    if (this.#idle) clearTimeout(this.#idle);
    for (const name of this.#databases.keys()) this.#close(name);
  }

  #close(name: string): void {
    this.#databases.get(name)?.opened.close();
    this.#databases.delete(name);
  }

  #stayOpen(): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), idleAtMost);
    this.#idle.unref();
  }
}
