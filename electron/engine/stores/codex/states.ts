import type { Settled, SettledRecord, SpineRecord } from '../store';
import { type Chain, isOnChain } from './chain';
import { markCompacted } from './compactions';
import { counted } from './fields';
import { kindOf } from './names';
import { type Sent, sendingOf } from './sending';
import { TurnStack } from './turns';

/** What has become of records until a point. */
export interface States {
  /** By the record's index. */
  states: Map<number, SettledRecord>;
  /** Those that were not taken back, in order. */
  live: SpineRecord[];
  sent: Sent[];
  notices: Settled['notices'];
}

/** Works out the states of records that are shown in this order, on this chain. `settle` asks for all of them, `context` for those before a point. */
export function statesOf(shown: readonly SpineRecord[], chain: Chain, isAttached: boolean): States {
  const states = new Map(shown.map((record): [number, SettledRecord] => [record.index, usualState(record)]));
  const notices = [...takeBackOffChain(shown, chain, states), ...takeBackRolledBack(shown, states)];
  const live = shown.filter(({ index }) => states.get(index)?.state !== 'reverted');
  if (isAttached) for (const record of live) if (kindOf(record.source) === 'base') states.set(record.index, { state: 'hidden', reason: 'Codex shows only the own turns of a thread attached to another.', cause: -1, seen: false });
  const sent = sendingOf(live);
  const gets = new Set(sent.map(({ index }) => index));
  markCompacted(live, states, gets);
  for (const { index } of live) {
    const settled = states.get(index) as SettledRecord;
    settled.seen = gets.has(index);
    if (!settled.seen && settled.state === 'live') settled.reason ??= 'Told for reading: Codex does not send it.';
  }
  return { states, live, sent, notices };
}

const usualState = (record: SpineRecord): SettledRecord => ({ state: record.injected ? 'hidden' : 'live', reason: record.injected ? hiddenReason(record) : null, cause: -1, seen: false });

const hiddenReason = (record: SpineRecord): string =>
  record.type.startsWith('response_item/message:assistant') ? 'Codex does not show this text of the model.' : 'Put in by Codex, not by the person or the model.';

/** Turns that stand only in rollouts, or parts of them, that the thread does not continue any more. */
function takeBackOffChain(shown: readonly SpineRecord[], chain: Chain, states: Map<number, SettledRecord>): Settled['notices'] {
  const marker = new Map<string, number>();
  for (const record of shown) if (record.type === 'session_meta') marker.set(record.source, record.index);
  const cause = marker.get(chain.live?.source ?? '') ?? -1;
  const turns = new Set<string>();
  let last = -1;
  for (const record of shown) {
    // The mark of going back is shown, wherever the thread went from there.
    if (record.type === 'session_meta' || isOnChain(record, chain)) continue;
    states.set(record.index, { state: 'reverted', reason: 'Taken back: the thread went back to before this turn. The line still stands in an older rollout.', cause, seen: false });
    if (record.prompt && record.messageKey !== null) turns.add(record.messageKey);
    last = record.index;
  }
  return turns.size === 0 ? [] : [{ kind: 'revert', text: `${counted(turns.size, 'message')} of the person taken back; files in the project were not changed by it.`, record: last }];
}

/** Turns that a `thread_rolled_back` line takes back: the last so many that are shown at that point. */
function takeBackRolledBack(shown: readonly SpineRecord[], states: Map<number, SettledRecord>): Settled['notices'] {
  const notices: Settled['notices'] = [];
  const stack = new TurnStack();
  for (const record of shown) {
    if (states.get(record.index)?.state === 'reverted') continue;
    if (record.type !== 'event_msg/thread_rolled_back') {
      stack.add(record);
      continue;
    }
    const turns = typeof record.note?.['turns'] === 'number' ? record.note['turns'] : 0;
    for (const taken of stack.takeBack(turns)) {
      states.set(taken.index, { state: 'reverted', reason: `Taken back with the last ${counted(turns, 'turn')}; the lines stay in the file.`, cause: record.index, seen: false });
    }
    notices.push({ kind: 'revert', text: `${counted(turns, 'turn')} taken back; files in the project were not changed by it.`, record: record.index });
  }
  return notices;
}
