import { type NativeId, nativeId, type PartKind, type Role } from '@shared/model';
import { kindCode, roleCode, statusCode } from '../library/codes';
import type { Db } from '../library/database';
import { type LoadedSpine, SpineReader } from '../library/spine';
import type { Words } from '../library/words';
import type { ContextBlock, ContextRequest, SessionStore, Settled } from '../stores/store';

/** A part as far as the context needs it; in timeline order. */
export interface PartPlace extends ContextBlock {
  row: number;
  seq: number;
  /** Index of its record in the spine. */
  record: number;
  message: number;
}

/** What the provider counted for a message, and what is known of it. */
export interface MessageFigures {
  row: number;
  role: Role;
  time: number | null;
  model: number | null;
  /** Tokens of the request that led to it: input with what came from the cache. Null: not recorded. */
  request: number | null;
  output: number | null;
  reasoning: number | null;
}

/** A session's records, parts and figures, without any body. */
export interface LoadedSession {
  row: number;
  store: SessionStore;
  loaded: LoadedSpine;
  settled: Settled;
  parts: PartPlace[];
  /** Parts by the index of their record. */
  byRecord: readonly (readonly PartPlace[])[];
  /** By row of the message. */
  figures: Map<number, MessageFigures>;
}

type PartTuple = [id: number, seq: number, record: number, block: number, kind: number, size: number, outputSize: number | null, status: number | null, result: number | null, message: number | null];
type FigureTuple = [id: number, role: number, time: number | null, model: number | null, input: number | null, output: number | null, reasoning: number | null, cacheRead: number | null, cacheWrite: number | null];

/** Shared by all records that show nothing; never written to. */
const none: PartPlace[] = [];

/** Reads a session's rows for the questions about its context. */
export class ContextSessions {
  readonly #spines;
  readonly #parts;
  readonly #figures;
  readonly #sources;

  constructor(db: Db, words: Words) {
    this.#spines = new SpineReader(db, words);
    this.#parts = db.prepare<[number]>('SELECT id, seq, record, block, kind, size, result_size, status, result, message FROM part WHERE session = ? ORDER BY seq').raw();
    this.#figures = db.prepare<[number]>('SELECT id, role, time, model, input, output, reasoning, cache_read, cache_write FROM message WHERE session = ?').raw();
    this.#sources = db.prepare<[number], { key: string }>('SELECT key FROM source WHERE id = ?');
  }

  load(session: number, native: string, store: SessionStore, now: number): LoadedSession {
    const keys = new Map<number, string>();
    const sourceKey = (id: number): string => {
      let key = keys.get(id);
      if (key === undefined) keys.set(id, (key = this.#sources.get(id)?.key ?? ''));
      return key;
    };
    const loaded = this.#spines.load(session, nativeId(native) satisfies NativeId, this.#spines.evidence(session), sourceKey, now);
    const byRecord: PartPlace[][] = loaded.ids.map(() => none);
    const parts: PartPlace[] = [];
    for (const tuple of this.#parts.all(session) as PartTuple[]) {
      const part = partPlace(tuple, loaded.indexOf);
      parts.push(part);
      const list = byRecord[part.record];
      if (list === none || list === undefined) byRecord[part.record] = [part];
      else list.push(part);
    }
    const figures = new Map((this.#figures.all(session) as FigureTuple[]).map((tuple) => [tuple[0], figuresOf(tuple)]));
    return { row: session, store, loaded, settled: store.settle(loaded.spine), parts, byRecord, figures };
  }
}

function partPlace([row, seq, record, block, kind, size, outputSize, status, result, message]: PartTuple, indexOf: Map<number, number>): PartPlace {
  return {
    row, seq, record: indexOf.get(record) ?? -1, block, kind: kindCode.word(kind) satisfies PartKind, size, outputSize: outputSize ?? 0,
    status: status === null ? null : statusCode.word(status), result: result === null || result === record ? -1 : (indexOf.get(result) ?? -1), message: message ?? -1,
  };
}

function figuresOf([row, role, time, model, input, output, reasoning, cacheRead, cacheWrite]: FigureTuple): MessageFigures {
  const request = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  // A reply that failed, or was copied into a fork, has figures of zero: they are none.
  const counted = input !== null && request + (output ?? 0) > 0;
  return { row, role: roleCode.word(role), time, model, request: counted && request > 0 ? request : null, output: counted ? output : null, reasoning: counted ? reasoning : null };
}

/** The question as a store's rules take it. */
export const requestOf = (session: LoadedSession, branch: number | null, before: number | null): ContextRequest => ({
  spine: session.loaded.spine, settled: session.settled, branch, before, parts: session.byRecord,
});
