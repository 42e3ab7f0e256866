/** What the tree needs to know of a session. */
export interface TreeNode {
  id: number;
  /** Identity over stores: store row and native id. */
  key: string;
  /** Key of the session it hangs under; null for none. */
  parent: string | null;
}

export interface Forest<T extends TreeNode> {
  roots: T[];
  childrenOf(node: T): readonly T[];
}

/**
 * Hangs sessions under their parents. Every session is reachable: one whose parent is not here is a root, and a loop is
 * cut at the member that comes first. Works in one pass without recursion, so a chain of 10,000 forks is no trouble.
 */
export function forestOf<T extends TreeNode>(nodes: readonly T[]): Forest<T> {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const children = new Map<string, T[]>();
  const roots: T[] = [];
  const settled = new Map<string, 'walking' | 'done'>();
  for (const start of nodes) {
    const path: T[] = [];
    let node: T | undefined = start;
    while (node && !settled.has(node.key)) {
      settled.set(node.key, 'walking');
      path.push(node);
      const parent: T | undefined = node.parent === null || node.parent === node.key ? undefined : byKey.get(node.parent);
      if (!parent || settled.get(parent.key) === 'walking') {
        roots.push(node);
        break;
      }
      const siblings = children.get(parent.key);
      if (siblings) siblings.push(node);
      else children.set(parent.key, [node]);
      node = parent;
    }
    for (const walked of path) settled.set(walked.key, 'done');
  }
  const place = new Map(nodes.map((node, index) => [node.key, index]));
  const byPlace = (a: T, b: T) => (place.get(a.key) ?? 0) - (place.get(b.key) ?? 0);
  roots.sort(byPlace);
  for (const siblings of children.values()) siblings.sort(byPlace);
  return { roots, childrenOf: (node) => children.get(node.key) ?? [] };
}
