import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nativeId, type Damage, type NativeId } from '@shared/model';
import type {
  BodyRequest, EdgeFact, Json, KnownSource, KnownSources, LineageView, MessageFact, PartBody, PartFact, RawBatch, RecordFact, SessionFacts, Settled, SpineRecord, StoreLocation, Survey,
} from '../store';
import { opencode } from './index';

/**
 * A library in memory, for tests of this store alone: survey → read → project → settle → summarise → lineage, as the
 * real one does, with nothing kept but what the store gave.
 */
export class TestLibrary {
  readonly sources = new Map<string, { length: number; cursor: Json; carry: Json; log: Buffer[]; damage: Damage[] }>();
  readonly #records = new Map<string, Held>();
  readonly #evidence = new Map<string, { session: NativeId; source: string; slot: string; data: SettledEvidence }>();
  /** What the last pass did. */
  lines = 0;
  batches = 0;
  survey: Survey = { changes: [], heads: [], gone: [], damage: [], problem: null };
  unknown: Record<string, number> = {};
  /** Days after everything, so that nothing is taken to be at work. */
  now = Date.UTC(2027, 0, 1);
  /** A library that does not tell the store which records it holds. */
  silent = false;

  constructor(readonly location: StoreLocation) {}

  static of(folder: string): TestLibrary {
    return new TestLibrary({ agent: 'opencode', folder, origin: 'default' });
  }

  /** Reads what is new; `take` may stop the reading of a source after some batches, as a cancelled pass does. */
  pass(take: (key: string, batch: number) => boolean = () => true): void {
    this.lines = 0;
    this.batches = 0;
    this.survey = opencode.survey(this.location, this.known);
    for (const key of this.survey.gone) this.sources.delete(key);
    for (const change of [...this.survey.changes].sort((a, b) => b.changed - a.changed)) {
      let count = 0;
      for (const batch of opencode.read(this.location, change, this.known.get(change.key))) {
        this.take(batch);
        if (!take(change.key, ++count)) break;
      }
    }
  }

  /** Logs and projects a batch, and remembers its cursor. */
  take(batch: RawBatch): void {
    if (batch.restarts) this.#forget(batch.source);
    const source = this.sources.get(batch.source) ?? { length: 0, cursor: null, carry: null, log: [], damage: [] };
    if (batch.at !== source.length) throw new Error(`${batch.source}: a batch at ${batch.at}, the stream is ${source.length} long`);
    this.sources.set(batch.source, source);
    source.damage = [...source.damage.filter(({ at }) => at !== null && at < batch.at), ...batch.damage];
    this.#project(batch.source, batch.at, Buffer.from(batch.bytes), source);
    source.log.push(Buffer.from(batch.bytes));
    source.length += batch.bytes.length;
    source.cursor = JSON.parse(JSON.stringify(batch.cursor)) as Json;
    this.batches++;
  }

