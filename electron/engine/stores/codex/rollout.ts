import type { Damage } from '@shared/model';
import type { ProjectInput, Projection } from '../store';
import { asCarry, type Carry, readCarry } from './carry';
import { compactedParts, historyOf, showCompacted } from './compacted';
import { Conversation } from './conversation';
import { showEvent } from './events';
import { rolloutEvidence } from './evidence';
import { asFilledText, asJsonObject, asNumber, asObject, asText, type Fields } from '../foreign/fields';
import { type LinePlace, type LineReader, readLines } from '../foreign/json-lines';
import { oneLine } from './fields';
import { rolloutLines } from './line-rules';
import { readMeta } from './meta';
import { rolloutName } from './names';
import { showBare, showResponse } from './responses';
import { noticePart, Scribe } from './scribe';
import { usageOfRecord } from './usage';

/** Bytes of a line in which its type stands, and that of its payload. */
const kindBytes = 128;
/** Lines with nothing to show that are large or many. They are not parsed. */
const skippedLines = new Set(['world_state', 'inter_agent_communication_metadata', 'response_item/additional_tools', 'event_msg/thread_settings_applied', 'event_msg/item_started']);
/** Lines that tell once more what an item told: an output, by the id of its call, and a text of the model, by its own. */
const callAnswered = /"call_id":"([^"]+)"/;
const textShown = /"payload":\{"type":"message",(?:"status":"\w+",)?"id":"([^"]+)","role":"assistant"/;
const idBytes = 280;
const timeIn = /^\{"timestamp":"([^"]+)"/;
const numberIn = /"ordinal":(\d+),/;
/** Types of lines that are known and show nothing. */
const quietTypes = new Set(['world_state', 'inter_agent_communication_metadata', 'inter_agent_communication', 'dynamic_tools_updated', 'security_risk_score', 'realtime_item', 'id_allocation']);

/** Understands lines of a rollout, or of what a fork takes over from others. Bytes in, facts out. */
export function projectRollout(input: ProjectInput, isBase: boolean): Projection {
  const reading = new RolloutReading(input, isBase);
  reading.carry.line = readLines(input.bytes, input.at, reading.carry.line, false, reading).line;
  return reading.projection();
}

class RolloutReading implements LineReader {
  readonly rules = rolloutLines;
  readonly carry: Carry;
  readonly #scribe: Scribe;
  readonly #conversation: Conversation;
  readonly #damage: Damage[] = [];
  readonly #unknown: Record<string, number> = {};

  constructor(
    readonly input: ProjectInput,
    isBase: boolean,
  ) {
    this.carry = readCarry(input.carry);
    this.carry.isBase = isBase;
    if (!isBase) this.#nameByFile();
    this.#scribe = new Scribe(input.source, this.carry);
    this.#conversation = new Conversation(this.#scribe);
  }

