import type { Settled, SettledRecord, SpineRecord } from '../store';
import { isCompaction, lastCompaction } from './sending';
import { isTurnStart } from './turns';

/**
 * What a compaction replaced is everything before it that is still shown, but for what is sent all the same: messages
 * that the compaction repeats. Of several compactions the last decides (FORMAT.md, "Compaction").
 */
export function markCompacted(live: readonly SpineRecord[], states: Map<number, SettledRecord>, sent: ReadonlySet<number>): void {
  const place = lastCompaction(live);
  if (place < 0) return;
  const causes = causesOf(live, place);
  for (let i = 0; i < place; i++) {
    const { index } = live[i] as SpineRecord;
    if (!sent.has(index)) states.set(index, { state: 'compacted', reason: 'A summary stands for it.', cause: causes[i] as number, seen: false });
  }
  states.set((live[place] as SpineRecord).index, { state: 'summary', reason: 'Stands for what was compacted.', cause: -1, seen: false });
}

/** For each record before the last compaction the first one behind it. */
function causesOf(live: readonly SpineRecord[], place: number): number[] {
  // Filled from its end: without its length it would be a table of sparse places, and slow.
  const causes = Array.from({ length: place }, () => -1);
  let cause = (live[place] as SpineRecord).index;
  for (let i = place - 1; i >= 0; i--) {
    causes[i] = cause;
    if (isCompaction(live[i] as SpineRecord)) cause = (live[i] as SpineRecord).index;
  }
  return causes;
}

/** What set a compaction off; null in shapes that do not tell turns apart. */
export interface Compaction {
  record: number;
  isManual: boolean | null;
}

/** No field tells what set a compaction off: a turn without a message of the person is one they asked for. */
export function compactionsIn(live: readonly SpineRecord[]): Compaction[] {
  const found: Compaction[] = [];
  let inTurn: Compaction[] = [];
  let hasTurn = false;
  let hasPrompt = false;
  const close = () => {
    if (hasTurn) for (const one of inTurn) one.isManual = !hasPrompt;
    inTurn = [];
  };
  for (const record of live) {
    if (isTurnStart(record)) {
      close();
      hasTurn = true;
      hasPrompt = false;
    }
    if (record.prompt) hasPrompt = true;
    if (record.type !== 'compacted') continue;
    const one: Compaction = { record: record.index, isManual: null };
    found.push(one);
    inTurn.push(one);
  }
  close();
  return found;
}

export const compactionNotices = (live: readonly SpineRecord[]): Settled['notices'] =>
  compactionsIn(live).flatMap(({ record, isManual }): Settled['notices'] => {
    if (isManual === null) return [];
    return [{ kind: 'other', text: isManual ? 'Compacted on request (a turn of its own, as its records show).' : 'Compacted automatically (inside a turn, as its records show).', record }];
  });
