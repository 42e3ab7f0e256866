import type { SettledRecord, SpineRecord } from '../store';

/** What has become of the records until a point, and which commits were taken back: their records by that of the undoing. */
export function statesOf(records: SpineRecord[]): { states: SettledRecord[]; undone: Map<number, number> } {
  const states = records.map(usualState);
  clearBefore(records, states);
  return { states, undone: takeBackCommits(records, states) };
}

/** Prompts and answers go to the model, and a report of edits that failed, which asks it again; commands and what else the program says do not. */
function usualState({ type, prompt }: SpineRecord): SettledRecord {
  const seen = type === 'user' || type === 'answer' || type === 'tool/failed';
  return { state: 'live', reason: seen ? null : prompt ? 'A command to Aider: it is not sent.' : 'Aider’s own line: it is not sent.', cause: -1, seen };
}

/** `/clear` and `/reset` end what the model has. */
function clearBefore(records: SpineRecord[], states: SettledRecord[]): void {
  const clearing = records.findLastIndex(({ note }) => note?.['cleared'] === true);
  for (let i = 0; i < clearing; i++) {
    if (states[i]?.seen) states[i] = { state: 'cleared', reason: 'The conversation was cleared after this: the model no longer gets it.', cause: clearing, seen: false };
  }
}

/** Marks commits that `/undo` took back; returns their records by that of the undoing. */
function takeBackCommits(records: SpineRecord[], states: SettledRecord[]): Map<number, number> {
  const undone = new Map<number, number>();
  for (const record of records) {
    if (record.type !== 'tool/undo') continue;
    const hash = record.note?.['removed'];
    const commit = records.findLastIndex((other) => other.index < record.index && other.type === 'tool/commit' && other.note?.['commit'] === hash);
    if (commit < 0) continue;
    states[commit] = { state: 'reverted', reason: `Commit ${String(hash)} was taken back with /undo.`, cause: record.index, seen: false };
    undone.set(commit, record.index);
  }
  return undone;
}