  #project(key: string, at: number, bytes: Buffer, source: { carry: Json; damage: Damage[] }): void {
    const projection = opencode.project({ source: key, at, bytes, carry: source.carry });
    source.carry = JSON.parse(JSON.stringify(projection.carry)) as Json;
    source.damage.push(...projection.damage);
    this.lines += bytes.filter((byte) => byte === 10).length;
    for (const record of projection.records) this.#records.set(`${record.session} ${record.key}`, { ...record, source: key, gone: false });
    for (const { session, slot, data } of projection.evidence) this.#evidence.set(`${session} ${key} ${slot}`, { session, source: key, slot, data });
    for (const { session, key: gone } of projection.removed) {
      const held = this.#records.get(`${session} ${gone}`);
      if (held) held.gone = true;
    }
    for (const [type, count] of Object.entries(projection.unknown)) this.unknown[type] = (this.unknown[type] ?? 0) + count;
  }

  #forget(source: string): void {
    this.sources.delete(source);
    for (const [key, record] of this.#records) if (record.source === source) this.#records.delete(key);
    for (const [key, evidence] of this.#evidence) if (evidence.source === source) this.#evidence.delete(key);
  }

  get known(): KnownSources {
    return {
      get: (key) => this.#knownSource(key),
      keys: () => this.sources.keys(),
    };
  }

  #knownSource(key: string): KnownSource | undefined {
    const source = this.sources.get(key);
    if (!source) return undefined;
    const keys = () => [...this.#records.values()].filter((record) => record.source === key && !record.gone).map((record) => record.key ?? '');
    return { key, length: source.length, cursor: source.cursor, carry: source.carry, ...(this.silent ? {} : { keys }) };
  }

  drop(record: Pick<RecordFact, 'session' | 'key'>): void {
    this.#records.delete(`${record.session} ${record.key}`);
  }

  get natives(): NativeId[] {
    return [...new Set([...this.#evidence.values()].filter(({ slot }) => slot === 'session').map(({ session }) => session))].sort();
  }

  session(id: string): TestSession {
    return new TestSession(nativeId(id), [...this.#records.values()].filter((record) => record.session === id), [...this.#evidence.values()].filter(({ session }) => session === id), this);
  }

  get sessions(): TestSession[] {
    return this.natives.map((native) => this.session(native));
  }

  get damage(): Damage[] {
    return [...this.survey.damage, ...[...this.sources.values()].flatMap(({ damage }) => damage)];
  }

  /** Bytes of a saved file, or of a record. */
  bytes(source: string, at = 0, length?: number): Buffer | null {
    const held = this.sources.get(source);
    if (!held) return null;
    if (held.log.length > 1) held.log = [Buffer.concat(held.log)];
    return (held.log[0] ?? Buffer.alloc(0)).subarray(at, length === undefined ? undefined : at + length);
  }

  /** All edges: those the sessions tell, and those found by comparing them. */
  edges(changed: Iterable<NativeId> = this.natives): EdgeFact[] {
    const sessions = this.sessions;
    const view: LineageView = {
      sessions: () => sessions.map(({ native, facts }) => ({ native, facts })),
      holders: (key) => sessions.filter(({ messages }) => messages.has(key)).map(({ native }) => native),
      facts: (native) => sessions.find((session) => session.native === native)?.facts,
      relatives: () => [],
      messages: (native) => this.session(native).lineageMessages,
    };
    return [...sessions.flatMap(({ facts }) => facts.edges), ...opencode.lineage(view, new Set(changed))];
  }
}

type SettledEvidence = { [key: string]: Json };
type Held = RecordFact & { source: string; gone: boolean };

/** A part where it stands on the timeline. */
interface ShownPart {
  key: string;
  message: string | null;
  role: string | null;
  state: string;
  reason: string | null;
  seen: boolean;
  part: PartFact;
  record: Held;
}

export class TestSession {
  constructor(
    readonly native: NativeId,
    readonly held: Held[],
    readonly evidence: { session: NativeId; source: string; slot: string; data: SettledEvidence }[],
    readonly library: TestLibrary,
  ) {
    this.held.sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : a.at - b.at));
  }

  get facts(): SessionFacts {
    return opencode.summarise(this.native, this.evidence);
  }

  get messages(): Map<string, MessageFact> {
    const messages = new Map<string, MessageFact>();
    for (const { message } of this.held) {
      if (!message) continue;
      const known = messages.get(message.key);
      messages.set(message.key, known ? { ...known, prompt: known.prompt || message.prompt, tokens: message.tokens ?? known.tokens, model: known.model ?? message.model } : message);
    }
    return messages;
  }

  get spine(): SpineRecord[] {
    const messages = this.messages;
    const numbers = new Map([...messages.keys()].map((key, number) => [key, number]));
    return this.held.map((record, index): SpineRecord => ({
      index, key: record.key, parent: -1, inChain: false, missing: null, joins: -1, type: record.type, time: record.time, order: record.order,
      message: record.message ? (numbers.get(record.message.key) ?? -1) : -1, messageKey: record.message?.key ?? null, role: record.message ? (messages.get(record.message.key)?.role ?? null) : null,
      prompt: record.message ? (messages.get(record.message.key)?.prompt ?? false) : false,
      injected: record.parts.length > 0 && record.parts.every((part) => part.injected), note: record.note, source: record.source, gone: record.gone,
    }));
  }

  #settled: Settled | null = null;
  get settled(): Settled {
    return (this.#settled ??= opencode.settle({ session: this.native, records: this.spine, evidence: this.evidence, now: this.library.now }));
  }

  get ordered(): Held[] {
    return (this.settled.order ?? this.held.map((_, index) => index)).map((index) => this.held[index] as Held);
  }

  get parts(): ShownPart[] {
    const { records, tools } = this.settled;
    const indexOf = new Map(this.held.map((record, index) => [record, index]));
    return this.ordered.flatMap((record) => {
      const index = indexOf.get(record) ?? -1;
      const verdict = records[index];
      if (!verdict) throw new Error('a record without a verdict');
      return record.parts.map((part): ShownPart => {
        const override = tools.find((tool) => tool.record === index && tool.block === part.block);
        const shown = override && part.tool ? { ...part, tool: { ...part.tool, status: override.status } } : part;
        return { key: record.key ?? '', message: record.message?.key ?? null, role: record.message?.role ?? null, state: verdict.state, reason: verdict.reason, seen: verdict.seen, part: shown, record };
      });
    });
  }

  part(key: string, block = 0): ShownPart {
    const found = this.parts.find((shown) => shown.key === key && shown.part.block === block);
    if (!found) throw new Error(`no part ${key}`);
    return found;
  }

  /** Keys of the messages in order, each once. */
  get messageOrder(): string[] {
    return [...new Set(this.ordered.map(({ message }) => message?.key).filter((key) => key !== undefined))];
  }

  get lineageMessages() {
    const shown = this.parts;
    return [...this.messages.values()].map((message) => {
      const filed = this.held.find((record) => record.message?.key === message.key)?.note?.['filed'];
      return {
        key: message.key, role: message.role, time: message.time, filed: typeof filed === 'number' ? filed : null,
        parts: shown.filter((part) => part.message === message.key).map(({ part }) => ({ kind: part.kind, callId: part.tool?.callId ?? null, digest: digestOf(part.text ?? part.title ?? '') })),
      };
    });
  }

  body(key: string, block = 0): PartBody {
    const { record } = this.part(key, block);
    const bytes = this.library.bytes(record.source, record.at, record.bytes);
    if (!bytes) throw new Error(`no bytes of ${key}`);
    const request: BodyRequest = { record: bytes, block, result: null, file: (name) => this.library.bytes(name) };
    return opencode.body(request);
  }

  /** Tokens of its own requests: what came with a fork left out. */
  tokens(edges: EdgeFact[]): { input: number; output: number } {
    const inherited = new Set(edges.filter(({ child }) => child === this.native).flatMap((edge) => edge.inherited));
    const own = [...this.messages.values()].filter(({ key }) => !inherited.has(key));
    return { input: own.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0), 0), output: own.reduce((sum, { tokens }) => sum + (tokens?.output ?? 0), 0) };
  }
}

function digestOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** Every file below a folder with its bytes and times: what reading must not change. */
export function filesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path] = `${statSync(path).mtimeMs} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
  }
  return found;
}

/** Where OpenCode keeps its data in a home. */
export const dataFolder = (home: string): string => join(home, '.local', 'share', 'opencode');

/** Reads an opened fixture once, and cleans up behind the test. */
export function withFixture<F extends { home: string; dispose(): void }>(fixture: F, action: (library: TestLibrary, fixture: F) => void): void {
  try {
    const library = TestLibrary.of(dataFolder(fixture.home));
    library.pass();
    action(library, fixture);
  } finally {
    fixture.dispose();
  }
}
