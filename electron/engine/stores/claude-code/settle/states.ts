import type { SettledRecord, SpineRecord } from '../../store';
import { listOf, numberOf, textOf } from '../entry';
import type { Chain } from './chain';

const noCause = -1;
/** Most records share one of these two. */
const liveSeen: SettledRecord = { state: 'live', reason: null, cause: noCause, seen: true };
const liveUnseen: SettledRecord = { state: 'live', reason: 'Claude Code’s own line: it is not sent.', cause: noCause, seen: false };

/**
 * Says what has become of every record for the model: on the current branch what the last compactions left, elsewhere
 * off-branch (FORMAT.md, "Compaction").
 */
export function stateRecords(chain: Chain, current: number[]): SettledRecord[] {
  return viewOf(chain, current).states;
}

/** States of all records, and what is left of the branch in the order in which it is sent: kept records stand where the compaction puts them. */
export function viewOf(chain: Chain, current: readonly number[]): { states: SettledRecord[]; view: number[] } {
  const { records } = chain;
  const states = records.map((record): SettledRecord => plainState(record));
  const onBranch = new Int32Array(records.length).fill(-1);
  current.forEach((index, place) => (onBranch[index] = place));
  markOffBranch(chain, current, onBranch, states);
  const view = markCompacted(records, current, onBranch, states);
  markCleared(records, onBranch, states);
  markUnreachable(chain, current, states);
  return { states, view };
}

const hiddenReasons = new Map<string, string>();

/** The state a record has by itself. */
function plainState(record: SpineRecord): SettledRecord {
  const seen = record.inChain && record.note?.['unsent'] !== true && record.note?.['leaf'] === undefined;
  if (record.note?.['summary'] === true) return { state: 'summary', reason: `Record ${nameOfRecord(record)} stands for what was compacted before it.`, cause: record.index, seen };
  if (record.inChain && !record.injected) return seen ? liveSeen : liveUnseen;
  let reason = hiddenReasons.get(record.type);
  if (reason === undefined) {
    reason = record.type === 'last-prompt' ? 'A pointer of the program, not part of the conversation.' : `Put in by Claude Code as ${record.type}, not by the person or the model.`;
    if (hiddenReasons.size < 500) hiddenReasons.set(record.type, reason);
  }
  return { state: 'hidden', reason, cause: noCause, seen };
}

function markOffBranch(chain: Chain, current: readonly number[], onBranch: Int32Array, states: SettledRecord[]): void {
  const { records, up, topDown } = chain;
  /** What happened where a branch was left, by the record it was left at. */
  const partings = new Map<number, SettledRecord>();
  const parting = new Int32Array(records.length).fill(-1);
  for (const i of topDown) {
    if ((onBranch[i] as number) >= 0) continue;
    const above = up[i] as number;
    parting[i] = above < 0 || (onBranch[above] as number) >= 0 ? above : (parting[above] as number);
    const point = parting[i] as number;
    let state = partings.get(point);
    if (!state) {
      state = leftAt(records, current, onBranch, point);
      partings.set(point, state);
    }
    states[i] = state;
  }
}

function leftAt(records: SpineRecord[], current: readonly number[], onBranch: Int32Array, point: number): SettledRecord {
  const place = point < 0 ? -1 : (onBranch[point] as number);
  const next = current[place + 1] ?? current.at(-1) ?? noCause;
  const record = records[next];
  const taken = record ? `record ${nameOfRecord(record)}` : 'another record';
  const from = point < 0 ? 'was begun anew' : `went on from record ${nameOfRecord(records[point] as SpineRecord)}`;
  return { state: 'off-branch', reason: `The session ${from} with ${taken}; this branch was left.`, cause: next, seen: false };
}

/**
 * Goes along the branch; at each boundary all that is still in view and not kept is compacted by it. What is kept goes
 * behind the record the boundary names: itself ("summarize from here"), or the summary.
 */
