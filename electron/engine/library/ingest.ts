import type { Damage, NativeId } from '@shared/model';
import type { PartFact, Projection, RawBatch, RecordFact, ResultFact } from '../stores/store';
import { digestOf, encodeKey, familyCode, kindCode, partFlag, recordFlag, stateCode, statusCode } from './codes';
import type { Db } from './database';
import { type Ids, type MessageRow, type PartRow, type RecordRow, rowWriter } from './rows';
import { type SessionState, SessionWriter } from './session-writer';
import type { SourceRow } from './sources';
import type { Words } from './words';

/** Characters of one document that search sees; the rest of a longer text is shown but not found. */
const searchedCharacters = 1 << 20;

export interface IngestCount {
  records: number;
  parts: number;
}

/** Writes projections of one store into the library. Every call runs inside the caller's transaction. */
export class Ingest {
  readonly #rows;
  readonly #sql;
  readonly sessions: SessionWriter;
  /** Sources that have damage: for all others there is nothing to look up or to replace. */
  readonly #damaged: Set<number>;
  /** Sessions whose rows changed since the last settling, by row id. */
  readonly touched = new Map<number, NativeId>();

  constructor(
    db: Db,
    readonly store: number,
    readonly ids: Ids,
    readonly words: Words,
  ) {
    this.#rows = rowWriter(db);
    this.sessions = new SessionWriter(db, store, ids, words);
    this.#damaged = damagedSources(db, store);
    this.#sql = {
      link: db.prepare('INSERT OR IGNORE INTO source_session(source, session) VALUES (?, ?)'),
      evidence: db.prepare('INSERT OR REPLACE INTO evidence(session, source, slot, data) VALUES (?, ?, ?, ?)'),
      partsOf: db.prepare<[number], PartRow>(
        `SELECT id, session, seq, record, block, message, kind, flags, title, size, digest, added, removed, tool, family, status, call, result,
          result_block AS resultBlock, result_size AS resultSize, doc, result_doc AS resultDoc FROM part WHERE record = ? ORDER BY block`,
      ),
      dropPart: db.prepare('DELETE FROM part WHERE id = ?'),
      openCall: db.prepare<[number, string], { id: number }>('SELECT id FROM part WHERE session = ? AND call = ? AND result IS NULL'),
      anyCall: db.prepare<[number, string], { id: number }>('SELECT id FROM part WHERE session = ? AND call = ? LIMIT 1'),
      setResult: db.prepare(
        'UPDATE part SET result = ?, result_block = ?, result_size = ?, result_doc = ?, status = ?, added = coalesce(?, added), removed = coalesce(?, removed) WHERE id = ?',
      ),
      goneRecord: db.prepare(`UPDATE record SET flags = flags | ${recordFlag.gone} WHERE session = ? AND key = ?`),
      present: db.prepare('UPDATE session SET gone = 0 WHERE id = ? AND gone = 1'),
      presentWithoutRecords: db.prepare('UPDATE session SET gone = 0 WHERE id = @id AND gone = 1 AND NOT EXISTS (SELECT 1 FROM record WHERE session = @id)'),
      goneSession: db.prepare('UPDATE session SET gone = 1 WHERE id = ?'),
      sessionsOf: db.prepare<[number], { id: number }>('SELECT session AS id FROM source_session WHERE source = ? LIMIT 1'),
      native: db.prepare<[number], { native: NativeId }>('SELECT native FROM session WHERE id = ?'),
      sessionAt: db.prepare<[number, number, number], { session: number }>(
        'SELECT session FROM record WHERE session IN (SELECT session FROM source_session WHERE source = ?) AND source = ? AND at <= ? ORDER BY at DESC LIMIT 1',
      ),
      damagedSessions: db.prepare<[number, number], { session: number }>('SELECT DISTINCT session FROM damage WHERE source = ? AND (at IS NULL OR at >= ?) AND session IS NOT NULL'),
      dropDamage: db.prepare('DELETE FROM damage WHERE source = ? AND (at IS NULL OR at >= ?)'),
      damage: db.prepare('INSERT INTO damage(store, source, session, place, line, at, bytes, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
      unknown: db.prepare(
        'INSERT INTO unknown_type(source, type, count) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
      ),
    };
  }

  apply(source: SourceRow, batch: Pick<RawBatch, 'at' | 'damage'>, projection: Projection): IngestCount {
    const batchRows = new BatchRows();
    for (const fact of projection.records) this.#record(source, fact, batchRows);
    this.#write(batchRows);
    for (const { session, slot, data } of projection.evidence) {
      const state = this.#touch(source, session);
      // What stands beside a session (a todo list, a row) does not bring its records back.
      if (!state.present) this.#sql.presentWithoutRecords.run({ id: state.id });
      this.#sql.evidence.run(state.id, source.id, slot, JSON.stringify(data));
    }
    for (const { session, key } of projection.removed) {
      const state = this.#touch(source, session);
      if (key === null) {
        state.present = false;
        this.#sql.goneSession.run(state.id);
      } else this.#sql.goneRecord.run(state.id, encodeKey(key));
    }
    this.#replaceDamage(source.id, batch.at, [...batch.damage, ...projection.damage]);
    for (const [type, count] of Object.entries(projection.unknown)) this.#sql.unknown.run(source.id, type, count);
    return { records: projection.records.length, parts: batchRows.parts.length + batchRows.changedParts.length };
  }

