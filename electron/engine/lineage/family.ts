import type { SessionId, Tokens } from '@shared/model';
import { type Forest, forestOf, type TreeNode } from './forest';

/**
 * Sessions of one family, nearest to the start first: whatever edges of any kind and direction connect. Beyond `limit`
 * sessions the walk ends; `more` counts the sessions next to those taken, so there are at least so many.
 */
export function familyAround<Key>(start: Key, neighbours: (key: Key) => Iterable<Key>, limit: number): { members: Key[]; more: number } {
  const members: Key[] = [start];
  const seen = new Set(members);
  const beyond = new Set<Key>();
  for (const member of members) {
    for (const next of neighbours(member)) {
      if (seen.has(next)) continue;
      if (members.length >= limit) beyond.add(next);
      else {
        seen.add(next);
        members.push(next);
      }
    }
  }
  return { members, more: beyond.size };
}

/** What the tree and the roll-up of a family need to know of a session. */
export interface Member {
  id: SessionId;
  /** Session it hangs under, and whether as its subagent. */
  parent: SessionId | null;
  isSubagent: boolean;
  tokens: Tokens | null;
}

/** A session's own and its subagents' tokens, at any depth. */
export interface RolledUp {
  rolledUp: Tokens | null;
  subagents: number;
  /** Subagents that do not tell. */
  untold: number;
}

interface MemberNode extends TreeNode {
  member: Member;
}

export interface Hung {
  /** Parent in the tree, loops cut. */
  under: Map<SessionId, SessionId>;
  totals: Map<SessionId, RolledUp>;
}

/** Hangs a family under its parents and adds up tokens from the leaves. Without recursion: a chain of 10,000 is no trouble. */
export function hang(members: readonly Member[]): Hung {
  const nodes = members.map((member, id): MemberNode => ({ id, key: member.id, parent: member.parent, member }));
  const forest = forestOf(nodes);
  const under = new Map<SessionId, SessionId>();
  const order = parentsFirst(forest);
  for (const node of order) for (const child of forest.childrenOf(node)) under.set(child.member.id, node.member.id);
  const totals = new Map<SessionId, RolledUp>();
  for (const node of order.reverse()) {
    const total: RolledUp = { rolledUp: node.member.tokens, subagents: 0, untold: 0 };
    for (const { member } of forest.childrenOf(node)) {
      const below = totals.get(member.id);
      if (!member.isSubagent || !below) continue;
      total.rolledUp = sum(total.rolledUp, below.rolledUp);
      total.subagents += below.subagents + 1;
      total.untold += below.untold + (member.tokens === null ? 1 : 0);
    }
    totals.set(node.member.id, total);
  }
  return { under, totals };
}

function parentsFirst<T extends TreeNode>(forest: Forest<T>): T[] {
  const order = [...forest.roots];
  for (const node of order) order.push(...forest.childrenOf(node));
  return order;
}

function sum(a: Tokens | null, b: Tokens | null): Tokens | null {
  if (a === null || b === null) return a ?? b;
  return {
    input: a.input + b.input, output: a.output + b.output, reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead, cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** After the last write, ms, a session is taken to be worked in: a single tool rarely runs longer. */
const quietAtMost = 30 * 60_000;
/** Another machine's clock may be ahead by this, ms. */
const aheadAtMost = 5 * 60_000;

/** Whether somebody may still be at work. A reply that was seen to be cut off is not going on, however new it is. */
export function isLive(session: { updated: number | null; gone: boolean; condition: string }, now: number): boolean {
  const { updated, gone, condition } = session;
  return updated !== null && !gone && condition !== 'interrupted' && updated <= now + aheadAtMost && updated >= now - quietAtMost;
}
