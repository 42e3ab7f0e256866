import { type DiagnosisClass, diagnosisClasses } from '@shared/model';
import type { Settled, SpineRecord } from '../store';
import { asObjects, asText, asNumber } from '../foreign/fields';
import { faultWords } from './faults';
import type { Unit } from './order';

type Diagnoses = NonNullable<Settled['diagnoses']>;

interface Scene {
  /** What is in the store, in order. */
  units: readonly Unit[];
  /** The last reply, when it was broken off. */
  interrupted: Unit | null;
  isGone(record: SpineRecord): boolean;
}

/** What is wrong with a session, each on the part concerned (FORMAT.md, "Failed requests" and "Crashes"). Pure. */
export function diagnose(scene: Scene): Diagnoses {
  return scene.units.flatMap((unit, place): Diagnoses => [
    ...failedRequest(unit), ...overflow(unit, scene.units[place + 1]), ...emptyReply(unit, scene), ...(unit === scene.interrupted ? brokenOff(unit) : []),
  ]);
}

const found = (kind: DiagnosisClass, evidence: string, record: SpineRecord | null | undefined, block: number | null = null): Diagnoses =>
  record ? [{ class: kind, ...faultWords[kind], evidence, record: record.index, block }] : [];

/** The error of a message is a notice of the message's own row. */
function failedRequest({ message }: Unit): Diagnoses {
  const kind = classOf(message?.note?.['fault']);
  if (kind === null) return [];
  const said = asText(message?.note?.['said']) ?? '';
  return found(kind, kind === 'aborted' ? `${message?.key} ended with ${said.replace(/\.$/, '')}.` : `The request of ${message?.key} failed with ${said}`, message, asNumber(message?.note?.['faultBlock']) ?? 0);
}

/** A request that did not fit leaves a reply with nothing in it, not even an error; the compaction behind it tells. */
function overflow(unit: Unit, next: Unit | undefined): Diagnoses {
  const mark = next?.parts.find((part) => part.type === 'part/compaction');
  if (!isReply(unit) || unit.parts.length > 0 || unit.message?.note?.['finish'] !== undefined || unit.message?.note?.['error'] !== undefined || mark?.note?.['overflow'] !== true) return [];
  return [{
    class: 'context_limit', text: faultWords.context_limit.text, help: 'OpenCode compacted the session and sent the prompt again: nothing has to be mended.',
    evidence: `${unit.key} has neither parts nor an end nor an error, and this compaction is recorded as made because of it.`, record: mark.index, block: 0,
  }];
}

/** Parts that are no answer by themselves. */
const silent = new Set(['part/step-start', 'part/step-finish', 'part/reasoning', 'part/snapshot', 'part/patch', 'part/retry']);

/** A reply that ended in order and has neither words nor a call. A failed request is none. */
function emptyReply(unit: Unit, { isGone }: Scene): Diagnoses {
  const note = unit.message?.note;
  const finish = asText(note?.['finish']);
  if (!isReply(unit) || note?.['done'] !== true || note['error'] !== undefined || note['summary'] === true || finish === null || finish === 'tool-calls') return [];
  const parts = unit.parts.filter((part) => !isGone(part));
  const isEmpty = unit.generation === 2 ? note['blank'] === true : note['structured'] !== true && parts.every((part) => silent.has(part.type) || part.note?.['blank'] === true);
  if (!isEmpty) return [];
  const thought = parts.findLast((part) => part.type === 'part/reasoning');
  return found('empty_reply', `${unit.key} ended with ${JSON.stringify(finish)}, and ${thought ? 'reasoning is all it holds' : 'it holds no text'}.`, thought ?? parts.at(-1) ?? unit.message);
}

/** Only in the last reply: a call that stayed open in an earlier one was left behind when the session went on. */
function brokenOff(unit: Unit): Diagnoses {
  const calls = unit.generation === 2
    ? asObjects(unit.message?.note?.['tools']).map((call) => ({ record: unit.message, block: asNumber(call['block']), status: asText(call['status']) }))
    : unit.parts.filter((part) => part.note?.['open'] !== undefined).map((part) => ({ record: part, block: 0, status: asText(part.note?.['open']) }));
  if (calls.length > 0) {
    return calls.flatMap(({ record, block, status }) => found('interrupted_tool', `It is recorded as ${status ?? 'open'}, ${unit.key} has no end, and nothing is being written any more.`, record, block));
  }
  const last = unit.parts.at(-1) ?? unit.message;
  return found('interrupted_message', `${unit.key} has no end${unit.parts.length === 0 && unit.generation === 1 ? ' and no part' : ''}, and nothing is being written any more.`, last);
}

const isReply = ({ message }: Unit): boolean => message?.role === 'assistant';

const classOf = (value: unknown): DiagnosisClass | null => diagnosisClasses.find((name) => name === value) ?? null;
