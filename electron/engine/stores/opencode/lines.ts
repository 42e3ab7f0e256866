import { createHash } from 'node:crypto';
import type { Damage } from '@shared/model';
import { asObject, type Fields, parsed } from '../foreign/fields';

/**
 * The raw log keeps a session as one JSON line a row version, made here:
 * `{"t":"part","of":{"role":"assistant","time":1},"r":{…the row's columns…}}`.
 * `of` says what the row alone does not: the message a part belongs to.
 */
export interface Line {
  kind: string;
  row: Fields;
  owner: Owner | null;
  /** Offset in the stream, and bytes without the line end. */
  at: number;
  bytes: number;
}

/** What a part needs to know of its message. */
export interface Owner {
  role: string | null;
  time: number | null;
  /** Its message is the text of a compaction. */
  summary: boolean;
}

/** Columns that hold JSON: they are taken into the line as they stand, so that a raw record can be read. */
const jsonColumns = new Set(['data', 'prompt', 'revert', 'permission', 'metadata', 'model', 'summary_diffs', 'sandboxes', 'commands']);

/** A row as JSON. In a column for JSON a text that is none stays a text, which tells it apart. */
export function rowJson(row: Fields): string {
  const members = Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}:${columnJson(name, value)}`);
  return `{${members.join(',')}}`;
}

/** One column's value as JSON. */
export function columnJson(name: string, value: unknown): string {
  if (value instanceof Uint8Array) return bytesJson(value, jsonColumns.has(name));
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string' && jsonColumns.has(name)) return jsonText(value);
  return JSON.stringify(value ?? null);
}

/** Bytes where a column is declared as text: JSON all the same, or kept as base64. */
function bytesJson(value: Uint8Array, mayBeJson: boolean): string {
  const bytes = Buffer.from(value);
  const text = mayBeJson ? jsonText(bytes.toString('utf8')) : '"';
  return text.startsWith('"') ? JSON.stringify(`base64:${bytes.toString('base64')}`) : text;
}

/** JSON text on one line; a text that is no JSON object or list becomes a JSON string. */
export function jsonText(text: string): string {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return JSON.stringify(text);
  return /[\n\r]/.test(text) ? JSON.stringify(value) : text;
}

export function writeLine(kind: string, row: string, owner: Owner | null = null): Buffer {
  return Buffer.from(`${lineStart(kind, owner)}${row}}\n`);
}

/** A line up to where the row begins. */
export const lineStart = (kind: string, owner: Owner | null): string => `{"t":"${kind}",${owner ? `"of":${JSON.stringify(ownerFields(owner))},` : ''}"r":`;

const ownerFields = (owner: Owner) => ({ role: owner.role, time: owner.time, ...(owner.summary ? { summary: true } : {}) });

/** The lines of a batch. A line that is none of ours is damage of the log itself, one line wide. */
export function readLines(bytes: Uint8Array, at: number): { lines: Line[]; damage: Damage[] } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines: Line[] = [];
  const damage: Damage[] = [];
  for (let start = 0; start < buffer.length; ) {
    const found = buffer.indexOf(10, start);
    const end = found < 0 ? buffer.length : found;
    if (end > start) {
      const line = readLine(buffer.subarray(start, end), at + start);
      if (line) lines.push(line);
      else damage.push({ place: 'the raw log', line: null, at: at + start, bytes: end - start, reason: 'this line is not a row of the store' });
    }
    start = end + 1;
  }
  return { lines, damage };
}

/** One line, as it stands in the stream or as a body's record. */
export function readLine(bytes: Uint8Array, at: number): Line | null {
  const line = asObject(parsed(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')));
  const row = asObject(line?.['r']);
  if (!line || !row || typeof line['t'] !== 'string') return null;
  const of = asObject(line['of']);
  const owner = of && {
    role: typeof of['role'] === 'string' ? of['role'] : null,
    time: typeof of['time'] === 'number' ? of['time'] : null,
    summary: of['summary'] === true,
  };
  return { kind: line['t'], row, owner, at, bytes: bytes.length };
}

/** Enough of a hash to see that a row changed; not a defence against anybody. */
export const shortHash = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url').slice(0, 10);
