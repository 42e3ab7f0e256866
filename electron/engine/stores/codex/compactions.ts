import type { Settled, SettledRecord, SpineRecord } from '../store';
import { isTurnStart } from './turns';

const isCompaction = (record: SpineRecord): boolean => record.type === 'compacted' || record.type === 'response_item/compaction' || record.type === 'response_item/context_compaction';

/**
 * What a compaction replaced is everything before it that is still shown. Messages of the person that the record
 * repeats go on being seen; of several compactions the last decides (FORMAT.md, "Compaction").
 */
export function markCompacted(live: readonly SpineRecord[], states: SettledRecord[]): void {
  const place = live.findLastIndex(isCompaction);
  if (place < 0) return;
  const last = live[place] as SpineRecord;
  const kept = keptIn(last);
  const causes = causesOf(live, place);
  for (let i = 0; i < place; i++) {
    const record = live[i] as SpineRecord;
    if (record.prompt && kept.delete(saidIn(record))) continue;
    states[record.index] = { state: 'compacted', reason: 'A summary stands for it.', cause: causes[i] as number, seen: false };
  }
  states[last.index] = { state: 'summary', reason: 'Stands for what was compacted.', cause: -1, seen: true };
}

/** For each record before the last compaction the first one behind it. */
function causesOf(live: readonly SpineRecord[], place: number): number[] {
  const causes: number[] = [];
  let cause = (live[place] as SpineRecord).index;
  for (let i = place - 1; i >= 0; i--) {
    causes[i] = cause;
    if (isCompaction(live[i] as SpineRecord)) cause = (live[i] as SpineRecord).index;
  }
  return causes;
}

const saidIn = (record: SpineRecord): number => (typeof record.note?.['said'] === 'number' ? record.note['said'] : -1);

function keptIn(record: SpineRecord): Set<number> {
  const kept = record.note?.['kept'];
  return new Set(Array.isArray(kept) ? kept.filter((digest): digest is number => typeof digest === 'number') : []);
}

/** No field tells what set a compaction off: a turn without a message of the person is one they asked for. */
export function compactionNotices(live: readonly SpineRecord[]): Settled['notices'] {
  const notices: Settled['notices'] = [];
  let inTurn: number[] = [];
  let hasTurn = false;
  let hasPrompt = false;
  const close = () => {
    const text = hasPrompt ? 'Compacted automatically (inside a turn, as its records show).' : 'Compacted on request (a turn of its own, as its records show).';
    if (hasTurn) for (const record of inTurn) notices.push({ kind: 'other', text, record });
    inTurn = [];
  };
  for (const record of live) {
    if (isTurnStart(record)) {
      close();
      hasTurn = true;
      hasPrompt = false;
    }
    if (record.prompt) hasPrompt = true;
    if (record.type === 'compacted') inTurn.push(record.index);
  }
  close();
  return notices;
}
