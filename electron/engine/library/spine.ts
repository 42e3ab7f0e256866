import type { NativeId } from '@shared/model';
import type { JsonObject, Spine, SpineRecord } from '../stores/store';
import { decodeKey, messageFlag, recordFlag, roleCode } from './codes';
import type { Db } from './database';
import type { Words } from './words';

interface Row {
  id: number;
  key: string | Buffer | null;
  parent: number | null;
  missing: string | Buffer | null;
  joins: string | Buffer | null;
  type: number;
  time: number | null;
  ord: number | null;
  message: number | null;
  messageKey: string | Buffer | null;
  role: number | null;
  messageFlags: number | null;
  flags: number;
  note: string | null;
  source: number;
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
  readonly #evidence;

  constructor(
    db: Db,
    readonly words: Words,
  ) {
    this.#records = db.prepare<[number], Row>(
      `SELECT r.id, r.key, r.parent, r.missing, r.joins, r.type, r.time, r.ord, r.message, m.key AS messageKey, m.role, m.flags AS messageFlags, r.flags, r.note, r.source
       FROM record r LEFT JOIN message m ON m.id = r.message WHERE r.session = ? ORDER BY r.source, r.at`,
    );
    this.#evidence = db.prepare<[number], { source: number; slot: string; data: string; key: string }>(
      'SELECT e.source, s.key, e.slot, e.data FROM evidence e JOIN source s ON s.id = e.source WHERE e.session = ? ORDER BY e.source, e.slot',
    );
  }

  evidence(session: number): Spine['evidence'] {
    return this.#evidence.all(session).map(({ key, slot, data }) => ({ source: key, slot, data: JSON.parse(data) as JsonObject }));
  }

  load(session: number, native: NativeId, evidence: Spine['evidence'], sourceKey: (id: number) => string, now: number): LoadedSpine {
    const rows = this.#records.all(session);
    const ids = rows.map((row) => row.id);
    const indexOf = new Map(ids.map((id, index) => [id, index]));
    const keys = rows.map((row) => (row.key === null ? null : decodeKey(row.key)));
    const indexOfKey = new Map<string, number>();
    keys.forEach((key, index) => key !== null && indexOfKey.set(key, index));
    const messages = new Map<number, number>();
    const numberOf = (message: number): number => {
      const known = messages.get(message);
      if (known !== undefined) return known;
      messages.set(message, messages.size);
      return messages.size - 1;
    };
    const parentOf = (row: Row): number => {
      if (row.parent !== null) return indexOf.get(row.parent) ?? -2;
      if (row.missing !== null) return indexOfKey.get(decodeKey(row.missing)) ?? -2;
      return -1;
    };
    const records = rows.map((row, index): SpineRecord => {
      const parent = parentOf(row);
      return {
        index, key: keys[index] ?? null, parent, inChain: (row.flags & recordFlag.inChain) !== 0,
        missing: parent === -2 && row.missing !== null ? decodeKey(row.missing) : null,
        joins: row.joins === null ? -1 : (indexOfKey.get(decodeKey(row.joins)) ?? -1),
        type: this.words.text(row.type), time: row.time, order: row.ord,
        message: row.message === null ? -1 : numberOf(row.message),
        messageKey: row.messageKey === null ? null : decodeKey(row.messageKey),
        role: row.role === null ? null : roleCode.word(row.role),
        prompt: ((row.messageFlags ?? 0) & messageFlag.prompt) !== 0,
        injected: (row.flags & recordFlag.injected) !== 0,
        note: row.note === null ? null : (JSON.parse(row.note) as JsonObject),
        source: sourceKey(row.source), gone: (row.flags & recordFlag.gone) !== 0,
      };
    });
    return { spine: { session: native, records, evidence, now }, ids, indexOf, messages: rows.map((row) => row.message) };
  }
}
