import { type KnownSource, type RawBatch, recordLimit } from '../store';
import { Batches } from './batches';
import { sessionCursor, emptySession, emptyTable, readSessionCursor, type SessionCursor, type TableCursor } from './cursors';
import { inOneState, isSqliteError, refusalOf } from '../foreign/database';
import { rowJson, shortHash, writeLine } from './lines';
import type { Look, Reading } from './look';
import { asText, type Fields } from '../foreign/fields';
import { isOver, type ListedRow, margin, recentOnly, type RowTable, type TablePlan, type TableSlot } from './rows';
import type { Single } from './singles';

/** A session of a database with something new, as the survey found it. */
export interface RowsHandle {
  look: Look;
  /** The database's file name. */
  database: string;
  session: string;
}

const slots: readonly TableSlot[] = ['message', 'part', 'v2'];

/**
 * Reads the rows of a session that are new or changed since the cursor. Statements are short and never span two
 * batches: no transaction is open while a batch is worked on, so the program can write and checkpoint in between.
 */
export function* readSessionRows(key: string, { look, database, session }: RowsHandle, known: KnownSource | undefined): Iterable<RawBatch> {
  const { reading } = look.database(database);
  // Refused now although the survey could open it: it stays unread, and the next survey says why.
  if (!reading) return;
  const reader = new SessionReader(key, look, database, session, reading, known);
  try {
    yield* reader.read();
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    // Busy now: it stays unread and comes again.
    if (refusalOf(error).kind !== 'busy') yield reader.failed(error);
  }
}

class SessionReader {
  readonly #out: Batches;
  #cursor: SessionCursor;

  constructor(
    readonly key: string,
    readonly look: Look,
    readonly database: string,
    readonly session: string,
    readonly reading: Reading,
    readonly known: KnownSource | undefined,
  ) {
    const cursor = known && readSessionCursor(known.cursor);
    this.#cursor = cursor ?? emptySession();
    this.#out = new Batches(key, cursor ? known.length : 0, known !== undefined && !cursor);
  }

