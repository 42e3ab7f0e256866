import type { WalkedBranch, WalkedMessage } from './walk';

/** One way on from a place where the tree divides. */
export interface Way {
  branches: string[];
  current: boolean;
  /** Its messages until the end of its current or last branch; empty when the branch ends here. */
  messages: WalkedMessage[];
}

export interface Fork {
  /** The last message before the ways part; null: before the first. */
  at: WalkedMessage | null;
  ways: Way[];
}

/** A way while it is gathered: the last branch that goes it, and where on that branch it begins. */
interface Trace {
  branches: string[];
  last: WalkedBranch;
  from: number;
}

/** The places where the tree of a session divides; the way of the current branch is the last of each. */
export function forksOf(branches: readonly WalkedBranch[]): Fork[] {
  const current = branches.find((branch) => branch.current);
  const places = new Map(current?.messages.map((message, at) => [message, at]));
  // Messages are the same objects wherever two branches share them, and so is what the current one has.
  const steps = new Map<WalkedMessage | null, Map<WalkedMessage, Trace>>();
  for (const branch of branches) {
    if (branch.current) continue;
    for (let from = branch.shared; from < branch.messages.length; from++) {
      const before = branch.messages[from - 1] ?? null;
      const next = branch.messages[from] as WalkedMessage;
      const ways = steps.get(before) ?? new Map<WalkedMessage, Trace>();
      steps.set(before, ways);
      ways.set(next, { branches: [...(ways.get(next)?.branches ?? []), branch.id], last: branch, from });
    }
  }
  const forks: Fork[] = [];
  for (const [at, traces] of steps) {
    const place = at === null ? -1 : places.get(at);
    if (traces.size + (place === undefined ? 0 : 1) < 2) continue;
    const ways = [...traces.values()].map(({ branches: ids, last, from }): Way => ({ branches: ids, current: false, messages: last.messages.slice(from) }));
    if (place !== undefined && current) ways.push({ branches: [current.id], current: true, messages: current.messages.slice(place + 1) });
    forks.push({ at, ways });
  }
  return forks;
}
