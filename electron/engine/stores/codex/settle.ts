import type { Settled, SettledRecord, Spine, SpineRecord } from '../store';
import { chainOf, displayOrder } from './chain';
import { compactionNotices } from './compactions';
import { type Evidence, readEvidence } from './evidence';
import { kindOf } from './names';
import { inheritedMark } from './scribe';
import { statesOf } from './states';
import { isTurnEnd, lastTurn } from './turns';

/** A session that was written to this lately may still be running. */
const quietAfter = 10 * 60_000;

/** What a session's records add up to: which turns were taken back, what a summary stands for, how it ended. */
export function settle(spine: Spine): Settled {
  const evidence = readEvidence(spine.evidence);
  const chain = chainOf(evidence);
  const { records } = spine;
  const order = displayOrder(records, chain);
  const shown = order ? order.map((index) => records[index] as SpineRecord) : records;
  const attached = evidence.rollouts.some(({ meta }) => meta.attached === true);
  const { states, live, notices } = statesOf(shown, chain, attached);
  notices.push(...compactionNotices(live));
  const reverted = live.length < shown.length;
  const ending = endingOf(spine, live, evidence);
  return {
    records: records.map(({ index }) => states.get(index) as SettledRecord),
    order: order ?? (reverted ? records.map(({ index }) => index) : null),
    branches: live.length > 0 ? [{ current: true, path: live.map(({ index }) => index) }] : [],
    compactions: shown.filter((record) => record.type === 'compacted' && !isInherited(record)).length,
    reverted,
    notices: [...notices, ...ending.notices],
    condition: chain.torn ? 'recovered' : ending.condition,
    tools: openTools(spine, evidence, ending.isRunning),
    uncounted: shown.filter((record) => states.get(record.index)?.state === 'reverted' || (attached && kindOf(record.source) === 'base')).map(({ index }) => index),
  };
}

const isInherited = (record: SpineRecord): boolean => record.messageKey?.startsWith(inheritedMark) === true;
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
