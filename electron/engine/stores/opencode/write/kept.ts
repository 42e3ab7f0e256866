import type { SessionToWrite, SpineRecord, WritePoint } from '../../store';
import { asNumber } from '../../foreign/fields';
import { hasNoEnd } from '../interruption';
import { recordsOf, type Unit, unitsOf } from '../order';

/** A message that goes into a fork, by its records. */
export interface KeptMessage {
  key: string;
  record: SpineRecord;
  parts: SpineRecord[];
}

export interface Kept {
  /** In the order of the conversation. */
  messages: KeptMessage[];
  /**
   * Key of the first message of the conversation that is left out: OpenCode's own fork copies what is before one. Null
   * when all go along.
   */
  before: string | null;
  /** OpenCode's own fork before that message copies just these messages. */
  isPrefix: boolean;
  /** The last reply has no end and is left out. */
  unfinished: boolean;
  /** A revert is pending, and what it hides is left out. */
  hidden: boolean;
  /** Messages and parts that cannot be read and are left out. */
  damaged: number;
  /** Calls, by key, whose output OpenCode cleared after the point: in the fork it is whole, as it was then. */
  cleared: Set<string>;
}

/** What a fork at a point takes along. Of a pending revert what it hides stays behind, unless the point lies in there. */
export function keptOf({ spine, settled }: SessionToWrite, { kept, before }: WritePoint): Kept {
  const wanted = new Set(kept);
  const isHidden = (record: SpineRecord) => before === null && settled.records[record.index]?.state === 'reverted';
  const there = new Set([...kept, ...settled.branches.flatMap(({ path }) => path)]);
  const conversation = unitsOf(spine.records.filter(({ index }) => there.has(index)));
  const isDamaged = (record: SpineRecord) => record.type.endsWith('/damaged');
  let damaged = 0;
  let hidden = false;
  const taken = conversation.filter((unit) => {
    const record = unit.message;
    if (unit.generation !== 1 || !record || !recordsOf(unit).some(({ index }) => wanted.has(index))) return false;
    // A revert at a part hides the rest of its message only.
    if (unit.parts.length > 0 ? unit.parts.every(isHidden) : isHidden(record)) return void (hidden = true);
    if (isDamaged(record)) damaged++;
    return !isDamaged(record);
  });
  const last = taken.at(-1);
  const unfinished = last !== undefined && hasNoEnd(last);
  if (unfinished) taken.pop();
  const messages = taken.map((unit): KeptMessage => ({
    key: unit.key, record: unit.message as SpineRecord,
    parts: unit.parts.filter((part) => {
      if (isDamaged(part)) damaged++;
      if (isHidden(part)) hidden = true;
      return wanted.has(part.index) && !isDamaged(part) && !isHidden(part);
    }),
  }));
  const first = conversation.filter(({ generation, message }) => generation === 1 && message !== null);
  const here = new Set(messages.map(({ key }) => key));
  const out = first.findIndex(({ key }) => !here.has(key));
  const whole = (unit: Unit | undefined, message: KeptMessage) => unit?.key === message.key && unit.parts.length === message.parts.length;
  const asOf = before === null ? null : (spine.records[before]?.order ?? null);
  const clearedAt = (part: SpineRecord) => asNumber(part.note?.['cleared']);
  const cleared = new Set(messages.flatMap(({ parts }) => parts.filter((part) => asOf !== null && (clearedAt(part) ?? asOf) > asOf).map(({ key }) => key ?? '')));
  return { messages, cleared, before: first[out]?.key ?? null, isPrefix: messages.every((message, at) => whole(first[at], message)), unfinished, hidden, damaged };
}

/** A message of the second interface. 1.15 wrote rows without a number beside ordinary sessions; those are bookkeeping. */
export const isSecond = (record: SpineRecord | undefined): boolean => record?.type.startsWith('v2/') === true && (record.type === 'v2/input' || asNumber(record.note?.['seq']) !== null);

/** Sessions of `/api/session` cannot be copied: their messages are bound to the numbers of the event log (FORMAT.md, "Writing"). */
export function secondGeneration({ spine }: SessionToWrite, { kept }: WritePoint): string | null {
  if (!kept.some((index) => isSecond(spine.records[index]))) return null;
  return 'A session of OpenCode’s second interface (/api/session) cannot be forked, not even by OpenCode itself (its fork comes out empty): go back in it, or export it.';
}
