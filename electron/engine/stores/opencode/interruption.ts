import type { Settled, Spine, SpineRecord } from '../store';
import { recordsOf, type Unit } from './order';
import { asNumber, asObject, asObjects, asText } from '../foreign/fields';

/** Milliseconds after the last write for which an unfinished reply is taken to go on; a single tool rarely runs longer. */
const quietAtMost = 30 * 60_000;
/** Milliseconds another machine's clock may be ahead. */
const aheadAtMost = 5 * 60_000;

/** Whether somebody may still be at work: something was written a short while ago. */
export function isLive(units: readonly Unit[], updated: number | null, now: number): boolean {
  let newest = updated ?? 0;
  for (const unit of units) {
    newest = Math.max(newest, unit.time);
    for (const part of unit.parts) newest = Math.max(newest, asNumber(part.note?.['touched']) ?? 0);
  }
  return newest <= now + aheadAtMost && newest >= now - quietAtMost;
}

/** A reply without an end and without an error. */
export const hasNoEnd = (unit: Unit): boolean => unit.message?.note?.['done'] === false && unit.message.note['error'] === undefined;

/** Calls that will never get a result, with how far they came (FORMAT.md, "Crashes"): the program does not repair them. */
export function interruptedTools(units: readonly Unit[], live: boolean, evidence: Spine['evidence']): Settled['tools'] {
  const finished = new Set(evidence.filter(({ slot, data }) => slot.startsWith('helper ') && data['finished'] === true).map(({ data }) => asText(data['id'])));
  return units.flatMap((unit) => {
    if (live && hasNoEnd(unit)) return [];
    return recordsOf(unit).flatMap((record) => openCalls(record).map(({ block, status, child }) => ({
      record: record.index, block, status: 'interrupted' as const,
      note: status === 'pending' ? 'never started' : child !== null && finished.has(child) ? 'interrupted; the helper finished' : 'interrupted while running',
    })));
  });
}

function openCalls(record: SpineRecord): { block: number; status: string; child: string | null }[] {
  const open = asText(record.note?.['open']);
  if (open !== null) return [{ block: 0, status: open, child: asText(record.note?.['child']) }];
  return asObjects(record.note?.['tools']).map((call) => ({ block: asNumber(asObject(call)?.['block']) ?? 0, status: asText(call['status']) ?? 'running', child: null }));
}
