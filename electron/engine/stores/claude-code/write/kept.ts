import type { SessionToWrite, SpineRecord, WritePoint } from '../../store';
import { listOf } from '../entry';
import { linkRecords } from '../settle/chain';

/** The records of a branch up to a point, as a transcript of their own would hold them. */
export interface KeptLine {
  /** Indexes in the order they are written: the one the session ends in comes last. */
  order: number[];
  /** The record the session ends in; null when nothing stands before the point. */
  leaf: SpineRecord | null;
  /** Records before the point that are left out: a reply at the end whose calls have no results, and what hangs below it. */
  leftOut: number[];
}

/**
 * What is kept of a branch. A reply whose calls have no results is left out with all that hangs below it: the program
 * would make up results for it (FORMAT.md, "What is sent"). The record everything else leads to comes last, since the
 * program goes on from the last line of a file; results of parallel calls and live output hang beside the line.
 */
export function keptLine(session: SessionToWrite, point: WritePoint): KeptLine {
  const { records } = session.spine;
  const { up } = linkRecords(session.spine);
  const kept = point.kept.filter((index) => records[index]?.inChain === true);
  const open = unfinished(records, kept, up);
  const order = open.size === 0 ? kept : kept.filter((index) => !open.has(index));
  const stays = new Set(order);
  const before = point.before === null ? point.path : point.path.slice(0, point.path.indexOf(point.before));
  // What was left out before it came here counts, too.
  const leftOut = before.filter((index) => records[index]?.inChain === true && !stays.has(index));
  const end = deepest(order.filter((index) => isEnd(records[index])), up);
  if (end < 0) return { order: [], leaf: null, leftOut };
  if (order.at(-1) !== end) order.push(...order.splice(order.indexOf(end), 1));
  return { order, leaf: records[end] as SpineRecord, leftOut };
}

/** Live output is never where a session goes on, nor is a line of a type nobody knows. */
const isEnd = (record: SpineRecord | undefined): boolean => record !== undefined && (record.type === 'user' || record.type === 'assistant' || /^(attachment|system)\//.test(record.type));

/** The last answer and what hangs below it, when one of its calls was never answered. */
function unfinished(records: readonly SpineRecord[], kept: readonly number[], up: Int32Array): Set<number> {
  const last = kept.findLast((index) => records[index]?.role === 'assistant' || records[index]?.prompt === true);
  const reply = last === undefined ? undefined : records[last];
  if (reply?.role !== 'assistant') return new Set();
  const own = kept.filter((index) => records[index]?.role === 'assistant' && records[index]?.message === reply.message);
  const answered = new Set(kept.flatMap((index) => listOf(records[index]?.note?.['results'])));
  const isOpen = own.some((index) => listOf(records[index]?.note?.['calls']).some((call) => !answered.has(listOf(call)[1])));
  if (!isOpen) return new Set();
  const out = new Set(own);
  // Parents stand before their children on a branch.
  for (const index of kept) if (out.has(up[index] as number)) out.add(index);
  return out;
}

/** The record with the longest line above it, the later of equals; -1 for none. */
function deepest(order: readonly number[], up: Int32Array): number {
  const depth = new Map<number, number>();
  let best = -1;
  let most = 0;
  for (const index of order) {
    const line: number[] = [];
    let at = index;
    while (at >= 0 && !depth.has(at)) {
      line.push(at);
      at = up[at] as number;
    }
    let steps = at < 0 ? 0 : (depth.get(at) as number);
    for (const above of line.reverse()) depth.set(above, ++steps);
    if (steps >= most && line.length > 0) {
      most = steps;
      best = index;
    }
  }
  return best;
}
