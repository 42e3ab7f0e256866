import type { NativeId } from '@shared/model';
import type {
  EdgeFact, Json, KnownSource, LineageView, MessageFact, PartBody, PartFact, RawBatch, RecordFact, ResultFact, SessionFacts, Settled, SettledRecord, Spine, SpineRecord, StoreLocation, Survey,
} from '../store';
import { digestOf } from './fields';
import { codex } from './index';

export interface DrivenPart {
  fact: PartFact;
  record: RecordFact;
  source: string;
  result: { fact: ResultFact; record: RecordFact; source: string } | null;
  settled: SettledRecord;
  body: PartBody;
}

export interface DrivenSession {
  native: NativeId;
  records: (RecordFact & { source: string })[];
  messages: Map<string, MessageFact>;
  /** In the order to show. */
  parts: DrivenPart[];
  spine: Spine;
  settled: Settled;
  facts: SessionFacts;
  edges: EdgeFact[];
}

/** How a batch is cut before it is projected. */
export type Cut = (batch: RawBatch) => RawBatch[];

type Source = KnownSource & { bytes: Buffer };
type Kept = RecordFact & { source: string };

/** Runs the store over a home in memory, without any of the library. */
export class Driver {
  readonly location: StoreLocation;
  readonly sources = new Map<string, Source>();
  readonly records = new Map<string, Map<string, Kept>>();
  readonly evidence = new Map<string, Map<string, Spine['evidence'][number]>>();
  readonly damage: { source: string; place: string; line: number | null; at: number | null; bytes: number | null; reason: string }[] = [];
  readonly unknown: Record<string, number> = {};
  readonly gone = new Set<string>();
  bytesRead = 0;

  constructor(
    home: string,
    readonly now = Date.UTC(2027, 0, 1),
  ) {
    const [location] = codex.locate({ home, platform: 'linux', variables: {}, added: [] });
    if (!location) throw new Error('no place in this home');
    this.location = location;
  }

  pass(cut: Cut = (batch) => [batch]): Survey {
    const survey = codex.survey(this.location, { get: (key) => this.#known(key), keys: () => [...this.sources.keys()].filter((key) => !this.gone.has(key)) });
    for (const key of survey.gone) this.gone.add(key);
    for (const change of survey.changes.toSorted((a, b) => b.changed - a.changed)) {
      for (const whole of codex.read(this.location, change, this.#known(change.key))) for (const batch of cut(whole)) this.#take(batch);
    }
    return survey;
  }

  /** A source that went away is not known any more. */
  #known(key: string): Source | undefined {
    return this.gone.has(key) ? undefined : this.sources.get(key);
  }

  #take(batch: RawBatch): void {
    if (batch.restarts || this.gone.delete(batch.source)) this.#forget(batch.source);
    const before = this.sources.get(batch.source);
    if (batch.at < (before?.length ?? 0)) throw new Error(`${batch.source} goes back to ${batch.at}`);
    const projection = codex.project({ source: batch.source, at: batch.at, bytes: batch.bytes, carry: before?.carry ?? null });
    this.bytesRead += batch.bytes.length;
    const bytes = Buffer.alloc(batch.at + batch.bytes.length, ' ');
    before?.bytes.copy(bytes);
    bytes.set(batch.bytes, batch.at);
    // Through text, as a library keeps them.
    const kept = JSON.parse(JSON.stringify({ cursor: batch.cursor, carry: projection.carry })) as { cursor: Json; carry: Json };
    this.sources.set(batch.source, { key: batch.source, length: bytes.length, ...kept, bytes });
    for (let i = this.damage.length - 1; i >= 0; i--) {
      const known = this.damage[i];
      if (known?.source === batch.source && (known.at === null || known.at >= batch.at)) this.damage.splice(i, 1);
    }
    this.damage.push(...[...batch.damage, ...projection.damage].map((damage) => ({ source: batch.source, ...damage })));
    for (const [type, count] of Object.entries(projection.unknown)) this.unknown[type] = (this.unknown[type] ?? 0) + count;
    for (const fact of projection.records) getOr(this.records, fact.session, () => new Map<string, Kept>()).set(fact.key ?? `${batch.source}@${fact.at}`, { ...fact, source: batch.source });
    for (const { session, slot, data } of projection.evidence) {
      getOr(this.evidence, session, () => new Map<string, Spine['evidence'][number]>()).set(`${batch.source} ${slot}`, { source: batch.source, slot, data });
    }
  }

  #forget(source: string): void {
    this.sources.delete(source);
    for (const records of this.records.values()) for (const [id, record] of records) if (record.source === source) records.delete(id);
    for (const slots of this.evidence.values()) for (const [id, said] of slots) if (said.source === source) slots.delete(id);
  }

  sessions(): Map<string, DrivenSession> {
    const found = new Map<string, DrivenSession>();
    for (const native of new Set([...this.records.keys(), ...this.evidence.keys()])) found.set(native, this.#session(native as NativeId));
    const edges = codex.lineage(viewOf(found), new Set([...found.keys()] as NativeId[]));
    for (const session of found.values()) session.edges = edges.filter(({ child }) => child === session.native);
    return found;
  }

  #session(native: NativeId): DrivenSession {
    const records = [...(this.records.get(native)?.values() ?? [])].sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : a.at - b.at));
    const evidence = [...(this.evidence.get(native) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, said]) => said);
    const messages = new Map<string, MessageFact>();
    for (const { message } of records) if (message) merge(messages, message);
    const spine: Spine = { session: native, records: spineOf(records, messages), evidence, now: this.now };
    const settled = codex.settle(spine);
    const order = settled.order ?? records.map((_, index) => index);
    const calls = new Map<string, DrivenPart>();
    const parts: DrivenPart[] = [];
    for (const index of order) {
      const record = records[index] as Kept;
      const override = settled.tools.find((tool) => tool.record === index);
      for (const fact of record.parts) {
        const shown = fact.tool && override?.block === fact.block ? { ...fact, tool: { ...fact.tool, status: override.status } } : fact;
        const part: DrivenPart = { fact: shown, record, source: record.source, result: null, settled: settled.records[index] as SettledRecord, body: { text: null, tool: null, file: null } };
        parts.push(part);
        if (fact.tool?.callId && !fact.output) calls.set(fact.tool.callId, part);
      }
    }
    for (const record of records) for (const fact of record.results) {
      const call = calls.get(fact.callId);
      if (call && !call.result) call.result = { fact, record, source: record.source };
    }
    for (const part of parts) part.body = this.#body(part);
    return { native, records, messages, parts, spine, settled, facts: codex.summarise(native, evidence), edges: [] };
  }

  #body({ fact, record, source, result }: DrivenPart): PartBody {
    const bytesOf = (key: string, { at, bytes }: RecordFact) => (this.sources.get(key) as Source).bytes.subarray(at, at + bytes);
    return codex.body({
      record: bytesOf(source, record), block: fact.block, file: () => null,
      result: result && { record: bytesOf(result.source, result.record), block: result.fact.block },
    });
  }
}

