import type { SpineRecord } from '../store';
import { asNumber } from '../foreign/fields';
import { byId } from './records';

/** A message with its parts, in the place it has in the conversation. */
export interface Unit {
  /** 1: message and part rows; 2: a row of session_message; `inbox`: a prompt that waits. */
  generation: 1 | 2 | 'inbox';
  key: string;
  /** ms since 1970; a row of the second generation never comes before an earlier number. */
  time: number;
  /** The message's own record; null when only parts of it are there. */
  message: SpineRecord | null;
  parts: SpineRecord[];
}

/**
 * The conversation in order (FORMAT.md, "Order"): messages by time, then id, since ids wrap; parts by id; the second
 * generation by its numbers, merged by time; what waits in the inbox last.
 */
export function unitsOf(records: readonly SpineRecord[]): Unit[] {
  const units = new Map<string, Unit>();
  const second: Unit[] = [];
  const inbox: Unit[] = [];
  for (const record of records) {
    if (record.type === 'v2/input') inbox.push(single('inbox', record));
    else if (record.type.startsWith('v2/')) second.push(single(2, record));
    else place(units, record);
  }
  for (const unit of units.values()) unit.parts.sort((a, b) => byId(a.key ?? '', b.key ?? '') || a.index - b.index);
  second.sort((a, b) => numberOf(a, 'seq') - numberOf(b, 'seq') || a.time - b.time || byId(a.key, b.key));
  inbox.sort((a, b) => numberOf(a, 'admitted') - numberOf(b, 'admitted') || a.time - b.time || byId(a.key, b.key));
  let latest = 0;
  for (const unit of second) unit.time = latest = Math.max(latest, unit.time);
  const first = [...units.values()].sort((a, b) => a.time - b.time || byId(a.key, b.key));
  return [...merged(first, second), ...inbox];
}

/** Records in the order to show. A message's own record comes behind its parts: what it shows is how the message ended. */
export const recordsOf = (unit: Unit): SpineRecord[] => (unit.message ? [...unit.parts, unit.message] : unit.parts);

function single(generation: 2 | 'inbox', record: SpineRecord): Unit {
  return { generation, key: record.key ?? '', time: record.order ?? record.time ?? 0, message: record, parts: [] };
}

function place(units: Map<string, Unit>, record: SpineRecord): void {
  const key = record.messageKey ?? record.key ?? '';
  const unit = units.get(key) ?? { generation: 1, key, time: 0, message: null, parts: [] };
  units.set(key, unit);
  if (record.type.startsWith('message/')) {
    unit.message = record;
    unit.time = record.order ?? record.time ?? unit.time;
  } else {
    unit.parts.push(record);
    if (!unit.message) unit.time = record.order ?? unit.time;
  }
}

const numberOf = (unit: Unit, name: string): number => asNumber(unit.message?.note?.[name]) ?? 0;

function merged(first: Unit[], second: Unit[]): Unit[] {
  if (second.length === 0) return first;
  const all: Unit[] = [];
  let next = 0;
  for (const unit of first) {
    while (next < second.length && (second[next] as Unit).time <= unit.time) all.push(second[next++] as Unit);
    all.push(unit);
  }
  return [...all, ...second.slice(next)];
}