  /** A damaged place belongs to the session whose record stands before it; that session counts anew, though nothing else of it changed. */
  #replaceDamage(source: number, at: number, found: Damage[]): void {
    if (found.length === 0 && !this.#damaged.has(source)) return;
    if (found.length > 0) this.#damaged.add(source);
    const concerned = new Set(this.#sql.damagedSessions.all(source, at).map(({ session }) => session));
    this.#sql.dropDamage.run(source, at);
    for (const { place, line, at: start, bytes, reason } of found) {
      const session = this.#sql.sessionAt.get(source, source, start ?? Number.MAX_SAFE_INTEGER)?.session ?? this.#sql.sessionsOf.get(source)?.id ?? null;
      this.#sql.damage.run(this.store, source, session, place, line, start, bytes, reason);
      if (session !== null) concerned.add(session);
    }
    for (const id of concerned) {
      const session = this.#sql.native.get(id);
      if (session) this.touched.set(id, session.native);
    }
  }

  #touch(source: SourceRow, native: NativeId): SessionState {
    const state = this.sessions.state(native);
    this.touched.set(state.id, native);
    this.#sql.link.run(source.id, state.id);
    return state;
  }

  #record(source: SourceRow, fact: RecordFact, batch: BatchRows): void {
    const state = batch.linked.get(fact.session) ?? this.#touch(source, fact.session);
    batch.linked.set(fact.session, state);
    if (!state.present) {
      // Its source may have been gone, and be there again.
      state.present = true;
      this.#sql.present.run(state.id);
    }
    const known = fact.key === null ? undefined : this.sessions.recordId(state, fact.key);
    const id = known ?? this.ids.take('record');
    const message = fact.message && this.sessions.mergeMessage(state, fact.message, id, batch);
    const parent = typeof fact.parent === 'string' ? this.sessions.recordId(state, fact.parent) : undefined;
    const row: RecordRow = {
      id, session: state.id, source: source.id, at: fact.at, bytes: fact.bytes,
      key: fact.key === null ? null : encodeKey(fact.key),
      parent: parent ?? null,
      missing: typeof fact.parent === 'string' && parent === undefined ? encodeKey(fact.parent) : null,
      joins: fact.joins === null ? null : encodeKey(fact.joins),
      message: message?.id ?? null, type: this.words.id(fact.type), time: fact.time, ord: fact.order,
      flags: (fact.parent === undefined ? 0 : recordFlag.inChain) | (fact.parts.length > 0 && fact.parts.every((part) => part.injected) ? recordFlag.injected : 0),
      note: fact.note && JSON.stringify(fact.note),
    };
    if (fact.key !== null) state.records.set(fact.key, id);
    if (known === undefined) batch.records.push(row);
    else batch.movedRecords.push(row);
    const before = known === undefined ? [] : (batch.partsOfRecord(known) ?? this.#sql.partsOf.all(known));
    const kept = fact.parts.map((part) => this.#part(state, row, message?.id ?? null, part, before.find((old) => old.block === part.block), batch));
    for (const old of before) if (!kept.includes(old)) this.#dropPart(old, batch);
    for (const result of fact.results) this.#result(state, row, message?.id ?? null, result, batch);
  }

  #part(state: SessionState, record: RecordRow, message: number | null, fact: PartFact, old: PartRow | undefined, batch: BatchRows): PartRow {
    const part: PartRow = old ?? {
      id: this.ids.take('part'), session: state.id, seq: state.parts++, record: record.id, block: fact.block, message, kind: 0, flags: 0, title: null,
      size: 0, digest: 0, added: null, removed: null, tool: null, family: null, status: null, call: null, result: null, resultBlock: null,
      resultSize: null, doc: null, resultDoc: null,
    };
    part.message = message;
    part.kind = kindCode.code(fact.kind);
    part.flags = (fact.injected ? partFlag.injected : 0) | partFlag.seen;
    part.title = fact.title;
    part.size = fact.size;
    part.digest = digestOf(fact.text ?? fact.title ?? '');
    part.added = fact.added ?? null;
    part.removed = fact.removed ?? null;
    if (fact.tool) {
      part.tool = this.words.id(fact.tool.name);
      part.family = familyCode.code(fact.tool.family);
      part.status = statusCode.code(fact.tool.status);
      part.call = fact.tool.callId;
    }
    if (part.doc !== null) batch.droppedDocs.push(part.doc);
    part.doc = this.#doc(part.id, 0, fact.text, batch);
    if (fact.output) {
      if (part.resultDoc !== null) batch.droppedDocs.push(part.resultDoc);
      part.result = record.id;
      part.resultBlock = fact.block;
      part.resultSize = fact.output.size;
      part.resultDoc = this.#doc(part.id, 1, fact.output.text, batch);
    } else if (fact.tool?.callId && part.result === null) {
      state.openCalls.set(fact.tool.callId, part);
    }
    if (!old) batch.parts.push(part);
    else if (!batch.parts.includes(old)) batch.changedParts.push(part);
    return part;
  }

