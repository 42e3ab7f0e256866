import type { Spine, SpineRecord } from '../store';
import { type Chain, chainOf, displayOrder, isOnChain } from './chain';
import { type Evidence, readEvidence } from './evidence';
import { type States, statesOf } from './states';

/** A thread as it was just before one of its records, or as it is now. */
export interface ThreadAt {
  evidence: Evidence;
  chain: Chain;
  found: States;
}

/** `before`: index of the record; null: now, after everything. */
export function threadAt({ evidence: said, records }: Spine, before: number | null): ThreadAt {
  const evidence = readEvidence(said);
  const chain = chainAt(evidence, before === null ? undefined : records[before]);
  const order = displayOrder(records, chain);
  const shown = order ? order.map((index) => records[index] as SpineRecord) : records;
  const end = before === null ? shown.length : shown.findIndex(({ index }) => index === before);
  return { evidence, chain, found: statesOf(end < 0 ? shown : shown.slice(0, end), chain, evidence.rollouts.some(({ meta }) => meta.attached === true)) };
}

/** Before a line that was taken back, the thread is what it was then: the newest rollout that still had that line. */
function chainAt(evidence: Evidence, before: SpineRecord | undefined): Chain {
  const now = chainOf(evidence);
  if (!before || isOnChain(before, now)) return now;
  for (const rollout of evidence.rollouts.toReversed()) {
    const then = chainOf(evidence, rollout);
    if (isOnChain(before, then)) return then;
  }
  return now;
}
