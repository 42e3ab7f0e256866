import type { Settled, SettledRecord, Spine, SpineRecord } from '../store';
import { type Chain, chainOf, displayOrder, isOnChain } from './chain';
import { compactionNotices, markCompacted } from './compactions';
import { type Evidence, readEvidence } from './evidence';
import { counted } from './fields';
import { kindOf } from './names';
import { inheritedMark } from './scribe';
import { isTurnEnd, lastTurn, TurnStack } from './turns';

/** A session that was written to this lately may still be running. */
const quietAfter = 10 * 60_000;

/** What a session's records add up to: which turns were taken back, what a summary stands for, how it ended. */
export function settle(spine: Spine): Settled {
  const evidence = readEvidence(spine.evidence);
  const chain = chainOf(evidence);
  const { records } = spine;
  const order = displayOrder(records, chain);
  const shown = order ? order.map((index) => records[index] as SpineRecord) : records;
  const states = records.map((record): SettledRecord => ({ state: record.injected ? 'hidden' : 'live', reason: record.injected ? hiddenReason(record) : null, cause: -1, seen: true }));
  const notices: Settled['notices'] = [...takeBackOffChain(shown, chain, states), ...takeBackRolledBack(shown, states)];
  const live = shown.filter((record) => states[record.index]?.state !== 'reverted');
  const attached = evidence.rollouts.some(({ meta }) => meta.attached === true);
  if (attached) for (const record of live) if (kindOf(record.source) === 'base') states[record.index] = { state: 'hidden', reason: 'Codex shows only the own turns of a thread attached to another.', cause: -1, seen: true };
  markCompacted(live, states);
  for (const record of live) if (isNotice(record)) (states[record.index] as SettledRecord).seen = false;
  notices.push(...compactionNotices(live));
  const reverted = live.length < shown.length;
  const ending = endingOf(spine, live, evidence);
  return {
    records: states,
    order: order ?? (reverted ? records.map(({ index }) => index) : null),
    branches: live.length > 0 ? [{ current: true, path: live.map(({ index }) => index) }] : [],
    compactions: shown.filter((record) => record.type === 'compacted' && !isInherited(record)).length,
    reverted,
    notices: [...notices, ...ending.notices],
    condition: chain.torn ? 'recovered' : ending.condition,
    tools: openTools(spine, evidence, ending.isRunning),
    uncounted: shown.filter((record) => states[record.index]?.state === 'reverted' || (attached && kindOf(record.source) === 'base')).map(({ index }) => index),
  };
}

const hiddenReason = (record: SpineRecord): string =>
  record.type.startsWith('response_item/message:assistant') ? 'Codex does not show this text of the model.' : 'Put in by Codex, not by the person or the model.';

const isInherited = (record: SpineRecord): boolean => record.messageKey?.startsWith(inheritedMark) === true;
const isNotice = (record: SpineRecord): boolean => record.messageKey === null;

/** Turns that stand only in rollouts, or parts of them, that the thread does not continue any more. */
function takeBackOffChain(shown: readonly SpineRecord[], chain: Chain, states: SettledRecord[]): Settled['notices'] {
  const marker = new Map<string, number>();
  for (const record of shown) if (record.type === 'session_meta') marker.set(record.source, record.index);
  const cause = marker.get(chain.live?.source ?? '') ?? -1;
  const turns = new Set<string>();
  let last = -1;
  for (const record of shown) {
    // The mark of going back is shown, wherever the thread went from there.
    if (record.type === 'session_meta' || isOnChain(record, chain)) continue;
    states[record.index] = { state: 'reverted', reason: 'Taken back: the thread went back to before this turn. The line still stands in an older rollout.', cause, seen: false };
    if (record.prompt && record.messageKey !== null) turns.add(record.messageKey);
    last = record.index;
  }
  return turns.size === 0 ? [] : [{ kind: 'revert', text: `${counted(turns.size, 'message')} of the person taken back; files in the project were not changed by it.`, record: last }];
}

/** Turns that a `thread_rolled_back` line takes back: the last so many that are shown at that point. */
function takeBackRolledBack(shown: readonly SpineRecord[], states: SettledRecord[]): Settled['notices'] {
  const notices: Settled['notices'] = [];
  const stack = new TurnStack();
  for (const record of shown) {
    if (states[record.index]?.state === 'reverted') continue;
    if (record.type !== 'event_msg/thread_rolled_back') {
      stack.add(record);
      continue;
    }
    const turns = typeof record.note?.['turns'] === 'number' ? record.note['turns'] : 0;
    for (const taken of stack.takeBack(turns)) {
      states[taken.index] = { state: 'reverted', reason: `Taken back with the last ${counted(turns, 'turn')}; the lines stay in the file.`, cause: record.index, seen: false };
    }
    notices.push({ kind: 'revert', text: `${counted(turns, 'turn')} taken back; files in the project were not changed by it.`, record: record.index });
  }
  return notices;
}

interface Ending {
  condition: Settled['condition'];
  notices: Settled['notices'];
  isRunning: boolean;
}

function endingOf(spine: Spine, live: readonly SpineRecord[], evidence: Evidence): Ending {
  const open = lastTurn(live);
  const last = Math.max(...evidence.rollouts.map((rollout) => rollout.last ?? 0), 0);
  const isRunning = open !== null && last > 0 && spine.now - last < quietAfter;
  if (open === null || isRunning) return { condition: 'finished', notices: [], isRunning };
  return { condition: 'interrupted', notices: [{ kind: 'interrupted', text: 'The last turn has no end, and nothing is being written any more.', record: open }], isRunning };
}

/** Calls that never got a result. A command that ran on may have ended unseen. */
function openTools(spine: Spine, evidence: Evidence, isRunning: boolean): Settled['tools'] {
  const open = new Map([...evidence.rollouts, ...evidence.bases].flatMap((rollout) => rollout.open.map(({ key, late }) => [`${rollout.source} ${key}`, late] as const)));
  if (open.size === 0) return [];
  const lastSource = evidence.rollouts.at(-1)?.source;
  const ends = lastEnds(spine.records);
  return spine.records.flatMap((record): Settled['tools'] => {
    const late = open.get(`${record.source} ${record.key}`);
    if (late === undefined) return [];
    const hasEnded = !isRunning || record.source !== lastSource || (ends.get(record.source) ?? -1) > record.index;
    if (late) return hasEnded ? [{ record: record.index, block: 0, status: 'unknown', note: 'It ran on in the background; how it ended is not recorded.' }] : [];
    return [hasEnded ? { record: record.index, block: 0, status: 'interrupted', note: 'No result was recorded: the turn ended before.' } : { record: record.index, block: 0, status: 'running', note: 'Its result is not written yet.' }];
  });
}

function lastEnds(records: readonly SpineRecord[]): Map<string, number> {
  const ends = new Map<string, number>();
  for (const record of records) if (isTurnEnd(record)) ends.set(record.source, record.index);
  return ends;
}
