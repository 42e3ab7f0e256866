import type { NativeId } from '@shared/model';
import type { JsonObject, Spine, SpineRecord } from '../stores/store';
import { decodeKey, messageFlag, recordFlag, roleCode } from './codes';
import type { Db } from './database';
import type { Words } from './words';

/**
 * Columns by place: a session has tens of thousands of records, and a row as an object costs twice as much. `key` is what
 * `storedKey` makes of it, since bytes as a buffer of their own cost more than all else.
 */
type Row = [
  id: number, key: string | null, parent: number | null, missing: string | Buffer | null, joins: string | Buffer | null, type: number, time: number | null,
  ord: number | null, message: number | null, flags: number, note: string | null, source: number,
];
type Message = [id: number, key: string, role: number, flags: number];

/** A key with a mark before it: `0` before 32 hex digits, `1` before a text. */
const storedKey = "iif(typeof(key) = 'blob', '0' || lower(hex(key)), '1' || key)";

const asStored = (key: string | Buffer): string => (typeof key === 'string' ? `1${key}` : `0${key.toString('hex')}`);

function keyOf(stored: string): string {
  if (stored.startsWith('1')) return stored.slice(1);
  return `${stored.slice(1, 9)}-${stored.slice(9, 13)}-${stored.slice(13, 17)}-${stored.slice(17, 21)}-${stored.slice(21)}`;
}

export interface LoadedSpine {
  spine: Spine;
  /** Row id of each record, by index. */
  ids: number[];
  indexOf: Map<number, number>;
  /** Row id of each record's message, by index. */
  messages: (number | null)[];
}

/** Reads a session's records without their bodies, as `settle` wants them. */
export class SpineReader {
  readonly #records;
  readonly #messages;
  readonly #evidence;

  constructor(
    db: Db,
    readonly words: Words,
  ) {
    this.#records = db
      .prepare<[number]>(`SELECT id, ${storedKey}, parent, missing, joins, type, time, ord, message, flags, note, source FROM record WHERE session = ? ORDER BY source, at`)
      .raw();
    this.#messages = db.prepare<[number]>(`SELECT id, ${storedKey}, role, flags FROM message WHERE session = ?`).raw();
    this.#evidence = db.prepare<[number], { source: number; slot: string; data: string; key: string }>(
      'SELECT e.source, s.key, e.slot, e.data FROM evidence e JOIN source s ON s.id = e.source WHERE e.session = ? ORDER BY e.source, e.slot',
    );
  }

  evidence(session: number): Spine['evidence'] {
    return this.#evidence.all(session).map(({ key, slot, data }) => ({ source: key, slot, data: JSON.parse(data) as JsonObject }));
  }

  load(session: number, native: NativeId, evidence: Spine['evidence'], sourceKey: (id: number) => string, now: number): LoadedSpine {
    const rows = this.#records.all(session) as Row[];
    const messageRows = new Map((this.#messages.all(session) as Message[]).map(([id, key, role, flags]) => [id, { key: keyOf(key), role: roleCode.word(role), prompt: (flags & messageFlag.prompt) !== 0 }]));
    const ids = rows.map(([id]) => id);
    const indexOf = new Map(ids.map((id, index) => [id, index]));
    const keys = rows.map(([, key]) => (key === null ? null : keyOf(key)));
    // Most links are told by row. Keys are looked up only of what came before the record it names.
    const named = new Set<string>(rows.flatMap(([, , , missing, joins]) => [missing, joins]).filter((key) => key !== null).map(asStored));
    const byKey = new Map<string, number>();
    if (named.size > 0) rows.forEach(([, key], index) => key !== null && named.has(key) && byKey.set(key, index));
    const indexOfKey = (key: string | Buffer): number | undefined => byKey.get(asStored(key));
    const messages = new Map<number, number>();
    const numberOf = (message: number): number => {
      const known = messages.get(message);
      if (known !== undefined) return known;
      messages.set(message, messages.size);
      return messages.size - 1;
    };
    const parentOf = (parent: number | null, missing: string | Buffer | null): number => {
      if (parent !== null) return indexOf.get(parent) ?? -2;
      if (missing !== null) return indexOfKey(missing) ?? -2;
      return -1;
    };
    const records = rows.map(([, , parentRow, missing, joins, type, time, order, messageRow, flags, note, source], index): SpineRecord => {
      const parent = parentOf(parentRow, missing);
      const message = messageRow === null ? undefined : messageRows.get(messageRow);
      return {
        index, key: keys[index] ?? null, parent, inChain: (flags & recordFlag.inChain) !== 0,
        missing: parent === -2 && missing !== null ? decodeKey(missing) : null,
        joins: joins === null ? -1 : (indexOfKey(joins) ?? -1),
        type: this.words.text(type), time, order,
        message: messageRow === null ? -1 : numberOf(messageRow),
        messageKey: message?.key ?? null, role: message?.role ?? null, prompt: message?.prompt ?? false,
        injected: (flags & recordFlag.injected) !== 0,
        note: note === null ? null : (JSON.parse(note) as JsonObject),
        source: sourceKey(source), gone: (flags & recordFlag.gone) !== 0,
      };
    });
    return { spine: { session: native, records, evidence, now }, ids, indexOf, messages: rows.map((row) => row[8]) };
  }
}