export function drive(home: string, cut?: Cut, now?: number): { driver: Driver; sessions: Map<string, DrivenSession> } {
  const driver = new Driver(home, now);
  driver.pass(cut);
  return { driver, sessions: driver.sessions() };
}

function merge(messages: Map<string, MessageFact>, fact: MessageFact): void {
  const known = messages.get(fact.key);
  if (!known) {
    messages.set(fact.key, { ...fact, tokens: fact.tokens && { ...fact.tokens } });
    return;
  }
  known.counted ||= fact.counted;
  known.prompt ||= fact.prompt;
  if (fact.tokens && known.tokens) throw new Error(`message ${fact.key} was billed twice`);
  known.tokens ??= fact.tokens;
}

function spineOf(records: Kept[], messages: Map<string, MessageFact>): SpineRecord[] {
  const numbers = new Map<string, number>();
  return records.map((record, index): SpineRecord => {
    const key = record.message?.key ?? null;
    if (key !== null && !numbers.has(key)) numbers.set(key, numbers.size);
    return {
      index, key: record.key, parent: -1, inChain: false, missing: null, joins: -1, type: record.type, time: record.time, order: record.order, message: key === null ? -1 : (numbers.get(key) ?? -1),
      messageKey: key, role: record.message?.role ?? null, prompt: key !== null && messages.get(key)?.prompt === true,
      injected: record.parts.length > 0 && record.parts.every((part) => part.injected), note: record.note && JSON.parse(JSON.stringify(record.note)), source: record.source, gone: false,
    };
  });
}

function viewOf(sessions: Map<string, DrivenSession>): LineageView {
  return {
    sessions: () => [...sessions.values()].map(({ native, facts }) => ({ native, facts: JSON.parse(JSON.stringify(facts)) as SessionFacts })),
    facts: (native) => sessions.get(native)?.facts,
    relatives: () => [],
    holders: (key) => [...sessions.values()].filter(({ messages }) => messages.has(key)).map(({ native }) => native),
    messages: (native) => {
      const session = sessions.get(native);
      const shown = new Map<string, DrivenPart[]>();
      for (const part of session?.parts ?? []) if (part.record.message) getOr(shown, part.record.message.key, () => []).push(part);
      return [...shown].map(([key, parts]) => ({
        key, role: session?.messages.get(key)?.role ?? 'system', time: session?.messages.get(key)?.time ?? null, filed: null,
        parts: parts.map(({ fact }) => ({ kind: fact.kind, callId: fact.tool?.callId ?? null, digest: digestOf(fact.text ?? fact.title ?? '') })),
      }));
    },
  };
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** Cuts a batch at every line. */
export const atEachLine: Cut = (batch) => {
  const pieces: RawBatch[] = [];
  let start = 0;
  for (let end = batch.bytes.indexOf(10) + 1; end > 0 && end < batch.bytes.length; end = batch.bytes.indexOf(10, end) + 1) {
    pieces.push({ ...batch, restarts: batch.restarts && start === 0, at: batch.at + start, bytes: batch.bytes.subarray(start, end), damage: [] });
    start = end;
  }
  return [...pieces, { ...batch, restarts: batch.restarts && start === 0, at: batch.at + start, bytes: batch.bytes.subarray(start) }];
};
