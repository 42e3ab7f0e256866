import type { NativeId } from '@shared/model';
import type {
  EdgeFact, Json, KnownSource, LineageMessage, LineageView, MessageFact, PartBody, PartFact, RawBatch, RecordFact, ResultFact, SessionFacts, SessionStore, Settled, SpineRecord, Spine,
  StoreLocation, Survey,
} from '../store';

/** A part as a library would keep it: with its record, its message, and the result its call got. */
export interface DrivenPart {
  fact: PartFact;
  record: RecordFact;
  source: string;
  message: string | null;
  result: { fact: ResultFact; record: RecordFact; source: string } | null;
}

export interface DrivenSession {
  native: NativeId;
  records: (RecordFact & { source: string })[];
  messages: Map<string, MessageFact & { first: string | null; filed: number | null }>;
  parts: DrivenPart[];
  spine: Spine;
  settled: Settled;
  facts: SessionFacts;
  edges: EdgeFact[];
}

export interface DrivenStore {
  location: StoreLocation;
  sessions: Map<string, DrivenSession>;
  damage: { place: string; line: number | null; at: number | null; bytes: number | null; reason: string }[];
  unknown: Record<string, number>;
  survey: Survey;
  body(part: DrivenPart): PartBody;
  bytesOf(source: string): Buffer;
}

/** How a batch is cut before it is projected: whole by default. */
export type Cut = (batch: RawBatch) => RawBatch[];

interface Source extends KnownSource {
  pieces: { at: number; bytes: Uint8Array }[];
}

/** Runs a store over a home in memory, without any of the library: survey, read, project, settle, summarise, lineage. */
export class Driver {
  readonly location: StoreLocation;
  readonly sources = new Map<string, Source>();
  readonly records = new Map<string, Map<string, RecordFact & { source: string }>>();
  readonly evidence = new Map<string, Map<string, Spine['evidence'][number]>>();
  damage: DrivenStore['damage'] = [];
  unknown: Record<string, number> = {};
  bytesRead = 0;
  linesProjected = 0;

  constructor(
    readonly store: SessionStore,
    home: string,
    readonly now = Date.UTC(2027, 0, 1),
  ) {
    const [location] = store.locate({ home, platform: 'linux', variables: {}, added: [] });
    if (!location) throw new Error('the store finds no place in this home');
    this.location = location;
  }

  /** One pass; returns what the survey said. */
  pass(cut: Cut = (batch) => [batch]): Survey {
    const known = { get: (key: string) => this.sources.get(key), keys: () => this.sources.keys() };
    const survey = this.store.survey(this.location, known);
    for (const change of survey.changes) {
      for (const whole of this.store.read(this.location, change, this.sources.get(change.key))) for (const batch of cut(whole)) this.#take(batch);
    }
    for (const key of survey.gone) this.#forget(key);
    return survey;
  }

