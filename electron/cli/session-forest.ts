import type { SessionSummary } from '@shared/model';
import { type Forest, forestOf, type TreeNode } from '../engine/lineage/forest';

export interface SessionNode extends TreeNode {
  session: SessionSummary;
}

/** Sessions hung under their parents; every one is reachable, loops are cut. */
export function forestOfSessions(sessions: readonly SessionSummary[]): Forest<SessionNode> {
  return forestOf(sessions.map((session, id) => ({ id, key: session.id, parent: session.parent?.id ?? null, session })));
}

/** A step of a walk through trees: into a session, or out of it. `last`: it has no later sibling. */
export type Step = { enter: SessionNode; depth: number; last: boolean; children: number } | { leave: SessionNode; depth: number; last: boolean };

/** Walks trees from their roots, parents first. Without recursion: a chain of 10,000 forks is no trouble. */
export function* walk(forest: Forest<SessionNode>, roots: readonly SessionNode[]): Iterable<Step> {
  const stack: Step[] = [];
  const push = (nodes: readonly SessionNode[], depth: number) => {
    for (let at = nodes.length - 1; at >= 0; at--) {
      const node = nodes[at] as SessionNode;
      const last = at === nodes.length - 1;
      stack.push({ leave: node, depth, last }, { enter: node, depth, last, children: forest.childrenOf(node).length });
    }
  };
  push(roots, 0);
  for (let step = stack.pop(); step; step = stack.pop()) {
    yield step;
    if ('enter' in step) push(forest.childrenOf(step.enter), step.depth + 1);
  }
}
