import type { Damage } from '@shared/model';
import { asObject, type Fields, parsed } from './fields';
import { isTooDeep, mayBeTooDeep, tooDeepReason } from './nesting';

/** Where a record stands: offset of its first byte in the stream, and its bytes without the line end. */
export interface LinePlace {
  at: number;
  bytes: number;
  /** Number of its line, from 1. */
  line: number;
}

/** What the records of a format look like, to find whole ones in a damaged line, and what is said of them there. */
export interface LineRules {
  /** How a record begins. */
  heads: readonly string[];
  /** Tells a record from an object inside a broken one. */
  isRecord(fields: Fields): boolean;
  /** Said of two records on one line. */
  twoOnOneLine: string;
  /** Said of a record on a line whose beginning an earlier batch held; null where it is not told. */
  second: string | null;
}

export interface LineReader {
  readonly rules: LineRules;
  /** Says from the beginning of a line that it need not be parsed. */
  skips?(beginningOf: (bytes: number) => string, place: LinePlace): boolean;
  record(fields: Fields, place: LinePlace): void;
  damage(damage: Omit<Damage, 'place'>): void;
}

const lf = 10;
const cr = 13;
const nul = 0;
const brace = 0x7b;
const closingBrace = 0x7d;

/** Longest line in which the remains of a record are looked for. */
const salvageBytes = 8 * 1024 * 1024;
/** Places in a damaged line at which a record could begin, tried from the first. */
const salvageTries = 12;

/**
 * Reads the lines of a batch of JSON objects. A bad line costs that line: what can still be made out in it is shown all
 * the same, and the place is named (FORMAT.md of the store, "Damage"). `line` counts line ends before the batch; `open`
 * says that the batch before ended inside a line. Returns both for the next batch.
 */
export function readLines(bytes: Uint8Array, at: number, line: number, open: boolean, reader: LineReader): { line: number; open: boolean } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines = new BatchLines(buffer, at, reader);
  let count = line;
  let joined = open;
  for (let start = 0; start < buffer.length; ) {
    const found = buffer.indexOf(lf, start);
    const end = found < 0 ? buffer.length : found;
    lines.take(start, end, count + 1, joined);
    joined = found < 0 && (joined || end > start);
    if (found >= 0) count++;
    start = end + 1;
  }
  return { line: count, open: joined };
}

class BatchLines {
  constructor(
    readonly buffer: Buffer,
    readonly offset: number,
    readonly reader: LineReader,
  ) {}

  take(start: number, lineEnd: number, line: number, joined: boolean): void {
    const { buffer, reader } = this;
    let from = start;
    let to = lineEnd;
    if (from + this.offset === 0 && buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) from += 3;
    while (to > from && isSpace(buffer[to - 1])) to--;
    while (from < to && isSpace(buffer[from])) from++;
    if (from === to) return;
    if (buffer[to - 1] === closingBrace && buffer[from] === brace && this.#skips(from, to, line)) return;
    const fields = this.#parse(from, to);
    if (!fields) return this.#salvage(from, to, line);
    if (joined && reader.rules.second !== null) this.#damage(line, from, to, reader.rules.second);
    this.#record(fields, from, to, line);
  }

  #skips(from: number, to: number, line: number): boolean {
    const beginningOf = (bytes: number) => this.buffer.toString('latin1', from, Math.min(to, from + bytes));
    return this.reader.skips?.(beginningOf, { at: this.offset + from, bytes: to - from, line }) ?? false;
  }

  #record(fields: Fields, from: number, to: number, line: number): void {
    if (mayBeTooDeep(to - from) && isTooDeep(fields)) this.#damage(line, from, to, tooDeepReason);
    this.reader.record(fields, { at: this.offset + from, bytes: to - from, line });
  }

  #damage(line: number, from: number, to: number, reason: string): void {
    this.reader.damage({ line, at: this.offset + from, bytes: to - from, reason });
  }

  #parse(from: number, to: number): Fields | null {
    return this.buffer[from] === brace ? asObject(parsed(this.buffer.toString('utf8', from, to))) : null;
  }

  #salvage(from: number, to: number, line: number): void {
    const { buffer } = this;
    let begin = from;
    while (begin < to && (buffer[begin] === nul || isSpace(buffer[begin]))) begin++;
    if (begin === to) return this.#damage(line, from, to, 'NUL bytes, no record');
    let end = to;
    while (end > begin && (buffer[end - 1] === nul || isSpace(buffer[end - 1]))) end--;
    if (begin > from || end < to) {
      const fields = this.#parse(begin, end);
      if (fields) {
        this.#damage(line, from, to, `${begin - from + (to - end)} NUL bytes beside a record; the record is shown`);
        return this.#record(fields, begin, end, line);
      }
    }
    if (to - from <= salvageBytes && (this.#splitInTwo(begin, end, from, to, line) || this.#findLast(begin, end, from, line))) return;
    this.#damage(line, from, to, this.#describe(begin, end));
  }

  /** Two whole records without a line end between them: both are shown. */
  #splitInTwo(begin: number, end: number, from: number, to: number, line: number): boolean {
    for (const seam of this.#places('}{', begin, end)) {
      const first = this.#parse(begin, seam + 1);
      const second = first && this.#parse(seam + 1, end);
      if (!first || !second) continue;
      this.#damage(line, from, to, this.reader.rules.twoOnOneLine);
      this.#record(first, begin, seam + 1, line);
      this.#record(second, seam + 1, end, line);
      return true;
    }
    return false;
  }

  /** Half a record with a whole one after it, as a writer leaves that died and was started again: the whole one is shown. */
  #findLast(begin: number, end: number, from: number, line: number): boolean {
    for (const head of this.reader.rules.heads) {
      for (const start of this.#places(head, begin + 1, end)) {
        const fields = this.#parse(start, end);
        // An object inside the broken record could be whole, too.
        if (!fields || !this.reader.rules.isRecord(fields)) continue;
        this.#damage(line, from, start, `${start - from} bytes that are no whole record, before one that is shown`);
        this.#record(fields, start, end, line);
        return true;
      }
    }
    return false;
  }

  *#places(text: string, from: number, to: number): Iterable<number> {
    let at = this.buffer.indexOf(text, from);
    for (let tries = 0; at >= 0 && at < to && tries < salvageTries; tries++) {
      yield at;
      at = this.buffer.indexOf(text, at + 1);
    }
  }

  #describe(from: number, to: number): string {
    const { buffer } = this;
    if (buffer.subarray(from, to).includes(nul)) return 'NUL bytes inside a record';
    if (buffer[from] !== brace) return 'not a record: it does not begin as a JSON object';
    return buffer[to - 1] === closingBrace ? 'not a record: no valid JSON' : 'half a record: it ends in the middle';
  }
}

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === cr;
