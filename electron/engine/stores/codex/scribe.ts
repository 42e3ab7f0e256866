import type { NativeId, Role } from '@shared/model';
import { nativeId } from '@shared/model';
import type { EvidenceFact, JsonObject, MessageFact, PartFact, RecordFact, ResultFact } from '../store';
import type { Carry } from './carry';
import { isFalseTime, timeOf } from './fields';
import { rolloutName } from './names';
import type { LinePlace } from '../foreign/json-lines';

/** The line that is read: its place, and its key and rank among the records of its rollout. */
export interface Line extends LinePlace {
  ordinal: number | null;
  key: string;
  order: number;
}

/** Marks keys of messages and records that came from another thread, so that they never meet the session's own. */
export const inheritedMark = '^';

/** A copied message's key without its mark. Where turns have no ids a key is only a place in its own file. */
export function originalKey(key: string): string | null {
  const plain = key.startsWith(inheritedMark) ? key.slice(inheritedMark.length) : key;
  return /^(m\d+$|-)/.test(plain) ? null : plain;
}

export interface Writing {
  key?: string;
  order?: number;
  message?: MessageFact | null;
  parts?: PartFact[];
  results?: ResultFact[];
  note?: JsonObject | null;
}

/** Writes the facts of a batch, and names records and messages (FORMAT.md, "Names of records"). */
export class Scribe {
  readonly records: RecordFact[] = [];
  readonly evidence: EvidenceFact[] = [];
  #line: Line = { at: 0, bytes: 0, line: 0, ordinal: null, key: '', order: 0 };
  #stamp: unknown = null;
  #time: number | null | undefined = null;

  constructor(
    readonly source: string,
    readonly carry: Carry,
  ) {}

  get line(): Line {
    return this.#line;
  }

  /** When the line was written. Most lines make no record, and are not asked. */
  get time(): number | null {
    if (this.#time !== undefined) return this.#time;
    const time = timeOf(this.#stamp);
    if (time !== null) this.carry.last = Math.max(this.carry.last ?? time, time);
    else if (isFalseTime(this.#stamp)) this.carry.odd = (this.carry.odd ?? 0) + 1;
    this.#time = time;
    return time;
  }

  get session(): NativeId {
    return nativeId(this.carry.thread ?? rolloutName(this.source)?.thread ?? this.source);
  }

  /** Begins a line. Ordinals rank the lines of all rollouts of a thread; without them, or where they do not rise, the line's number does. */
  begin(place: LinePlace, stamp: unknown, ordinal: number | null): void {
    const { carry } = this;
    const rises = ordinal !== null && ordinal > carry.lastOrder;
    if (ordinal !== null && !rises) carry.disorder ??= place.line;
    const order = ordinal === null ? place.line : rises ? ordinal : carry.lastOrder + 1 / 1024;
    carry.lastOrder = order;
    this.#stamp = stamp;
    this.#time = undefined;
    if (carry.first === null) carry.first = this.time;
    this.#line = { ...place, ordinal, key: this.#prefix + (rises ? String(ordinal) : `@${place.at}`), order };
  }

  /** Own lines of a first rollout need no mark; later ones of the thread are told by the end of their id. */
  get #prefix(): string {
    const { isBase, rollout, meta, thread } = this.carry;
    const owner = isBase ? (meta?.id ?? null) : thread;
    return (isBase ? inheritedMark : '') + (rollout === null || rollout === owner ? '' : `${rollout.slice(-6)}-`);
  }

  record(type: string, { key, order, message, parts, results, note }: Writing): void {
    const { line } = this;
    const last = this.records.at(-1);
    // One line can hold two things; the second must not take the place of the first.
    const own = last?.at === line.at && last.key === line.key ? `${line.key}+` : line.key;
    this.records.push({
      session: this.session, key: key ?? own, parent: undefined, joins: null, type, time: this.time, at: line.at, bytes: line.bytes, message: message ?? null, parts: parts ?? [],
      results: results ?? [], note: note ?? null, order: order ?? line.order,
    });
  }

  /** The key of a new message: its turn and its place in it, which a copy of the turn shares with the original. */
  nextMessage(turn: string | null): string {
    const { carry } = this;
    const key = this.#plainMessage(turn);
    carry.firstMessage ??= key;
    return (carry.isBase || carry.copied ? inheritedMark : '') + key;
  }

  #plainMessage(turn: string | null): string {
    const { carry } = this;
    if (turn !== null && turn === carry.turn) return `${turn}.${carry.messages++}`;
    if (turn !== null) return `${turn}.o${this.line.order}`;
    return carry.hasTurns ? `-${this.line.key.replace(inheritedMark, '')}` : `m${carry.messages++}`;
  }

  message(key: string, role: Role, about: Partial<MessageFact>): MessageFact {
    const isModel = role === 'assistant';
    return { key, role, time: this.time, model: isModel ? this.carry.model : null, agentName: null, counted: false, prompt: false, tokens: null, ...about };
  }
}

export const textPart = (kind: PartFact['kind'], text: string, block: number, injected = false, title: string | null = null): PartFact => ({ block, kind, title, text, size: text.length, injected });

/** A fact about the session's course; its words are its title. Not searched, since nobody wrote it. */
export const noticePart = (title: string, text: string | null = null, injected = false): PartFact => ({ block: 0, kind: 'notice', title, text, size: text?.length ?? 0, injected });
