import type { SpineRecord } from '../store';
import { type Evidence, liveRollout, type RolloutSays } from './evidence';

/** Which lines of a session's sources the thread still has. */
export interface Chain {
  /** Source → order at which its live lines end; what is missing here is not live at all. */
  limits: Map<string, number>;
  /** Sources in the order to show: what was inherited, then rollouts as they were made. */
  sources: string[];
  live: RolloutSays | null;
  /** True when the live chain begins in a rollout that is not here. */
  torn: boolean;
}

/**
 * Follows the live rollout back through its bases (FORMAT.md, "The live chain"). Inside the thread a base is one of its
 * own rollouts; outside it is in the copy that the fork's source holds. `live`: another rollout, to see the thread as it was.
 */
export function chainOf(evidence: Evidence, live: RolloutSays | null = liveRollout(evidence)): Chain {
  const limits = new Map<string, number>();
  const sources = [...evidence.bases, ...evidence.rollouts].map(({ source }) => source);
  let limit = Number.POSITIVE_INFINITY;
  let torn = false;
  for (let segment: RolloutSays | null = live; segment && !limits.has(segment.source); ) {
    limits.set(segment.source, limit);
    const base: RolloutSays['base'] = segment.base;
    if (!base) break;
    limit = Math.min(limit, base.ordinal);
    const next = evidence.rollouts.find(({ rollout }) => rollout === base.rollout) ?? null;
    if (!next) {
      torn = evidence.bases.length === 0;
      for (const { source } of evidence.bases) limits.set(source, limit);
    }
    segment = next;
  }
  return { limits, sources, live, torn };
}

/** Indexes of the records in the order to show; null when the order of the stream is right. */
export function displayOrder(records: readonly SpineRecord[], chain: Chain): number[] | null {
  const rank = new Map(chain.sources.map((source, place) => [source, place]));
  const rankOf = (record: SpineRecord) => rank.get(record.source) ?? chain.sources.length;
  const before = (a: SpineRecord, b: SpineRecord) => rankOf(a) - rankOf(b) || (a.order ?? 0) - (b.order ?? 0) || a.index - b.index;
  for (let i = 1; i < records.length; i++) {
    if (before(records[i - 1] as SpineRecord, records[i] as SpineRecord) > 0) return records.toSorted(before).map(({ index }) => index);
  }
  return null;
}

/** True for a line that the thread still has. Lines of a source nobody speaks for (prompts of a lost thread) are all there is. */
export function isOnChain(record: SpineRecord, chain: Chain): boolean {
  if (!chain.live || !chain.sources.includes(record.source)) return true;
  const limit = chain.limits.get(record.source);
  return limit !== undefined && (limit === Number.POSITIVE_INFINITY || (record.order ?? 0) < limit);
}
