import type { Diagnosis } from '@shared/model';
import { decodeKey, familyCode, kindCode, messageFlag } from '../library/codes';
import type { Db } from '../library/database';

/** A part with what its view needs of record, message and result. */
export interface ViewRow {
  id: number;
  session: number;
  seq: number;
  block: number;
  kind: number;
  state: number;
  flags: number;
  reason: number | null;
  /** Row of the record that caused the state. */
  cause: number | null;
  title: string | null;
  size: number;
  added: number | null;
  removed: number | null;
  tool: number | null;
  family: number | null;
  status: number | null;
  call: string | null;
  note: number | null;
  record: number;
  source: number;
  at: number;
  bytes: number;
  key: string | Buffer | null;
  time: number | null;
  result: number | null;
  resultBlock: number | null;
  resultSource: number | null;
  resultAt: number | null;
  resultBytes: number | null;
  message: number | null;
  messageKey: string | Buffer | null;
  messageTime: number | null;
  role: number | null;
  model: number | null;
  agent: number | null;
  messageFlags: number | null;
  localTime: number;
}

const select = `SELECT p.id, p.session, p.seq, p.block, p.kind, p.state, p.flags, p.reason, p.cause, p.title, p.size, p.added, p.removed, p.tool, p.family, p.status, p.call, p.note,
    r.id AS record, r.source, r.at, r.bytes, r.key, r.time, p.result, p.result_block AS resultBlock, x.source AS resultSource, x.at AS resultAt, x.bytes AS resultBytes,
    p.message, f.key AS messageKey, m.time AS messageTime, m.role, m.model, m.agent, m.flags AS messageFlags, s.local_time AS localTime
  FROM part p JOIN session s ON s.id = p.session JOIN record r ON r.id = p.record LEFT JOIN record x ON x.id = p.result LEFT JOIN message m ON m.id = p.message LEFT JOIN record f ON f.id = m.first`;

type NamedRow = Pick<ViewRow, 'key' | 'block' | 'source' | 'at'>;

/** Parts that change files or may have: steps and patches, calls that name lines, and calls of tools that can. */
const touchesFiles = `(p.kind IN (${(['patch', 'step'] as const).map((kind) => kindCode.code(kind)).join(', ')})
  OR ((p.kind = ${kindCode.code('tool')} OR p.kind = ${kindCode.code('command')}) AND (p.added IS NOT NULL OR p.removed IS NOT NULL
    OR p.family IN (${(['edit', 'write', 'shell', 'subagent', 'mcp', 'other'] as const).map((family) => familyCode.code(family)).join(', ')}))))`;

export class PartRows {
  readonly #window;
  readonly #one;
  readonly #before;
  readonly #byKey;
  readonly #ofMessage;
  readonly #beforeRecord;
  readonly #ofCause;
  readonly #ofMessageRow;
  readonly #diagnoses;
  readonly #touching;
  readonly #touchingPlaces;