  #result(state: SessionState, record: RecordRow, message: number | null, fact: ResultFact, batch: BatchRows): void {
    const open = state.openCalls.get(fact.callId) ?? (state.fresh ? undefined : this.#sql.openCall.get(state.id, fact.callId)?.id);
    state.openCalls.delete(fact.callId);
    const status = statusCode.code(fact.status);
    if (typeof open === 'object') {
      open.result = record.id;
      open.resultBlock = fact.block;
      open.resultSize = fact.size;
      open.status = status;
      open.added = fact.added ?? open.added;
      open.removed = fact.removed ?? open.removed;
      open.resultDoc = this.#doc(open.id, 1, fact.text, batch);
      return;
    }
    const partId = open ?? batch.parts.find((part) => part.session === state.id && part.call === fact.callId)?.id ?? this.#sql.anyCall.get(state.id, fact.callId)?.id;
    if (partId !== undefined) {
      const doc = open === undefined ? null : this.#doc(partId, 1, fact.text, batch);
      // A second result for a call that has one replaces nothing: the first stays what the timeline shows.
      if (open !== undefined) batch.lateResults.push(() => this.#sql.setResult.run(record.id, fact.block, fact.size, doc, status, fact.added ?? null, fact.removed ?? null, partId));
      return;
    }
    // The call itself is not in the store (cut away, or damaged): the result is shown all the same.
    const part = this.#part(state, record, message, {
      block: fact.block, kind: 'tool', title: 'result without its call', text: null, size: 0, injected: false,
      tool: { name: 'unknown', family: 'other', callId: null, status: fact.status }, output: { text: fact.text, size: fact.size },
    }, undefined, batch);
    part.call = fact.callId;
  }

  #doc(part: number, side: 0 | 1, text: string | null, batch: BatchRows): number | null {
    if (text === null || text === '') return null;
    const id = this.ids.take('doc');
    batch.docs.push({ id, part, side, text: text.length > searchedCharacters ? text.slice(0, searchedCharacters) : text });
    return id;
  }

  #dropPart(part: PartRow, batch: BatchRows): void {
    if (part.doc !== null) batch.droppedDocs.push(part.doc);
    if (part.resultDoc !== null) batch.droppedDocs.push(part.resultDoc);
    this.#sql.dropPart.run(part.id);
  }

  #write(batch: BatchRows): void {
    for (const id of batch.droppedDocs) this.#rows.dropDoc(id);
    for (const row of batch.made) this.#rows.message(row);
    for (const row of batch.changed) this.#rows.changeMessage(row);
    for (const row of batch.records) this.#rows.record(row);
    for (const row of batch.movedRecords) this.#rows.moveRecord(row);
    const live = stateCode.code('live');
    for (const row of batch.parts) this.#rows.part(row, live);
    for (const row of batch.changedParts) this.#rows.changePart(row);
    for (const late of batch.lateResults) late();
    // Rising ids: the index takes them without an early flush.
    for (const doc of batch.docs) this.#rows.doc(doc.id, doc.part, doc.side, doc.text);
    for (const state of batch.linked.values()) {
      for (const [call, part] of state.openCalls) if (typeof part === 'object') state.openCalls.set(call, part.id);
    }
  }
}

function damagedSources(db: Db, store: number): Set<number> {
  const rows = db.prepare<[number], { source: number }>('SELECT DISTINCT source FROM damage WHERE store = ? AND source IS NOT NULL').all(store);
  return new Set(rows.map(({ source }) => source));
}

/** Rows of one batch, written together at its end. */
class BatchRows {
  readonly linked = new Map<NativeId, SessionState>();
  readonly made = new Set<MessageRow>();
  readonly changed = new Set<MessageRow>();
  readonly records: RecordRow[] = [];
  readonly movedRecords: RecordRow[] = [];
  readonly parts: PartRow[] = [];
  readonly changedParts: PartRow[] = [];
  readonly lateResults: (() => void)[] = [];
  readonly droppedDocs: number[] = [];
  readonly docs: { id: number; part: number; side: 0 | 1; text: string }[] = [];

  /** Parts of a record of this very batch; undefined when the record was written before. */
  partsOfRecord(record: number): PartRow[] | undefined {
    return this.records.some((row) => row.id === record) ? this.parts.filter((part) => part.record === record) : undefined;
  }
}