  #forget(key: string): void {
    this.sources.delete(key);
    for (const records of this.records.values()) for (const [id, record] of records) if (record.source === key) records.delete(id);
    for (const slots of this.evidence.values()) for (const [id, { source }] of slots) if (source === key) slots.delete(id);
    this.damage = this.damage.filter(({ place }) => place !== key);
  }

  #take(batch: RawBatch): void {
    if (batch.restarts) this.#forget(batch.source);
    const before = this.sources.get(batch.source);
    const carry: Json = before?.carry ?? null;
    const projection = this.store.project({ source: batch.source, at: batch.at, bytes: batch.bytes, carry });
    this.bytesRead += batch.bytes.length;
    this.linesProjected += projection.records.length;
    const pieces = before?.pieces ?? [];
    if (batch.bytes.length > 0) pieces.push({ at: batch.at, bytes: batch.bytes });
    // Through text, as a library keeps them.
    const kept = JSON.parse(JSON.stringify({ cursor: batch.cursor, carry: projection.carry })) as { cursor: Json; carry: Json };
    this.sources.set(batch.source, { key: batch.source, length: batch.at + batch.bytes.length, ...kept, pieces });
    this.damage = this.damage.filter((damage) => damage.place !== batch.source || (damage.at !== null && damage.at < batch.at));
    this.damage.push(...batch.damage, ...projection.damage);
    for (const [type, count] of Object.entries(projection.unknown)) this.unknown[type] = (this.unknown[type] ?? 0) + count;
    for (const fact of projection.records) {
      const records = getOr(this.records, fact.session, () => new Map());
      records.set(fact.key ?? `${batch.source}@${fact.at}`, { ...fact, source: batch.source });
    }
    for (const { session, slot, data } of projection.evidence) {
      getOr(this.evidence, session, () => new Map()).set(`${batch.source} ${slot}`, { source: batch.source, slot, data: JSON.parse(JSON.stringify(data)) });
    }
  }

  result(survey: Survey): DrivenStore {
    const sessions = new Map<string, DrivenSession>();
    for (const native of new Set([...this.records.keys(), ...this.evidence.keys()])) sessions.set(native, this.#session(native as NativeId));
    const edges = this.store.lineage(viewOf(sessions), new Set([...sessions.keys()] as NativeId[]));
    for (const session of sessions.values()) session.edges = mergedEdges(session.facts.edges, edges.filter((edge) => edge.child === session.native));
    const bytesOf = (source: string) => this.bytesOf(source);
    return {
      location: this.location, sessions, damage: this.damage, unknown: this.unknown, survey, bytesOf,
      body: (part) =>
        this.store.body({
          record: this.recordBytes(part.source, part.record), block: part.fact.block,
          result: part.result && { record: this.recordBytes(part.result.source, part.result.record), block: part.result.fact.block },
          file: (key) => this.#file(key),
        }),
    };
  }

  /** The stream of a source; gaps (records over the limit) are left out as spaces. */
  bytesOf(key: string): Buffer {
    const source = this.sources.get(key);
    if (!source) throw new Error(`no source ${key}`);
    const [only] = source.pieces;
    // One piece needs no copy: this is asked for each record.
    if (only && source.pieces.length === 1 && only.bytes.length === source.length) return Buffer.from(only.bytes.buffer, only.bytes.byteOffset, only.bytes.byteLength);
    const bytes = Buffer.alloc(source.length, ' ');
    for (const piece of source.pieces) bytes.set(piece.bytes, piece.at);
    return bytes;
  }

  recordBytes(source: string, record: RecordFact): Buffer {
    return this.bytesOf(source).subarray(record.at, record.at + record.bytes);
  }

  #file(key: string): Buffer | null {
    const found = [...this.sources.keys()].find((known) => known === key || known.endsWith(`/${key}`));
    return found === undefined ? null : this.bytesOf(found);
  }

  #session(native: NativeId): DrivenSession {
    const records = [...(this.records.get(native)?.values() ?? [])].sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : a.at - b.at));
    const evidence = [...(this.evidence.get(native)?.values() ?? [])].sort((a, b) => (a.slot < b.slot ? -1 : 1));
    const messages: DrivenSession['messages'] = new Map();
    const parts: DrivenPart[] = [];
    const calls = new Map<string, DrivenPart>();
    for (const record of records) {
      if (record.message) mergeMessage(messages, record.message, record);
      for (const fact of record.parts) {
        const part: DrivenPart = { fact, record, source: record.source, message: record.message?.key ?? null, result: null };
        parts.push(part);
        if (fact.tool?.callId && !calls.has(fact.tool.callId)) calls.set(fact.tool.callId, part);
      }
    }
    for (const record of records) for (const fact of record.results) {
      const call = calls.get(fact.callId);
      if (call && !call.result) call.result = { fact, record, source: record.source };
    }
    const spine: Spine = { session: native, records: spineOf(records, messages), evidence, now: this.now };
    return { native, records, messages, parts, spine, settled: this.store.settle(spine), facts: this.store.summarise(native, evidence), edges: [] };
  }
}

