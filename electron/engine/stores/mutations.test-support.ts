import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Numbers that stand for a place are taken by the remainder, so that one mutation fits every file. */
export type Mutation =
  | { kind: 'set bytes' | 'insert bytes'; file: number; at: number; bytes: number[] }
  | { kind: 'drop bytes'; file: number; at: number; count: number }
  | { kind: 'cut'; file: number; at: number }
  | { kind: 'drop record' | 'repeat record'; file: number; at: number }
  | { kind: 'swap records'; file: number; at: number; other: number }
  | { kind: 'spoil record'; file: number; at: number; column: number; value: Spoilt };

type Spoilt = string | number | null;

const number = fc.nat({ max: 2 ** 30 });
// Bytes that mean something to one of the formats, beside any others.
const byte = fc.oneof(fc.constantFrom(0, 10, 13, 34, 44, 58, 92, 91, 93, 123, 125, 0xff, 0xc3, 0xed), fc.nat({ max: 255 }));
const spoilt: fc.Arbitrary<Spoilt> = fc.constantFrom(null, '', 'x', -1, 1e18, 0.5, '{}', '[]', 'null', '{"type":"text"', '{"role":7,"time":[],"type":null}', '__proto__', '\ud800');

export const byteMutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('set bytes' as const, 'insert bytes' as const), file: number, at: number, bytes: fc.array(byte, { minLength: 1, maxLength: 24 }) }),
  fc.record({ kind: fc.constant('drop bytes' as const), file: number, at: number, count: fc.integer({ min: 1, max: 3_000 }) }),
  fc.record({ kind: fc.constant('cut' as const), file: number, at: number }),
);

export const recordMutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('drop record' as const, 'repeat record' as const), file: number, at: number }),
  fc.record({ kind: fc.constant('swap records' as const), file: number, at: number, other: number }),
  fc.record({ kind: fc.constant('spoil record' as const), file: number, at: number, column: number, value: spoilt }),
);

/** Files that an agent keeps its history in. */
const kept = /(^|\/)(\.claude\/.*\.jsonl?|\.codex\/.*(\.jsonl?|\.jsonl\.zst|\.sqlite)|\.local\/share\/opencode\/((.*\/)?storage\/.*\.json|[^/]*\.db)|\.aider\.(chat\.history\.md|input\.history|llm\.history))$/;
const isDatabase = (file: string): boolean => /\.(db|sqlite)$/.test(file);

/** A home of which files are changed, and put back. */
export class ChangeableHome {
  readonly #originals = mkdtempSync(join(tmpdir(), 'retrace-originals-'));
  readonly #files: string[];
  readonly #databases: string[];
  #changed: string[] = [];

  constructor(readonly home: string) {
    this.#files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/')).filter((name) => kept.test(name)).sort().map((name) => join(home, name));
    this.#databases = this.#files.filter(isDatabase);
    if (this.#files.length === 0) throw new Error(`${home} has no history`);
  }

  /** Files as they were when a part of them was written. Aider's other files are never ahead of its history, and come last. */
  async asTheyGrew(parts: number[], look: (isWhole: boolean) => Promise<void>): Promise<void> {
    const whole = this.#files.filter((file) => /\.(jsonl|md|history)$/.test(file)).map((file) => ({ file, bytes: readFileSync(file) }));
    for (const part of parts) {
      for (const { file, bytes } of whole) writeFileSync(file, bytes.subarray(0, file.endsWith('history') ? 0 : Math.floor(bytes.length * part)));
      await look(false);
    }
    for (const { file, bytes } of whole) writeFileSync(file, bytes);
    await look(true);
  }

  /** Where there is a database, half of the mutations fall on one. */
  change(mutation: Mutation): void {
    const among = this.#databases.length > 0 && mutation.file % 2 === 0 ? this.#databases : this.#files;
    const file = among[(mutation.file >> 1) % among.length] as string;
    this.#keep(file);
    if (!isDatabase(file)) writeFileSync(file, changedText(readFileSync(file), mutation));
    else if (/record/.test(mutation.kind)) changeRows(file, mutation);
    else writeFileSync(file, changedBytes(readFileSync(file), mutation));
  }

  restore(): void {
    for (const file of this.#changed) {
      for (const part of partsOf(file)) {
        rmSync(part, { force: true });
        if (existsSync(this.#originalOf(part))) copyFileSync(this.#originalOf(part), part);
      }
    }
    this.#changed = [];
  }

  dispose(): void {
    rmSync(this.#originals, { recursive: true, force: true });
  }

  #originalOf(file: string): string {
    return join(this.#originals, createHash('sha256').update(file).digest('hex'));
  }

  #keep(file: string): void {
    if (this.#changed.includes(file)) return;
    this.#changed.push(file);
    for (const part of partsOf(file)) if (existsSync(part)) copyFileSync(part, this.#originalOf(part));
  }
}

/** A database and the files beside it. */
const partsOf = (file: string): string[] => (isDatabase(file) ? [file, `${file}-wal`, `${file}-shm`] : [file]);

function changedBytes(bytes: Buffer, mutation: Mutation): Buffer {
  const at = mutation.at % (bytes.length + 1);
  if (mutation.kind === 'cut') return bytes.subarray(0, at);
  if (mutation.kind === 'drop bytes') return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + mutation.count)]);
  if (mutation.kind !== 'set bytes' && mutation.kind !== 'insert bytes') return bytes;
  const behind = mutation.kind === 'set bytes' ? at + mutation.bytes.length : at;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(mutation.bytes), bytes.subarray(behind)]);
}