  /** A file without its first line still has a name. */
  #nameByFile(): void {
    const name = rolloutName(this.input.source);
    this.carry.rollout ??= name?.rollout ?? null;
  }

  projection(): Projection {
    const { carry } = this;
    const { evidence } = this.#scribe;
    // Lines without a record still tell when the file was last written to.
    carry.last = Math.max(carry.last ?? 0, this.#scribe.time ?? 0) || null;
    if (this.input.bytes.length > 0 && (carry.thread !== null || !carry.isBase)) evidence.push(rolloutEvidence(this.#scribe.session, carry));
    return { records: this.#scribe.records, evidence, removed: [], damage: this.#damage, unknown: this.#unknown, carry: asCarry(carry) };
  }

  skips(beginningOf: (bytes: number) => string, place: LinePlace): boolean {
    const { carry } = this;
    if (carry.shape !== 'envelope' || carry.prefixEnd !== null) return false;
    const beginning = beginningOf(kindBytes);
    const kind = kindOfLine(beginning);
    if (skippedLines.has(kind)) return true;
    switch (kind) {
      case 'response_item/reasoning':
        this.#thought(beginning, place);
        return true;
      case 'event_msg/token_count':
        return carry.usesRecords;
      case 'response_item/function_call_output':
      case 'response_item/custom_tool_call_output': {
        const call = carry.answered.length > 0 ? callAnswered.exec(beginningOf(idBytes))?.[1] : undefined;
        if (call === undefined || !carry.answered.includes(call)) return false;
        carry.fresh = true;
        return true;
      }
      case 'response_item/message': {
        const id = carry.shownIds.length > 0 ? textShown.exec(beginningOf(idBytes))?.[1] : undefined;
        return id !== undefined && carry.shownIds.includes(id);
      }
      default:
        return false;
    }
  }

  /** Reasoning is large and encrypted: that it stands here is all that is read. */
  #thought(beginning: string, place: LinePlace): void {
    const ordinal = numberIn.exec(beginning)?.[1];
    if (!this.#begin(place, timeIn.exec(beginning)?.[1], ordinal === undefined ? null : Number(ordinal))) return;
    this.#conversation.thought('response_item/reasoning', place.bytes);
  }

  damage(damage: Omit<Damage, 'place'>): void {
    this.#damage.push({ place: this.input.source, ...damage });
  }

  record(fields: Fields, place: LinePlace): void {
    if (this.carry.isBase && typeof fields['retrace'] === 'string') return this.#marker(fields);
    const payload = asObject(fields['payload']);
    if (!this.#begin(place, fields['timestamp'], asNumber(fields['ordinal']))) return;
    if (payload && typeof fields['type'] === 'string') this.#envelope(fields['type'], payload);
    else this.#bare(fields);
  }

  /** False behind the end of a piece: nothing there belongs to the fork, whatever the byte offset says. */
  #begin(place: LinePlace, stamp: unknown, ordinal: number | null): boolean {
    if (this.carry.piece && ordinal !== null && ordinal >= this.carry.piece.ordinal) return false;
    this.#scribe.begin(place, stamp, ordinal);
    return true;
  }

  /** Lines that the copy of a base is cut by; see read-base.ts. */
  #marker(fields: Fields): void {
    const { carry } = this;
    if (fields['retrace'] === 'base') carry.thread = asFilledText(fields['thread']);
    if (fields['retrace'] !== 'piece') return;
    carry.rollout = asFilledText(fields['rollout']);
    carry.piece = { ordinal: asNumber(fields['ordinal']) ?? Number.MAX_SAFE_INTEGER };
    carry.meta = null;
    carry.copiedFrom = null;
    carry.prefixEnd = null;
  }

  #envelope(type: string, payload: Fields): void {
    this.carry.shape = 'envelope';
    const handedOver = this.#isHandedOver();
    switch (type) {
      case 'session_meta':
        return this.#meta(payload);
      case 'turn_context':
        return this.#context(payload);
      case 'response_item':
        return this.#count(showResponse(this.#conversation, payload, handedOver), 'response_item', payload);
      case 'event_msg':
        // What a helper got handed over is told by its response items.
        return handedOver ? undefined : this.#count(showEvent(this.#conversation, payload), 'event_msg', payload);
      case 'compacted':
        return handedOver ? undefined : showCompacted(this.#conversation, compactedParts(payload), historyOf(payload));
      case 'token_usage_record':
        return handedOver ? undefined : this.#usage(payload);
      default:
        if (!quietTypes.has(type)) this.#strange(type);
    }
  }

  /** True before the ordinal at which a helper's own history begins. A start at or behind the end of all lines hides nothing. */
  #isHandedOver(): boolean {
    const { prefixEnd, copiedFrom } = this.carry;
    const { ordinal } = this.#scribe.line;
    return prefixEnd !== null && copiedFrom !== null && ordinal !== null && ordinal < prefixEnd;
  }

  #count(known: boolean, type: string, payload: Fields): void {
    const inner = asText(payload['type']) ?? 'unknown';
    const item = inner === 'item_completed' ? `/${asText(asObject(payload['item'])?.['type']) ?? 'unknown'}` : '';
    if (!known) this.#unknown[`${type}/${inner}${item}`] = (this.#unknown[`${type}/${inner}${item}`] ?? 0) + 1;
  }

  #strange(type: string): void {
    this.#unknown[type] = (this.#unknown[type] ?? 0) + 1;
    this.#conversation.notice(type, noticePart(oneLine(`Record of a kind this version does not know: ${type}`), null, true));
  }

  /** Only the first one is the file's own; a second is a parent's, in front of copied lines. */
  #meta(payload: Fields): void {
    const { carry } = this;
    const meta = readMeta(payload);
    if (carry.meta) {
      if (meta.id !== null && meta.id !== carry.meta.id && carry.copiedFrom === null) {
        carry.copiedFrom = meta.id;
        if (!carry.isBase && carry.prefixEnd === null) carry.copied = true;
      }
      return;
    }
    carry.meta = meta;
    carry.prefixEnd = meta.start;
    carry.cwd ??= meta.cwd;
    if (carry.isBase) return;
    carry.thread = meta.id ?? carry.thread;
    carry.rollout ??= carry.thread;
    // A fork that names no base begins with a copy of its parent; a later rollout of a thread never does.
    carry.copied = meta.forkedFrom !== null && meta.base === null && carry.rollout === carry.thread;
    if (carry.rollout !== carry.thread) this.#conversation.notice('session_meta', noticePart('The conversation went back to an earlier turn'));
  }

  #context(payload: Fields): void {
    const { carry } = this;
    const model = asFilledText(payload['model']);
    const effort = asFilledText(payload['effort']) ?? asFilledText(asObject(asObject(payload['collaboration_mode'])?.['settings'])?.['reasoning_effort']);
    const cwd = asFilledText(payload['cwd']);
    const changes: string[] = [];
    if (model !== null && carry.model !== null && model !== carry.model) changes.push(`Model: ${carry.model} → ${model}`);
    if (carry.model !== null && effort !== carry.effort) changes.push(`Reasoning effort: ${carry.effort ?? 'default'} → ${effort ?? 'default'}`);
    if (cwd !== null && carry.cwd !== null && cwd !== carry.cwd) changes.push(`Folder: ${carry.cwd} → ${cwd}`);
    if (model !== null && !carry.models.includes(model)) carry.models.push(model);
    carry.model = model ?? carry.model;
    carry.effort = effort;
    carry.cwd = cwd ?? carry.cwd;
    if (changes.length > 0 && !this.#isHandedOver()) this.#conversation.notice('turn_context', noticePart(oneLine(changes.join(' · '))));
  }

  #usage(payload: Fields): void {
    const tokens = usageOfRecord(this.carry, payload);
    if (tokens && !this.carry.isBase) this.#conversation.billed('token_usage_record', tokens);
  }

  #bare(fields: Fields): void {
    const { carry } = this;
    if (typeof fields['record_type'] === 'string') return;
    if (typeof fields['type'] !== 'string' && typeof fields['id'] === 'string') {
      carry.shape ??= 'bare';
      if (carry.meta) return;
      carry.meta = readMeta(fields);
      carry.thread = carry.meta.id;
      carry.rollout ??= carry.thread;
      carry.first ??= carry.meta.created;
      return;
    }
    if (typeof fields['type'] !== 'string') return this.#strange('line without a type');
    carry.shape ??= 'bare';
    carry.workdir ??= asFilledText(asJsonObject(fields['arguments'])?.['workdir']) ?? asFilledText(asObject(fields['action'])?.['working_directory']);
    this.#count(showBare(this.#conversation, fields), 'line', fields);
  }
}

const typeMark = '"type":"';
const payloadMark = '","payload":{"type":"';

/** Type of a line and of its payload, as its first bytes tell; empty when they are not where Codex writes them. */
export function kindOfLine(beginning: string): string {
  const start = beginning.indexOf(typeMark);
  const end = start < 0 ? -1 : beginning.indexOf('"', start + typeMark.length);
  if (end < 0) return '';
  const type = beginning.slice(start + typeMark.length, end);
  if (!beginning.startsWith(payloadMark, end)) return type;
  const from = end + payloadMark.length;
  const to = beginning.indexOf('"', from);
  return to < 0 ? type : `${type}/${beginning.slice(from, to)}`;
}
