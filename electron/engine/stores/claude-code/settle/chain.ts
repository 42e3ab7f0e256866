import type { Spine, SpineRecord } from '../../store';
import { textOf } from '../entry';

/** The tree of a session's records, with every link that is missing or impossible put right. */
export interface Chain {
  records: SpineRecord[];
  /** Index of the record before each one; -1 for a root, and for what is in no chain. */
  up: Int32Array;
  /** First child of each record, and the next child of the same parent, in file order; -1 for none. */
  firstChild: Int32Array;
  nextChild: Int32Array;
  /** Records of the chain, parents before children. */
  topDown: Int32Array;
  /** Records whose named parent is not here; the file's order stands in for it. */
  gaps: { record: number; before: number; missing: string }[];
  /** First records of circles that were cut open. */
  circles: number[];
}

/**
 * Links the records. A missing parent is bridged by file order, a circle is cut at its first record, a compaction joins
 * on to what it names as logically before it, and the lines of one answer that hang side by side become one line
 * (FORMAT.md, "The chain"). Works without recursion: chains of 100,000 are normal.
 */
export function linkRecords(spine: Spine): Chain {
  const { records } = spine;
  const count = records.length;
  const up = new Int32Array(count).fill(-1);
  const before = new Int32Array(count).fill(-1);
  const gaps: Chain['gaps'] = [];
  let last = -1;
  for (let i = 0; i < count; i++) {
    const record = records[i] as SpineRecord;
    before[i] = last;
    if (!record.inChain) continue;
    up[i] = parentOf(record, last, gaps);
    last = i;
  }
  const circles = cutCircles(records, up, before);
  joinLinesOfOneMessage(records, up);
  const { firstChild, nextChild } = childrenOf(records, up);
  return { records, up, firstChild, nextChild, topDown: topDownOrder(records, up, firstChild, nextChild), gaps, circles };
}

function parentOf(record: SpineRecord, last: number, gaps: Chain['gaps']): number {
  if (record.parent >= 0) return record.parent;
  if (record.parent === -2) {
    gaps.push({ record: record.index, before: last, missing: record.missing ?? 'unknown' });
    return last;
  }
  if (record.joins >= 0) return record.joins;
  // A compaction that names a record of another, deleted file still follows what stands before it here.
  return textOf(record.note?.['logical']) !== null ? last : -1;
}

/** Follows every link once; where one comes back to its own path, the circle is cut at its first record in the file. */
function cutCircles(records: SpineRecord[], up: Int32Array, before: Int32Array): number[] {
  const circles: number[] = [];
  const seen = new Int32Array(records.length);
  // Without a link to a later line, what stands before a circle cannot lead into it.
  const forward = up.some((parent, index) => parent > index);
  for (let start = 0; start < records.length; start++) {
    let at = start;
    while (at >= 0 && seen[at] === 0) {
      seen[at] = start + 1;
      at = up[at] as number;
    }
    if (at < 0 || seen[at] !== start + 1) continue;
    let first = at;
    for (let inner = up[at] as number; inner !== at; inner = up[inner] as number) if (inner < first) first = inner;
    up[first] = forward && leadsTo(up, before[first] as number, first) ? -1 : (before[first] as number);
    circles.push(first);
  }
  return circles;
}

/** Steps followed to see that a bridge closes no new circle. */
const bridgeSteps = 10_000;

/** True when going up from `from` comes to `target`, or does not end within the steps. */
function leadsTo(up: Int32Array, from: number, target: number): boolean {
  let at = from;
  for (let steps = 0; at >= 0; steps++) {
    if (at === target || steps > bridgeSteps) return true;
    at = up[at] as number;
  }
  return false;
}

function joinLinesOfOneMessage(records: SpineRecord[], up: Int32Array): void {
  const lastAnswer = new Int32Array(records.length).fill(-1);
  for (let i = 0; i < records.length; i++) {
    const record = records[i] as SpineRecord;
    const parent = up[i] as number;
    if (parent < 0 || record.role !== 'assistant' || record.message < 0) continue;
    const sibling = lastAnswer[parent] as number;
    if (sibling >= 0 && records[sibling]?.message === record.message) up[i] = sibling;
    lastAnswer[parent] = i;
  }
}

function childrenOf(records: SpineRecord[], up: Int32Array): { firstChild: Int32Array; nextChild: Int32Array } {
  const firstChild = new Int32Array(records.length).fill(-1);
  const nextChild = new Int32Array(records.length).fill(-1);
  for (let i = records.length - 1; i >= 0; i--) {
    const parent = up[i] as number;
    if (parent < 0) continue;
    nextChild[i] = firstChild[parent] as number;
    firstChild[parent] = i;
  }
  return { firstChild, nextChild };
}

function topDownOrder(records: SpineRecord[], up: Int32Array, firstChild: Int32Array, nextChild: Int32Array): Int32Array {
  const order = new Int32Array(records.length);
  let filled = 0;
  for (let i = 0; i < records.length; i++) if (up[i] === -1 && (records[i] as SpineRecord).inChain) order[filled++] = i;
  for (let next = 0; next < filled; next++) {
    for (let child = firstChild[order[next] as number] as number; child >= 0; child = nextChild[child] as number) order[filled++] = child;
  }
  return order.subarray(0, filled);
}