/** One pass over a home with everything that follows from it. */
export function drive(store: SessionStore, home: string, cut?: Cut): DrivenStore {
  const driver = new Driver(store, home);
  return driver.result(driver.pass(cut));
}

function mergeMessage(messages: DrivenSession['messages'], fact: MessageFact, record: RecordFact): void {
  const known = messages.get(fact.key);
  if (!known) {
    const filed = record.note?.['filed'];
    messages.set(fact.key, { ...fact, tokens: fact.tokens && { ...fact.tokens }, first: record.key, filed: typeof filed === 'number' ? filed : null });
    return;
  }
  known.counted ||= fact.counted;
  known.prompt ||= fact.prompt;
  if (!fact.tokens) return;
  if (!known.tokens) known.tokens = { ...fact.tokens };
  for (const field of ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const) known.tokens[field] = Math.max(known.tokens[field], fact.tokens[field]);
}

function spineOf(records: (RecordFact & { source: string })[], messages: DrivenSession['messages']): SpineRecord[] {
  const indexOf = new Map<string, number>();
  records.forEach((record, index) => record.key !== null && indexOf.set(record.key, index));
  const numbers = new Map<string, number>();
  return records.map((record, index): SpineRecord => {
    const key = record.message?.key ?? null;
    if (key !== null && !numbers.has(key)) numbers.set(key, numbers.size);
    const parent = typeof record.parent === 'string' ? (indexOf.get(record.parent) ?? -2) : -1;
    return {
      index, key: record.key, parent, inChain: record.parent !== undefined, missing: parent === -2 ? (record.parent ?? null) : null,
      joins: record.joins === null ? -1 : (indexOf.get(record.joins) ?? -1), type: record.type, time: record.time, order: record.order,
      message: key === null ? -1 : (numbers.get(key) ?? -1), messageKey: key, role: record.message?.role ?? null,
      prompt: key !== null && messages.get(key)?.prompt === true, injected: record.parts.length > 0 && record.parts.every((part) => part.injected),
      note: record.note && JSON.parse(JSON.stringify(record.note)), source: record.source, gone: false,
    };
  });
}

/** Messages from the beginning of a session that relatives are looked for by, as a library does. */
const firstMessages = 40;

function viewOf(sessions: Map<string, DrivenSession>): LineageView {
  const holders = (key: string) => [...sessions.values()].filter((session) => session.messages.has(key)).map(({ native }) => native);
  return {
    facts: (native) => sessions.get(native)?.facts,
    holders,
    relatives: (native) => {
      const messages = [...(sessions.get(native)?.messages.values() ?? [])];
      const asked = messages.filter((message, place) => place < firstMessages || message.prompt);
      return [...new Set(asked.flatMap((message) => holders(message.key)))].filter((other) => other !== native);
    },
    sessions: () => [...sessions.values()].map(({ native, facts }) => ({ native, facts })),
    messages: (native) => {
      const session = sessions.get(native);
      return session ? [...session.messages.values()].map((message) => lineageMessage(session, message)) : [];
    },
  };
}

function lineageMessage(session: DrivenSession, message: MessageFact & { filed: number | null }): LineageMessage {
  const parts = session.parts.filter((part) => part.message === message.key);
  return {
    key: message.key, role: message.role, time: message.time, filed: message.filed,
    parts: parts.map(({ fact }) => ({ kind: fact.kind, callId: fact.tool?.callId ?? null, digest: digestOf(fact.text ?? fact.title ?? '') })),
  };
}

function digestOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let i = 0; i < Math.min(text.length, 256); i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** An edge found by comparing replaces what the session's own records said of the same pair. */
function mergedEdges(own: EdgeFact[], found: EdgeFact[]): EdgeFact[] {
  return [...own.filter((edge) => !found.some((other) => other.parent === edge.parent && other.kind === edge.kind)), ...found];
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
