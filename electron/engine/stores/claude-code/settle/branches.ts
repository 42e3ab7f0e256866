import type { SettledBranch, SpineRecord } from '../../store';
import { textOf } from '../entry';
import { noLeaf } from '../plain-lines';
import type { Chain } from './chain';

export interface Branches {
  branches: SettledBranch[];
  /** Records of the current branch, in reading order. */
  current: number[];
  /** Branches that are not listed because the list would be too long. */
  unlisted: number;
}

/** Entries of all paths together; older branches beyond it are not listed (their records are still shown as off-branch). */
const pathEntries = 1_000_000;
/** Branches listed at the most, for the same reason. */
const branchesListed = 1_000;

/**
 * Finds the branches (FORMAT.md, "Branches"). Two children make a branch only when both lead to a prompt or to another
 * answer: results of parallel calls, progress and attachments hang beside the line they belong to.
 */
export function findBranches(chain: Chain): Branches {
  const tree = new BranchTree(chain);
  const tip = tree.tip();
  const ends = tree.ends();
  const owner = tip < 0 ? -1 : (tree.owner[tip] as number);
  const currentEnd = owner >= 0 && ends.includes(owner) ? owner : null;
  const paths = new Paths(chain, tree);
  // A tip inside another branch is a branch of its own: the program goes on from there.
  const current = tip < 0 ? [] : paths.to(tip, currentEnd !== null);
  const branches: SettledBranch[] = [];
  let room = pathEntries - current.length;
  let unlisted = 0;
  for (let i = ends.length - 1; i >= 0; i--) {
    const end = ends[i] as number;
    if (end === currentEnd) {
      branches.push({ current: true, path: current });
      continue;
    }
    if (room <= 0 || branches.length >= branchesListed) {
      unlisted++;
      continue;
    }
    room -= paths.lengthTo(end);
    branches.push(new LeftBranch(paths, end));
  }
  branches.reverse();
  if (currentEnd === null && current.length > 0) branches.push({ current: true, path: current });
  return { branches, current, unlisted };
}

/** A branch that was left. Its path is worked out when somebody asks: of a session with many, all together are far longer than the session. */
class LeftBranch implements SettledBranch {
  readonly current = false;
  #path: number[] | null = null;

  constructor(
    readonly paths: Paths,
    readonly end: number,
  ) {}

  get path(): number[] {
    return (this.#path ??= this.paths.to(this.end, true));
  }
}

class BranchTree {
  /** Leads to something that makes a branch. */
  readonly worthy: Uint8Array;
  /** Nearest record at or above that is worthy: a dead end belongs to it. */
  readonly owner: Int32Array;

  constructor(readonly chain: Chain) {
    const { records, up, topDown } = chain;
    this.worthy = new Uint8Array(records.length);
    this.owner = new Int32Array(records.length).fill(-1);
    const answer = new Int32Array(records.length).fill(-1);
    for (const i of topDown) {
      const record = records[i] as SpineRecord;
      const above = up[i] as number;
      const answerAbove = above < 0 ? -1 : (answer[above] as number);
      const isAnswer = record.role === 'assistant' && record.message >= 0 && record.note?.['synthetic'] !== true;
      answer[i] = isAnswer ? record.message : answerAbove;
      if (record.prompt || record.type === 'system/compact_boundary' || (isAnswer && record.message !== answerAbove)) this.worthy[i] = 1;
    }
    for (let at = topDown.length - 1; at >= 0; at--) {
      const i = topDown[at] as number;
      const above = up[i] as number;
      if (above >= 0 && this.worthy[i] === 1) this.worthy[above] = 1;
    }
    // A root that leads nowhere (a hook's line at a restart) belongs to what stands before it in the file.
    const worthyBefore = new Int32Array(records.length).fill(-1);
    for (let i = 1; i < records.length; i++) worthyBefore[i] = this.worthy[i - 1] === 1 ? i - 1 : (worthyBefore[i - 1] as number);
    for (const i of topDown) {
      const above = up[i] as number;
      this.owner[i] = this.worthy[i] === 1 ? i : ((above < 0 ? worthyBefore[i] : this.owner[above]) as number);
    }
  }

