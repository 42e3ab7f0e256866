import type { Family, SessionId } from '@shared/model';
import { boxesOf, type Arranged } from './arrange';
import type { KinEdgeType } from './KinEdge';
import type { SessionNodeType } from './SessionNode';
import { edgeSentence } from './words';

/** Nodes and lines as the graph library takes them. */
export function drawn(arranged: Arranged | null, family: Family, session: SessionId): { nodes: SessionNodeType[]; edges: KinEdgeType[] } {
  if (!arranged) return { nodes: [], edges: [] };
  const { graph, spots } = arranged;
  const sessions = new Map(family.sessions.map((each) => [each.id, each]));
  const nodes: SessionNodeType[] = [];
  const edges: KinEdgeType[] = [];
  for (const { id, width, height } of boxesOf(graph).boxes) {
    const item = graph.items.get(id);
    const spot = spots[id];
    if (item?.kind !== 'session' || !spot) continue;
    nodes.push({ id, type: 'session', position: { x: spot.x, y: spot.y }, width, height, data: { item, beside: spot.beside, asked: id === session } });
    for (const edge of item.edges) {
      if (!spots[edge.parent]) continue;
      edges.push({ id: `${edge.kind} ${edge.parent} ${id}`, type: 'kin', source: edge.parent, target: id, data: { edge, words: edgeSentence(edge, sessions.get(edge.parent)), bus: spot.bus, beside: spot.beside } });
    }
  }
  return { nodes, edges };
}
