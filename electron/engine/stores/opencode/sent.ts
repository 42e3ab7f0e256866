import type { SpineRecord } from '../store';
import type { Unit } from './order';
import { asText } from '../foreign/fields';

/** Parts of the first generation that are the program's bookkeeping: the model never gets them. */
const bookkeeping = new Set(['part/step-start', 'part/step-finish', 'part/snapshot', 'part/patch', 'part/retry', 'part/agent', 'part/damaged']);
/** Rows of the second generation that are made into messages for the model. */
const spoken = new Set(['v2/user', 'v2/assistant', 'v2/system', 'v2/synthetic', 'v2/shell', 'v2/compaction']);

/** Whether a record of a unit that is in view is made into something the model gets (FORMAT.md, "What is sent"). */
export function isSent(record: SpineRecord, unit: Unit): boolean {
  if (unit.generation === 2) return spoken.has(record.type) && typeof record.note?.['seq'] === 'number';
  if (unit.generation === 'inbox' || record.type.startsWith('message/') || bookkeeping.has(record.type)) return false;
  const { note } = record;
  if (note?.['ignored'] === true || note?.['empty'] === true || note?.['inline'] === true || note?.['unknown'] !== undefined) return false;
  return unit.message !== null && isSpoken(unit);
}

/** Why a part that is in view is not sent. */
export function unsentReason({ type, note }: SpineRecord): string {
  if (note?.['unknown'] !== undefined) return 'Of a kind that is not known: whether the model gets it is not known either.';
  switch (type) {
    case 'part/step-start':
    case 'part/step-finish':
      return 'The border of a request: it is not sent.';
    case 'part/snapshot':
    case 'part/patch':
      return 'OpenCode’s own note of the files: it is not sent.';
    case 'part/retry':
      return 'OpenCode’s own note of a request that was tried again: it is not sent.';
    default:
      return type.startsWith('message/') ? 'How the message ended: it is not sent.' : 'OpenCode does not send this.';
  }
}

/** Blocks of a record that are not sent with it: of a row of the second generation its mentions, patches and errors. */
export function unsaidBlocks(record: SpineRecord): number[] {
  const blocks = record.note?.['unsaid'];
  return Array.isArray(blocks) ? blocks.filter((block) => typeof block === 'number') : [];
}

/** A reply that failed is left out; one that was broken off stays if it came to more than reasoning. */
function isSpoken({ message, parts }: Unit): boolean {
  const error = message?.note?.['error'];
  if (error === undefined) return true;
  return error === 'MessageAbortedError' && parts.some(({ type }) => type !== 'part/step-start' && type !== 'part/reasoning');
}

/**
 * The messages of the first generation that are sent, in the order in which they are: the program's own walk from the
 * newest back to the marker of the last completed compaction, or on to the tail it keeps; then marker and summary are
 * put before that tail (FORMAT.md, "Compaction").
 */
export function retained(units: readonly Unit[]): Unit[] {
  const kept: Unit[] = [];
  const completed = new Set<string>();
  let until: string | null = null;
  for (let at = units.length - 1; at >= 0; at--) {
    const unit = units[at] as Unit;
    kept.push(unit);
    if (until !== null) {
      if (unit.key === until) break;
      continue;
    }
    const marker = markerOf(unit);
    if (marker && completed.has(unit.key)) {
      until = asText(marker.note?.['tail']);
      if (until === null || until === unit.key) break;
      continue;
    }
    if (isCompleted(unit)) completed.add(asText(unit.message?.note?.['parent']) ?? '');
  }
  return tailBehindSummary(kept.reverse());
}

function tailBehindSummary(units: Unit[]): Unit[] {
  const marker = units.findLastIndex((unit) => asText(markerOf(unit)?.note?.['tail']) !== null && markerOf(unit) !== undefined);
  const mark = units[marker];
  if (!mark) return units;
  const summary = units.findIndex((unit, at) => at > marker && unit.message?.note?.['summary'] === true && unit.message.note['parent'] === mark.key);
  const tail = units.findIndex((unit) => unit.key === asText(markerOf(mark)?.note?.['tail']));
  if (tail < 0 || tail >= marker || summary <= marker) return units;
  return [...units.slice(marker, summary + 1), ...units.slice(tail, marker), ...units.slice(summary + 1)];
}

const markerOf = (unit: Unit): SpineRecord | undefined => (unit.message?.role === 'user' ? unit.parts.find(({ type }) => type === 'part/compaction') : undefined);

/** A summary counts only when its reply ended, without an error. */
function isCompleted({ message }: Unit): boolean {
  const note = message?.note;
  return message?.role === 'assistant' && note?.['summary'] === true && note['finish'] !== undefined && note['error'] === undefined;
}