  /** The record the program goes on from: an explicit pointer with no line after it, else the last line of the chain. */
  tip(): number {
    const { records } = this.chain;
    let fallback = -1;
    let pointed: string | null = null;
    for (let i = records.length - 1; i >= 0; i--) {
      const record = records[i] as SpineRecord;
      // Of several pointers the last one counts, also when it says that there is none.
      if (pointed === null && record.type === 'last-prompt') {
        pointed = textOf(record.note?.['leaf']);
        const target = pointed === noLeaf ? -1 : records.findIndex((candidate) => candidate.inChain && candidate.key === pointed);
        if (target >= 0) return target;
      }
      if (!record.inChain) continue;
      if (isEnd(record)) return i;
      if (fallback < 0) fallback = i;
    }
    return fallback;
  }

  /** Worthy records below which there is no other, in file order. */
  ends(): number[] {
    const { records, firstChild, nextChild } = this.chain;
    const ends: number[] = [];
    for (let i = 0; i < records.length; i++) {
      if (this.worthy[i] !== 1) continue;
      let child = firstChild[i] as number;
      while (child >= 0 && this.worthy[child] !== 1) child = nextChild[child] as number;
      if (child < 0) ends.push(i);
    }
    return ends;
  }
}

/** Live output is never where a session goes on, nor is a line of a type nobody knows. */
const isEnd = (record: SpineRecord): boolean =>
  record.type === 'user' || record.type === 'assistant' || record.type.startsWith('attachment/') || record.type.startsWith('system/');

class Paths {
  /** Dead ends by the worthy record they belong to. */
  readonly #loose = new Map<number, number[]>();
  /** Number of the last path a record was on the line of. */
  readonly #stamp: Int32Array;
  #made = 0;

  constructor(
    readonly chain: Chain,
    readonly tree: BranchTree,
  ) {
    const { records } = chain;
    this.#stamp = new Int32Array(records.length);
    for (let i = 0; i < records.length; i++) {
      if (!(records[i] as SpineRecord).inChain || tree.worthy[i] === 1) continue;
      const owner = tree.owner[i] as number;
      const list = this.#loose.get(owner);
      if (list) list.push(i);
      else this.#loose.set(owner, [i]);
    }
  }

  #lengths: Int32Array | null = null;

  /** Entries of a whole path, without making it: no dead end is on the line to the end of a branch. */
  lengthTo(end: number): number {
    if (!this.#lengths) {
      const { up, topDown, records } = this.chain;
      const lengths = new Int32Array(records.length);
      const loose = (owner: number): number => this.#loose.get(owner)?.length ?? 0;
      for (const i of topDown) lengths[i] = 1 + loose(i) + ((up[i] as number) < 0 ? loose(-1) : (lengths[up[i] as number] as number));
      this.#lengths = lengths;
    }
    return this.#lengths[end] as number;
  }

  /**
   * All records of the branch that ends in `tip`, each once: the line from the root, and what hangs beside it where it
   * stands in the file. A branch that stops inside another one (not `whole`) has nothing of what came later there.
   */
  to(tip: number, whole: boolean): number[] {
    const stamp = ++this.#made;
    const line: number[] = [];
    for (let at = tip; at >= 0; at = this.chain.up[at] as number) {
      line.push(at);
      this.#stamp[at] = stamp;
    }
    line.reverse();
    if (this.#loose.size === 0) return line;
    const loose: number[] = [];
    const own = this.tree.owner[tip] as number;
    const add = (owner: number) => {
      for (const i of this.#loose.get(owner) ?? []) if (this.#stamp[i] !== stamp && (whole || i < tip || owner === own)) loose.push(i);
    };
    add(-1);
    line.forEach(add);
    return loose.length === 0 ? line : merged(line, loose);
  }
}

/** Puts each loose record before the first of the line that stands behind it in the file. */
function merged(line: number[], loose: number[]): number[] {
  loose.sort((a, b) => a - b);
  const path: number[] = [];
  let next = 0;
  for (const at of line) {
    while (next < loose.length && (loose[next] as number) < at) path.push(loose[next++] as number);
    path.push(at);
  }
  while (next < loose.length) path.push(loose[next++] as number);
  return path;
}