  constructor(db: Db) {
    this.#window = db.prepare<[number, number, number], ViewRow>(`${select} WHERE p.session = ? AND p.seq >= ? AND p.seq < ? ORDER BY p.seq`);
    this.#one = db.prepare<[number], ViewRow>(`${select} WHERE p.id = ?`);
    this.#before = db.prepare<[number, number], { message: number | null }>('SELECT message FROM part WHERE session = ? AND seq = ?');
    this.#ofMessage = db.prepare<{ session: number; key: string | Buffer }, ViewRow>(
      `${select} WHERE p.session = @session AND p.message = (SELECT message FROM record WHERE session = @session AND key = @key) ORDER BY p.seq LIMIT 1`,
    );
    this.#beforeRecord = db.prepare<{ session: number; key: string | Buffer }, ViewRow>(
      `${select} WHERE p.session = @session AND p.record < (SELECT id FROM record WHERE session = @session AND key = @key) ORDER BY p.record DESC LIMIT 1`,
    );
    this.#ofCause = db.prepare<[number], NamedRow & { message: number | null; shown: number | null }>(
      'SELECT r.key, r.source, r.at, r.message, (SELECT min(block) FROM part p WHERE p.record = r.id) AS shown, 0 AS block FROM record r WHERE r.id = ?',
    );
    this.#ofMessageRow = db.prepare<[number, number], NamedRow>(
      'SELECT r.key, p.block, r.source, r.at FROM part p JOIN record r ON r.id = p.record WHERE p.session = ? AND p.message = ? ORDER BY p.seq LIMIT 1',
    );
    this.#diagnoses = db.prepare<[number, number, number], Diagnosis & { part: number }>(
      'SELECT d.part, d.class, d.text, d.evidence, d.help FROM part p JOIN diagnosis d ON d.part = p.id WHERE p.session = ? AND p.seq >= ? AND p.seq < ? ORDER BY d.part, d.class',
    );
    this.#touching = db.prepare<[number, number, number, number], ViewRow>(
      `${select} WHERE p.session = ? AND p.seq >= ? AND p.seq < ? AND (${touchesFiles} OR coalesce(m.flags, 0) & ${messageFlag.prompt} != 0) ORDER BY p.seq LIMIT ?`,
    );
    this.#touchingPlaces = db
      .prepare<[number], number>(
        `SELECT p.seq FROM part p LEFT JOIN message m ON m.id = p.message
         WHERE p.session = ? AND (${touchesFiles} OR (coalesce(m.flags, 0) & ${messageFlag.prompt} != 0 AND p.kind != ${kindCode.code('text')})) ORDER BY p.seq`,
      )
      .pluck();
    this.#byKey = db.prepare<[number, string | Buffer], ViewRow>(`${select} WHERE r.session = ? AND r.key = ? ORDER BY p.block`);
  }

  window(session: number, from: number, count: number): ViewRow[] {
    return this.#window.all(session, from, from + count);
  }

  /** What is wrong at the parts of a window, by part. */
  diagnoses(session: number, from: number, count: number): Map<number, Diagnosis[]> {
    const found = new Map<number, Diagnosis[]>();
    for (const { part, ...diagnosis } of this.#diagnoses.all(session, from, from + count)) found.set(part, [...(found.get(part) ?? []), diagnosis]);
    return found;
  }

  /** Parts of a window that change files or may have, and those of prompts, which open turns; at most so many. */
  touching(session: number, from: number, to: number, count: number): ViewRow[] {
    return this.#touching.all(session, from, to, count);
  }

  /** Places of the same on the whole timeline, without the words of prompts: which turns may have changed something. */
  touchingPlaces(session: number): number[] {
    return this.#touchingPlaces.all(session);
  }

  one(part: number): ViewRow | undefined {
    return this.#one.get(part);
  }

  /** Key of the part that shows the record which caused a part's state: of that record itself, else of its message; null where neither shows anything. */
  causeOf({ session, cause }: Pick<ViewRow, 'session' | 'cause'>): string | null {
    const record = cause === null ? undefined : this.#ofCause.get(cause);
    if (!record) return null;
    if (record.shown !== null) return partKey({ ...record, block: record.shown });
    const shown = record.message === null ? undefined : this.#ofMessageRow.get(session, record.message);
    return shown ? partKey(shown) : null;
  }

  ofRecord(session: number, key: string | Buffer): ViewRow[] {
    return this.#byKey.all(session, key);
  }

  /** For a record that has no part of its own: the first part of its message, else the last one before it (the end of a turn, say). */
  nearRecord(session: number, key: string | Buffer): ViewRow | undefined {
    return this.#ofMessage.get({ session, key }) ?? this.#beforeRecord.get({ session, key });
  }

  /** The message of the part before a place, to know whether a part opens its message. */
  messageBefore(session: number, seq: number): number | null | undefined {
    return seq === 0 ? undefined : this.#before.get(session, seq - 1)?.message;
  }
}

/** A part is named by its record's id; further blocks of the record by their number behind it. */
export function partKey(row: Pick<ViewRow, 'key' | 'block' | 'source' | 'at'>): string {
  const key = row.key === null ? `line-${row.source}-${row.at}` : decodeKey(row.key);
  return row.block === 0 ? key : `${key}.${row.block}`;
}

/** A message is named by the id of its first record. */
export const messageKeyOf = (row: Pick<ViewRow, 'messageKey' | 'key' | 'source' | 'at'>): string =>
  row.messageKey === null ? partKey({ ...row, block: 0 }) : decodeKey(row.messageKey);
