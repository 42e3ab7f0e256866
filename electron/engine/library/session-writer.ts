import type { NativeId } from '@shared/model';
import type { MessageFact } from '../stores/store';
import { decodeKey, encodeKey, messageFlag, roleCode } from './codes';
import type { Db } from './database';
import type { Ids, MessageRow, PartRow } from './rows';
import type { Words } from './words';

/**
 * What a pass knows of a session while it reads one of its sources. For a session seen for the first time everything
 * is in these maps; for one that grew, rows are looked up when a record names them.
 */
export interface SessionState {
  id: number;
  native: NativeId;
  /** No row of it existed before: nothing has to be looked up. */
  fresh: boolean;
  /** A record of it was read: it is said to be there. */
  present: boolean;
  parts: number;
  records: Map<string, number>;
  messages: Map<string, MessageRow>;
  /** Calls without a result: the part, or only its row id once the batch is written. */
  openCalls: Map<string, PartRow | number>;
}

const largest = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));

/** Finds or makes the rows that records of a session hang on. */
export class SessionWriter {
  readonly #findSession;
  readonly #insertSession;
  readonly #countParts;
  readonly #findRecord;
  readonly #findMessage;
  readonly #messageColumns = 'id, session, key, role, time, model, agent, flags, first, input, output, reasoning, cache_read AS cacheRead, cache_write AS cacheWrite';
  #states = new Map<NativeId, SessionState>();

  constructor(
    db: Db,
    readonly store: number,
    readonly ids: Ids,
    readonly words: Words,
  ) {
    this.#findSession = db.prepare<[number, string], { id: number }>('SELECT id FROM session WHERE store = ? AND native = ?');
    this.#insertSession = db.prepare("INSERT INTO session(store, native, kind) VALUES (?, ?, 'session')");
    this.#countParts = db.prepare<[{ session: number }], { parts: number; any: number | null }>(
      'SELECT (SELECT count(*) FROM part WHERE session = @session) AS parts, (SELECT 1 FROM record WHERE session = @session LIMIT 1) AS "any"',
    );
    this.#findRecord = db.prepare<[number, string | Buffer], { id: number }>('SELECT id FROM record WHERE session = ? AND key = ?');
    this.#findMessage = db.prepare<[string | Buffer, number], MessageRow>(`SELECT ${this.#messageColumns} FROM message WHERE key = ? AND session = ?`);
  }

  state(native: NativeId): SessionState {
    let state = this.#states.get(native);
    if (!state) {
      const id = this.#findSession.get(this.store, native)?.id ?? Number(this.#insertSession.run(this.store, native).lastInsertRowid);
      const { parts, any } = this.#countParts.get({ session: id }) ?? { parts: 0, any: null };
      state = { id, native, fresh: any === null, present: false, parts, records: new Map(), messages: new Map(), openCalls: new Map() };
      this.#states.set(native, state);
    }
    return state;
  }

  recordId(state: SessionState, key: string): number | undefined {
    const known = state.records.get(key);
    if (known !== undefined || state.fresh) return known;
    const found = this.#findRecord.get(state.id, encodeKey(key))?.id;
    if (found !== undefined) state.records.set(key, found);
    return found;
  }

  /** Merges what a record says of its message; `touched` collects rows to write. The largest figure a request ever had is its figure. */
  mergeMessage(state: SessionState, fact: MessageFact, record: number, touched: { made: Set<MessageRow>; changed: Set<MessageRow> }): MessageRow {
    const known = state.messages.get(fact.key) ?? this.#messageInLibrary(state, fact.key);
    const flags = (fact.counted ? messageFlag.counted : 0) | (fact.prompt ? messageFlag.prompt : 0);
    const tokens = fact.tokens;
    if (!known) {
      const row: MessageRow = {
        id: this.ids.take('message'), session: state.id, key: encodeKey(fact.key), role: roleCode.code(fact.role), time: fact.time,
        model: this.words.idOrNull(fact.model), agent: this.words.idOrNull(fact.agentName), flags, first: record,
        input: tokens?.input ?? null, output: tokens?.output ?? null, reasoning: tokens?.reasoning ?? null,
        cacheRead: tokens?.cacheRead ?? null, cacheWrite: tokens?.cacheWrite ?? null,
      };
      state.messages.set(fact.key, row);
      touched.made.add(row);
      return row;
    }
    known.flags |= flags;
    known.model ??= this.words.idOrNull(fact.model);
    known.agent ??= this.words.idOrNull(fact.agentName);
    known.time ??= fact.time;
    if (tokens) {
      known.input = largest(known.input, tokens.input);
      known.output = largest(known.output, tokens.output);
      known.reasoning = largest(known.reasoning, tokens.reasoning);
      known.cacheRead = largest(known.cacheRead, tokens.cacheRead);
      known.cacheWrite = largest(known.cacheWrite, tokens.cacheWrite);
    }
    if (!touched.made.has(known)) touched.changed.add(known);
    return known;
  }

  #messageInLibrary(state: SessionState, key: string): MessageRow | undefined {
    if (state.fresh) return undefined;
    const row = this.#findMessage.get(encodeKey(key), state.id);
    if (row) state.messages.set(decodeKey(row.key), row);
    return row;
  }

  /** Ends the reading of a source: what was kept in memory of its sessions is let go. */
  release(): void {
    this.#states.clear();
  }
}