function markCompacted(records: SpineRecord[], current: readonly number[], onBranch: Int32Array, states: SettledRecord[]): number[] {
  let inView: number[] = [];
  let latest = -1;
  /** What the last boundary keeps, until the record it stands behind has come. */
  const pending: { anchor: unknown; kept: number[] } = { anchor: null, kept: [] };
  const place = (at: number) => inView.splice(at, 0, ...pending.kept.splice(0));
  current.forEach((index, step) => {
    const record = records[index] as SpineRecord;
    if (record.type === 'system/compact_boundary') {
      place(1);
      latest = step;
      const summary = current.slice(step + 1, step + 40).map((at) => records[at] as SpineRecord).find((candidate) => candidate.note?.['summary'] === true);
      const state: SettledRecord = { state: 'compacted', reason: compactedReason(record, summary), cause: index, seen: false };
      const isKept = keptBy(record, records, onBranch, step);
      const kept: number[] = [];
      for (const at of inView) {
        if (isKept(at)) kept.push(at);
        else states[at] = state;
      }
      inView = [index];
      Object.assign(pending, { anchor: record.note?.['anchor'] ?? summary?.key ?? record.key, kept });
    } else inView.push(index);
    if (pending.kept.length > 0 && record.key === pending.anchor) place(inView.length);
  });
  // An anchor that is not here: what was kept stands where it stood before, behind the boundary.
  place(1);
  if (latest >= 0) {
    const boundary = records[current[latest] as number] as SpineRecord;
    states[boundary.index] = { state: 'hidden', reason: `Record ${nameOfRecord(boundary)} marks where the conversation was compacted.`, cause: boundary.index, seen: false };
  }
  return inView;
}

function compactedReason(boundary: SpineRecord, summary: SpineRecord | undefined): string {
  const how = boundary.note?.['trigger'] === 'manual' ? 'by command' : boundary.note?.['trigger'] === 'auto' ? 'automatically' : '';
  const tokens = numberOf(boundary.note?.['before']);
  const at = tokens === null ? '' : ` at ${tokens.toLocaleString('en-US')} tokens`;
  const stands = summary ? `; the summary in record ${nameOfRecord(summary)} stands for it` : '';
  return `Compacted${how && ` ${how}`}${at} by record ${nameOfRecord(boundary)}${stands}.`;
}

/** Which records a boundary keeps in view: a stretch of the branch by its two ends, or records by name. */
function keptBy(boundary: SpineRecord, records: SpineRecord[], onBranch: Int32Array, place: number): (index: number) => boolean {
  const note = boundary.note;
  const names = new Set(listOf(note?.['kept']));
  if (names.size > 0) return (index) => names.has(records[index]?.key);
  const headKey = textOf(note?.['head']);
  const tailKey = textOf(note?.['tail']);
  if (headKey === null || tailKey === null) return () => false;
  const placeOfKey = (key: string) => {
    const index = records.findIndex((record) => record.key === key);
    return index < 0 ? -1 : (onBranch[index] as number);
  };
  const head = placeOfKey(headKey);
  const tail = placeOfKey(tailKey);
  if (head < 0 || tail < 0 || tail > place) return () => false;
  return (index) => (onBranch[index] as number) >= head && (onBranch[index] as number) <= tail;
}

/** Outputs that a smaller compaction took out of the model's view, call by call. */
function markCleared(records: SpineRecord[], onBranch: Int32Array, states: SettledRecord[]): void {
  const cleared = new Map<unknown, SpineRecord>();
  for (const record of records) {
    if (record.type !== 'system/microcompact_boundary' || (onBranch[record.index] as number) < 0) continue;
    for (const call of listOf(record.note?.['cleared'])) cleared.set(call, record);
  }
  if (cleared.size === 0) return;
  for (const record of records) {
    if (states[record.index]?.state !== 'live') continue;
    const cause = listOf(record.note?.['calls']).map((call) => cleared.get(listOf(call)[1])).find((found) => found !== undefined);
    if (cause) states[record.index] = { state: 'cleared', reason: `Its output was cleared from the model's view by record ${nameOfRecord(cause)}.`, cause: cause.index, seen: true };
  }
}

/**
 * What the program loses at a broken link behind a compaction: it sends only what hangs below the gap. Without a
 * compaction it bridges the gap as we do (FORMAT.md, "A missing parent"; both were seen).
 */
function markUnreachable(chain: Chain, current: readonly number[], states: SettledRecord[]): void {
  if (chain.gaps.length === 0) return;
  const gaps = new Set(chain.gaps.map((gap) => gap.record));
  let compacted = false;
  let cut = -1;
  current.forEach((index, place) => {
    if (gaps.has(index) && compacted) cut = place;
    if (chain.records[index]?.type === 'system/compact_boundary') {
      compacted = true;
      cut = -1;
    }
  });
  for (let place = 0; place < cut; place++) {
    const index = current[place] as number;
    const state = states[index] as SettledRecord;
    if (state.seen) states[index] = { ...state, seen: false };
  }
}

/** A record's id as a sentence names it. */
export const nameOfRecord = (record: SpineRecord): string => record.key ?? `${record.index + 1} of the file`;
