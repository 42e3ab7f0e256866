import type { Settled, Spine, SpineRecord } from '../../store';
import { listOf, numberOf, textOf } from '../entry';

/** Milliseconds after its last line in which a session may still be at work on a call. */
const stillRunning = 10 * 60_000;

/**
 * Calls that have no result. While the session's last line is fresh and nothing came after a call, it may be running;
 * otherwise nothing can run it any more (FORMAT.md, "Results of tools").
 */
export function openCalls(spine: Spine, current: number[]): Settled['tools'] {
  const answered = new Set<unknown>();
  const calling: SpineRecord[] = [];
  // Two plain passes: this runs over every record of a session each time it grows.
  for (const record of spine.records) {
    if (!record.note) continue;
    const { results, calls } = record.note;
    if (Array.isArray(results)) for (const call of results) answered.add(call);
    if (Array.isArray(calls)) calling.push(record);
  }
  const open: { record: SpineRecord; block: number }[] = [];
  for (const record of calling) {
    for (const call of listOf(record.note?.['calls'])) {
      const pair = listOf(call);
      if (!answered.has(pair[1])) open.push({ record, block: numberOf(pair[0]) ?? 0 });
    }
  }
  if (open.length === 0) return [];
  const tip = tipMessage(spine.records, current);
  const fresh = isFresh(spine);
  return open
    .filter(({ record }) => !(fresh && record.message >= 0 && record.message === tip))
    .map(({ record, block }) => ({ record: record.index, block, status: 'interrupted' as const, note: 'No result was recorded: the program ended, or went on, before the call did.' }));
}

/** The message the current branch ends in, when that is an answer. */
function tipMessage(records: SpineRecord[], current: number[]): number {
  for (let i = current.length - 1; i >= 0; i--) {
    const record = records[current[i] as number] as SpineRecord;
    if (record.role === 'assistant') return record.message;
    if (record.prompt) return -1;
  }
  return -1;
}

function isFresh(spine: Spine): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (const { time } of spine.records) if (time !== null && time > last) last = time;
  return Math.abs(spine.now - last) <= stillRunning;
}

/** A session is interrupted when its last turn has no end: no answer, a call without result, or the person stopped it. */
export function endOf(spine: Spine, current: number[], tools: Settled['tools']): 'finished' | 'interrupted' {
  if (isFresh(spine)) return 'finished';
  const without = new Set(tools.map((tool) => tool.record));
  for (let i = current.length - 1; i >= 0; i--) {
    const record = spine.records[current[i] as number] as SpineRecord;
    if (record.note?.['interrupt'] === true || record.note?.['aborted'] === true) return 'interrupted';
    if (record.role === 'assistant') return without.has(record.index) ? 'interrupted' : 'finished';
    if (record.note?.['summary'] === true || textOf(record.note?.['trigger']) !== null) return 'finished';
    // A prompt, or a tool's result, that was never answered.
    if (record.prompt || record.note?.['task'] === true || listOf(record.note?.['results']).length > 0) return 'interrupted';
  }
  return 'finished';
}
