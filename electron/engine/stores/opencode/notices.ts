import type { Settled, SpineRecord } from '../store';
import { hasNoEnd } from './interruption';
import type { Unit } from './order';
import { asNumber, asText } from '../foreign/fields';
import type { Hidden } from './revert';

type Notices = Settled['notices'];

interface Scene {
  units: readonly Unit[];
  records: readonly SpineRecord[];
  hidden: Hidden | null;
  /** The last reply, when it was broken off. */
  interrupted: Unit | null;
  live: boolean;
  now: number;
  isGone(record: SpineRecord): boolean;
}

/** Milliseconds a time may lie ahead before it is odd: clocks and zones differ by less. */
const aheadAtMost = 24 * 3_600_000;
/** Notices of one kind that name their message; what is beyond is counted. */
const namedAtMost = 20;

/** What is worth telling of a session and is neither conversation nor damage. */
export function noticesOf(scene: Scene): Notices {
  return [
    ...revertNotices(scene), ...endNotices(scene), ...compactionNotices(scene.units), ...limited(timeNotices(scene), 'more messages have odd times'),
    ...removedNotice(scene), ...orphanNotice(scene.records), ...unknownNotices(scene.records), ...snapshotNotice(scene.records),
  ];
}

function revertNotices({ hidden }: Scene): Notices {
  if (!hidden) return [];
  const record = hidden.cause?.index ?? -1;
  if (hidden.missing !== null) return [{ kind: 'revert', text: `A revert is pending that names ${hidden.missing}, which is not here.`, record }];
  const what = [hidden.messages > 0 ? counted(hidden.messages, 'message') : '', hidden.parts > 0 ? `${counted(hidden.parts, 'part')} of the message before` : ''].filter(Boolean).join(' and ');
  return [{ kind: 'revert', text: `A revert is pending: ${what || 'nothing'} hidden. The next prompt makes it final and deletes them.`, record }];
}

function endNotices({ units, interrupted, live }: Scene): Notices {
  return units.filter((unit) => hasNoEnd(unit) && (unit === interrupted || !live)).map((unit) => ({
    kind: 'interrupted' as const,
    text: unit === interrupted ? `The last reply (${unit.key}) has no end, and nothing is being written any more.` : `The reply ${unit.key} has no end.`,
    record: unit.message?.index ?? -1,
  }));
}

/** Failed compactions, requests that did not fit, and prompts that were sent again behind the summary. */
function compactionNotices(units: readonly Unit[]): Notices {
  const notices: Notices = [];
  units.forEach((unit, place) => {
    const note = unit.message?.note;
    const record = unit.message?.index ?? -1;
    if (note?.['summary'] === true && note['error'] !== undefined) {
      notices.push({ kind: 'other', text: `The compaction ${unit.key} failed (${asText(note['error'])}); nothing was compacted.`, record });
    }
    const mark = unit.parts.find((part) => part.type === 'part/compaction');
    if (mark?.note?.['overflow'] !== true) return;
    const failed = units[place - 1];
    if (failed?.message?.role === 'assistant' && failed.parts.length === 0 && failed.message.note?.['finish'] === undefined) {
      notices.push({ kind: 'other', text: `The reply ${failed.key} is empty: its request did not fit, and the session was compacted.`, record: failed.message.index });
    }
    const prompt = units[place - 2];
    const repeated = units[place + 2];
    const words = (of: Unit | undefined) => of?.parts.map((part) => asNumber(part.note?.['words'])).find((number) => number !== null);
    if (prompt && repeated && words(prompt) !== undefined && words(prompt) === words(repeated)) {
      notices.push({ kind: 'other', text: `OpenCode sent the prompt ${prompt.key} again as ${repeated.key}, behind the summary.`, record: repeated.message?.index ?? -1 });
    }
  });
  return notices;
}

function timeNotices({ units, now }: Scene): Notices {
  const timeOf = new Map(units.map((unit) => [unit.key, unit.time]));
  return units.flatMap((unit): Notices => {
    const record = unit.message?.index ?? unit.parts[0]?.index ?? -1;
    if (unit.message?.note?.['oddTime'] === true) return [{ kind: 'time', text: `${unit.key} has a time that cannot be true (before 2000, or from 2100 on); it is shown without one and stands where its ${unit.generation === 1 ? 'id' : 'number'} puts it.`, record }];
    if (unit.time <= 0) return [{ kind: 'time', text: `${unit.key} has no time; it stands where its id puts it.`, record }];
    if (unit.time > now + aheadAtMost) return [{ kind: 'time', text: `${unit.key} is dated in the future.`, record }];
    const prompt = timeOf.get(asText(unit.message?.note?.['parent']) ?? '');
    return prompt !== undefined && prompt > unit.time ? [{ kind: 'order', text: `The reply ${unit.key} is dated before the prompt it answers.`, record }] : [];
  });
}

function removedNotice({ records, isGone }: Scene): Notices {
  const gone = records.filter(isGone);
  const [first] = gone;
  return first ? [{ kind: 'revert', text: `${counted(gone.length, 'record')} that OpenCode has removed since ${gone.length === 1 ? 'is' : 'are'} kept here.`, record: first.index }] : [];
}

function orphanNotice(records: readonly SpineRecord[]): Notices {
  const orphans = records.filter((record) => record.note?.['orphan'] === true);
  const [first] = orphans;
  return first ? [{ kind: 'gap', text: `${counted(orphans.length, 'part')} ${orphans.length === 1 ? 'belongs' : 'belong'} to messages that are not in the store, such as ${first.messageKey}.`, record: first.index }] : [];
}

function unknownNotices(records: readonly SpineRecord[]): Notices {
  const types = new Map<string, { count: number; record: number }>();
  for (const record of records) {
    const type = asText(record.note?.['unknown']);
    if (type === null) continue;
    const known = types.get(type) ?? { count: 0, record: record.index };
    types.set(type, { ...known, count: known.count + 1 });
  }
  return [...types].map(([type, { count, record }]) => ({ kind: 'unknown', text: `${counted(count, 'record')} of the type ${JSON.stringify(type)}, which this version of Retrace does not know.`, record }));
}

/** Without snapshots nothing can be taken back. The first versions kept them with patches only. */
function snapshotNotice(records: readonly SpineRecord[]): Notices {
  const steps = records.filter((record) => record.type === 'part/step-start');
  const [first] = steps;
  if (!first || !steps.every((step) => step.note?.['bare'] === true) || records.some((record) => record.type === 'part/patch')) return [];
  return [{ kind: 'store', text: 'OpenCode kept no snapshots of files in this session (no git there, or switched off): it cannot take changes back.', record: first.index }];
}

function limited(notices: Notices, rest: string): Notices {
  if (notices.length <= namedAtMost) return notices;
  return [...notices.slice(0, namedAtMost), { kind: 'time', text: `${notices.length - namedAtMost} ${rest}.`, record: -1 }];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
