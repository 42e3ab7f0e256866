import type { Statement } from 'better-sqlite3';
import type { Db } from '../foreign/database';
import { columnJson, lineStart } from './lines';
import type { Owners } from './owners';
import type { ListedRow, TableSlot } from './rows';
import type { Schema } from './schema';

/** Rows fetched by one statement. */
const rowsAtOnce = 32;
/** Bytes of such rows together; a larger row is fetched alone. */
const bytesAtOnce = 1 << 20;

/** What the statement says before the row's own columns. */
type Told = [rowid: number, valid: number | null, role: unknown, summary: unknown];
const told = 4;

const newline = 10;
const carriageReturn = 13;
const objectOrList = new Set([0x7b, 0x5b]);

/**
 * Lines of the log made of rows whose `data` is sound JSON on one line, as nearly all are: SQLite checks it, and its
 * bytes go into the line as they are, without becoming a text on the way. Other rows are left to `rowJson`.
 */
export class RowLines {
  readonly #rows: Statement<number[]> | null;
  readonly #names: string[] = [];
  readonly #data: number = -1;
  readonly #key: number = -1;
  readonly #time: number = -1;
  readonly #message: number = -1;

  constructor(
    db: Db,
    schema: Schema,
    readonly slot: TableSlot,
    table: { name: string; readable: boolean },
    readonly owners: Owners,
  ) {
    // In another encoding the bytes of a text are no JSON.
    const readable = table.readable && schema.has(table.name, 'id', 'data') && db.pragma('encoding', { simple: true }) === 'UTF-8';
    this.#rows = null;
    if (!readable) return;
    const columns = db.prepare(`SELECT * FROM ${table.name}`).columns().map(({ name }) => name);
    const list = columns.map((name) => (name === 'data' ? 'CAST(data AS BLOB)' : `"${name.replaceAll('"', '""')}"`)).join(', ');
    const ofMessage = slot === 'message' ? "CASE WHEN json_valid(data) THEN json_extract(data, '$.role') END, CASE WHEN json_valid(data) THEN json_type(data, '$.summary') END" : 'NULL, NULL';
    this.#rows = db
      .prepare<number[]>(`SELECT rowid, typeof(data) = 'text' AND json_valid(data), ${ofMessage}, ${list} FROM ${table.name} WHERE rowid IN (${Array(rowsAtOnce).fill('?').join(', ')})`)
      .raw();
    this.#names = columns;
    this.#data = columns.indexOf('data');
    this.#key = columns.indexOf('id');
    this.#time = columns.indexOf('time_created');
    this.#message = columns.indexOf('message_id');
  }

  /** Lines of the next rows of a list from a place in it on, by row number, and the place behind them. A row without a line is read by itself. */
  next(listed: readonly ListedRow[], from: number): [lines: Map<number, Buffer>, end: number] {
    const lines = new Map<number, Buffer>();
    const rowids: number[] = [];
    for (let at = from, bytes = 0; at < listed.length && rowids.length < rowsAtOnce; at++) {
      const row = listed[at] as ListedRow;
      bytes += row.bytes;
      if (bytes > bytesAtOnce) break;
      rowids.push(row.rowid);
    }
    const end = from + Math.max(1, rowids.length);
    const [first] = rowids;
    if (!this.#rows || first === undefined) return [lines, end];
    while (rowids.length < rowsAtOnce) rowids.push(first);
    for (const row of this.#fetched(rowids)) {
      const line = this.#line(row);
      if (line) lines.set(row[0] as number, line);
    }
    return [lines, end];
  }

  #fetched(rowids: number[]): unknown[][] {
    try {
      return (this.#rows?.all(...rowids) ?? []) as unknown[][];
    } catch {
      // Read one by one, which names what is wrong and where.
      return [];
    }
  }

  #line(row: unknown[]): Buffer | null {
    const [, valid, role, summary] = row as Told;
    const value = (name: number): unknown => (name < 0 ? null : row[told + name]);
    const data = value(this.#data);
    if (valid !== 1 || !(data instanceof Uint8Array) || !isOneLine(data)) return null;
    if (this.slot === 'message') this.owners.learn(value(this.#key), { time: value(this.#time), role, summary });
    const message = value(this.#message);
    const owner = this.slot === 'part' ? this.owners.of(typeof message === 'string' ? message : '') : null;
    let start = lineStart(this.slot, owner);
    let end = '';
    this.#names.forEach((name, place) => {
      const member = `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      if (place < this.#data) start += member + columnJson(name, value(place));
      else if (place === this.#data) start += member;
      else end += member + columnJson(name, value(place));
    });
    return Buffer.concat([Buffer.from(start), data, Buffer.from(`${end}}}\n`)]);
  }
}

/** A JSON object or list without a line end. SQLite takes a zero for the end of a text. */
function isOneLine(data: Uint8Array): boolean {
  return objectOrList.has(data[0] ?? 0) && !data.includes(newline) && !data.includes(carriageReturn) && !data.includes(0);
}