  *read(): Iterable<RawBatch> {
    const row = this.reading.singles.row(this.session);
    if (!row) return void this.look.unread.delete(this.key);
    let plans = this.#plans();
    const updated = Number(row['time_updated']) || 0;
    const lost = slots.some((slot) => !plans[slot].intact);
    if (updated < this.#cursor.updated || (lost && !this.known?.keys)) {
      this.#startAgain();
      plans = this.#plans();
    } else if (lost) {
      plans = this.#compareIds(plans);
    }
    this.#writeSingles(row);
    for (const slot of slots) yield* this.#readTable(slot, plans[slot]);
    this.#soundly('session_input', undefined, () => this.#writeInbox());
    this.#cursor.updated = updated;
    this.#cursor.open = this.#soundly('message', false, () => this.reading.calls.isOpen(this.session)) || Object.keys(this.#cursor.inputs).length > 0;
    // Written to while it was read as a file at rest: what was read does not belong together, and is read again.
    if (!this.look.holds(this.database, this.reading)) return;
    this.look.open.set(this.session, this.#cursor.open);
    this.look.unread.delete(this.key);
    if (!this.#out.isEmpty || this.#differs()) yield this.#take();
  }

  /** What could be read stays; the rest is named, and tried again when the database changes. */
  failed(error: unknown): RawBatch {
    this.look.unread.delete(this.key);
    this.#report(`the rows of ${this.session} could not be read: ${refusalOf(error).reason}`);
    return this.#take();
  }

  /** One state of all tables: counts and lists belong together. */
  #plans(): Record<TableSlot, TablePlan> {
    const plan = (slot: TableSlot) => {
      const { count, sum, max } = this.#cursor[slot];
      const nothing: TablePlan = { rows: [], now: { count, sum, max }, intact: true, problem: null };
      return this.#soundly(this.#table(slot).name, nothing, () => this.#table(slot).plan(this.session, this.#cursor[slot]));
    };
    return inOneState(this.reading.db, () => ({ message: plan('message'), part: plan('part'), v2: plan('v2') }));
  }

  /** Asks what may be damaged: SQLite's words are reported, and the rest of the session is read all the same. */
  #soundly<T>(what: string, otherwise: T, ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      if (!isSqliteError(error) || refusalOf(error).kind === 'busy') throw error;
      this.#report(`${what} of ${this.session}: ${refusalOf(error).reason}`);
      return otherwise;
    }
  }

  /** Rows went away (a revert was made final, say) or row numbers moved: what is new and what is gone is told by the ids. */
  #compareIds(plans: Record<TableSlot, TablePlan>): Record<TableSlot, TablePlan> {
    const held = new Set(this.known?.keys?.() ?? []);
    const here = new Set(Object.keys(this.#cursor.inputs));
    let isWhole = true;
    for (const slot of slots) {
      const nothing: ReturnType<RowTable['list']> = { rows: [], problem: 'nothing of it could be listed' };
      const { rows: all, problem } = this.#soundly(this.#table(slot).name, nothing, () => this.#table(slot).list(this.session, 0, 0));
      if (problem !== null) isWhole = false;
      for (const { id } of all) here.add(id);
      const since = this.#cursor[slot].at;
      if (!plans[slot].intact) plans[slot].rows = all.filter(({ id, at }) => !held.has(id) || at > since);
    }
    // A list that ends in damage is no proof that what is missing in it was deleted.
    for (const id of isWhole ? held : []) if (!here.has(id)) this.#out.add(writeLine('gone', JSON.stringify({ id })));
    return plans;
  }

  #startAgain(): void {
    this.#cursor = emptySession();
    this.#out.at = 0;
    this.#out.restarts = true;
  }

  #writeSingles(row: Fields): void {
    const place = { layout: 'database', name: this.database, hidden: false };
    for (const single of this.reading.singles.lines(this.session, row, place, (what, ask) => this.#soundly(what, null, ask))) this.#writeSingle(single);
    for (const single of this.#soundly('calls', [], () => this.#callsOf(row))) this.#writeSingle(single);
  }

  #callsOf(row: Fields): Single[] {
    const parent = asText(row['parent_id']);
    const caller = parent !== null && !('caller' in this.#cursor.single) && this.reading.calls.callerOf(this.session, parent, Number(row['time_created']) || 0);
    return [
      ...(caller ? [{ slot: 'caller', line: writeLine('caller', JSON.stringify({ parent, ...caller })) }] : []),
      ...this.reading.calls.helpersOf(this.session).map((helper) => ({ slot: `helper ${helper.id}`, line: writeLine('helper', JSON.stringify(helper)) })),
    ];
  }

  #writeSingle({ slot, line }: Single): void {
    const hash = shortHash(line);
    if (this.#cursor.single[slot] === hash) return;
    this.#cursor.single[slot] = hash;
    this.#out.add(line);
  }

  *#readTable(slot: TableSlot, plan: TablePlan): Iterable<RawBatch> {
    const table = this.#table(slot);
    const before = this.#cursor[slot];
    const newest = plan.rows.reduce((at, row) => Math.max(at, row.at), before.at);
    const next: TableCursor = { ...emptyTable(), at: newest };
    let passed = false;
    if (plan.problem !== null) this.#report(`not all rows of ${table.name} of ${this.session} could be listed: ${plan.problem}`);
    let lines: ReadonlyMap<number, Buffer> = new Map();
    let fetched = 0;
    for (const [place, row] of plan.rows.entries()) {
      if (place >= fetched) [lines, fetched] = this.reading.lines[slot].next(plan.rows, place);
      if (!passed && plan.intact && row.rowid > before.max) {
        // All changed rows are read: from here on each new row that was read counts by itself.
        passed = true;
        this.#cursor[slot] = { ...before, at: newest, edge: isOver(newest) ? {} : next.edge };
      }
      const hash = this.#writeRow(slot, table, row, lines.get(row.rowid), before.edge[row.id], row.at >= newest - margin);
      if (hash !== null) next.edge[row.id] = hash;
      if (passed) this.#count(this.#cursor[slot], row);
      if (!this.#out.isFull) continue;
      yield this.#take();
      if (!this.look.holds(this.database, this.reading)) return;
      // What was fetched before is not taken for the present.
      fetched = 0;
    }
    this.#cursor[slot] = { ...next, ...plan.now, edge: recentOnly(next.edge, newest) };
  }

  #count(cursor: TableCursor, row: ListedRow): void {
    cursor.count++;
    cursor.sum += row.rowid;
    cursor.max = row.rowid;
  }

  /** Writes a row unless it is as it was. Gives the hash of one that is looked at again. */
  #writeRow(slot: TableSlot, table: RowTable, listed: ListedRow, fetched: Buffer | undefined, known: string | undefined, isRecent: boolean): string | null {
    const what = `${table.name} ${listed.id}`;
    if (listed.bytes > recordLimit) {
      this.#report(`${what} is too large to be taken in`, listed.bytes);
      return null;
    }
    const line = fetched ?? this.#lineOf(slot, listed, this.#rowOf(table, listed, what));
    if (!line) return null;
    const hash = isRecent || known !== undefined ? shortHash(line) : null;
    if (known === undefined || hash !== known) this.#out.add(line);
    return isRecent ? hash : null;
  }

  #rowOf(table: RowTable, listed: ListedRow, what: string): Fields | undefined {
    try {
      return table.row(listed.rowid);
    } catch (error) {
      const { kind, reason } = refusalOf(error);
      if (kind === 'busy') throw error;
      this.#report(`${what}: ${reason}`, listed.bytes);
      return undefined;
    }
  }

  #lineOf(slot: TableSlot, listed: ListedRow, row: Fields | undefined): Buffer | null {
    return row === undefined ? null : writeLine(slot, rowJson(row), slot === 'part' ? this.reading.owners.of(listed.message ?? '') : null);
  }

  /** Prompts that wait in the inbox exist nowhere else; one that was taken up comes back as a message with the same id. */
  #writeInbox(): void {
    const before = this.#cursor.inputs;
    this.#cursor.inputs = {};
    for (const row of this.reading.inbox.waiting(this.session)) {
      const id = asText(row['id']);
      if (id === null) continue;
      const line = writeLine('input', rowJson(row));
      const hash = (this.#cursor.inputs[id] = shortHash(line));
      if (before[id] !== hash) this.#out.add(line);
    }
    for (const id of Object.keys(before)) if (!(id in this.#cursor.inputs) && !this.reading.inbox.wasTaken(id)) this.#out.add(writeLine('gone', JSON.stringify({ id })));
  }

  #table(slot: TableSlot): RowTable {
    return this.reading.tables[slot];
  }

  #take(): RawBatch {
    return this.#out.take(sessionCursor(this.#cursor));
  }

  /** Nothing to write, but something to remember: the next look must not start from the old cursor. */
  #differs(): boolean {
    return this.known !== undefined && JSON.stringify(readSessionCursor(this.known.cursor)) !== JSON.stringify(this.#cursor);
  }

  #report(reason: string, bytes: number | null = null): void {
    this.#out.report({ place: this.database, line: null, bytes, reason });
  }
}