function changedText(bytes: Buffer, mutation: Mutation): Buffer {
  if (!/record/.test(mutation.kind)) return changedBytes(bytes, mutation);
  // Latin-1 keeps every byte as it is.
  const lines = bytes.toString('latin1').split('\n');
  const at = mutation.at % lines.length;
  const line = lines[at] ?? '';
  if (mutation.kind === 'drop record') lines.splice(at, 1);
  if (mutation.kind === 'repeat record') lines.splice(at, 0, line);
  if (mutation.kind === 'swap records') {
    const other = mutation.other % lines.length;
    [lines[at], lines[other]] = [lines[other] ?? '', line];
  }
  if (mutation.kind === 'spoil record') lines[at] = spoiltLine(line, mutation.column, mutation.value);
  return Buffer.from(lines.join('\n'), 'latin1');
}

/** One value anywhere in the record becomes another. */
function spoiltLine(line: string, place: number, value: Spoilt): string {
  const values = [...line.matchAll(/(?<=":)("(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null|\{|\[)/g)];
  const found = values[place % Math.max(1, values.length)];
  if (!found) return `${JSON.stringify(value)}${line}`;
  // A bracket that goes leaves its partner: that line is no JSON any more.
  return line.slice(0, found.index) + JSON.stringify(value) + line.slice(found.index + found[0].length);
}

function changeRows(file: string, mutation: Mutation): void {
  const db = new Database(file);
  try {
    db.pragma('foreign_keys = OFF');
    db.pragma('ignore_check_constraints = ON');
    const tables = (db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE '%WITHOUT ROWID%' ORDER BY name").pluck().all() as string[])
      .filter((name) => (db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number) > 0);
    const table = tables[mutation.at % Math.max(1, tables.length)];
    if (table !== undefined) new Rows(db, table).change(mutation);
  } finally {
    db.close();
  }
}

class Rows {
  readonly #columns: string[];
  readonly #ids: number[];

  constructor(
    readonly db: Database.Database,
    readonly table: string,
  ) {
    this.#columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
    this.#ids = db.prepare(`SELECT rowid FROM "${table}" ORDER BY rowid`).pluck().all() as number[];
  }

  change(mutation: Mutation): void {
    const row = this.#row(mutation.at >> 3);
    if (mutation.kind === 'drop record') this.#run(`DELETE FROM "${this.table}" WHERE rowid = ?`, row);
    if (mutation.kind === 'repeat record') this.#repeat(row);
    if (mutation.kind === 'swap records') this.#swap(row, this.#row(mutation.other), this.#column(mutation.other));
    if (mutation.kind === 'spoil record') this.#run(`UPDATE "${this.table}" SET "${this.#column(mutation.column)}" = ? WHERE rowid = ?`, mutation.value, row);
  }

  #row(place: number): number {
    return this.#ids[place % this.#ids.length] as number;
  }

  #column(place: number): string {
    return this.#columns[place % this.#columns.length] as string;
  }

  /** The copy gets an id of its own. */
  #repeat(row: number): void {
    const [id, ...others] = this.#columns.map((name) => `"${name}"`);
    this.#run(`INSERT INTO "${this.table}" (${[id, ...others].join(', ')}) SELECT ${[`${id} || 'x'`, ...others].join(', ')} FROM "${this.table}" WHERE rowid = ?`, row);
  }

  #swap(a: number, b: number, column: string): void {
    const value = (row: number) => this.db.prepare(`SELECT "${column}" FROM "${this.table}" WHERE rowid = ?`).pluck().get(row);
    const [ofA, ofB] = [value(a), value(b)];
    this.#run(`UPDATE "${this.table}" SET "${column}" = ? WHERE rowid = ?`, ofB, a);
    this.#run(`UPDATE "${this.table}" SET "${column}" = ? WHERE rowid = ?`, ofA, b);
  }

  /** What the table's own rules refuse is no mutation. */
  #run(sql: string, ...values: unknown[]): void {
    try {
      this.db.prepare(sql).run(...values);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_'))) throw error;
    }
  }
}
