import { Graph, layout as placeWithDagre } from '@dagrejs/dagre';

/** A session's card with its stubs, px; boxes come in reading order. */
export interface Box {
  id: string;
  under: string | null;
  width: number;
  height: number;
  /** Siblings of one sort stand together: forks apart from subagents. */
  sort: string;
}

/** A further edge, beside the one a box hangs by. */
export interface Tie {
  from: string;
  to: string;
}

export interface Spot {
  x: number;
  y: number;
  /** Height at which lines into the box run sideways. */
  bus: number;
  /** In a block of siblings lines enter from the left, else from above. */
  beside: boolean;
}

export type Spots = Record<string, Spot>;

/** Children without children of their own stand in a block from so many on, the oldest at the top: in one row, 400 subagents would be 100,000 px wide. */
const blockFrom = 3;
const gap = { column: 32, row: 14, rank: 64, sibling: 28 };
/** Blocks are about this much wider than high. */
const blockShape = 1.6;
/** From the line that runs sideways to the box, px. */
const fall = 28;

interface Block {
  id: string;
  boxes: Box[];
  columns: number;
  cell: { width: number; height: number };
}

/** Places boxes so that what came of a session stands below it, and siblings from left to right as they come. */
export function layoutOf(boxes: readonly Box[], ties: readonly Tie[]): Spots {
  const blocks = blocksOf(boxes, ties);
  const blockOf = new Map(blocks.flatMap((block) => block.boxes.map((box) => [box.id, block] as const)));
  const graph = new Graph({ directed: true, multigraph: false, compound: false });
  graph.setGraph({ rankdir: 'TB', nodesep: gap.sibling, ranksep: gap.rank, ranker: rankFromTop });
  graph.setDefaultEdgeLabel(() => ({}));
  const drawn = new Set<string>();
  for (const box of boxes) {
    const block = blockOf.get(box.id);
    const id = block?.id ?? box.id;
    if (drawn.has(id)) continue;
    drawn.add(id);
    graph.setNode(id, block ? sizeOf(block) : { width: box.width, height: box.height });
    if (box.under !== null) graph.setEdge(box.under, id, { weight: 4 });
  }
  for (const { from, to } of ties) if (graph.hasNode(from) && graph.hasNode(to) && from !== to) graph.setEdge(from, to, { weight: 1 });
  // Trees do not cross as they come; dagre's search for fewer crossings would only shuffle what stands in the order of time.
  placeWithDagre(graph, { disableOptimalOrderHeuristic: true });
  return spotsOf(graph, boxes, blocks, blockOf);
}

function spotsOf(graph: Graph, boxes: readonly Box[], blocks: readonly Block[], blockOf: ReadonlyMap<string, Block>): Spots {
  const corners = movedUp(graph);
  const corner = (id: string) => corners.get(id) ?? { x: 0, y: 0 };
  const spots: Spots = {};
  for (const box of boxes) {
    if (blockOf.has(box.id)) continue;
    const { x, y } = corner(box.id);
    spots[box.id] = { x, y, bus: y - fall, beside: false };
  }
  for (const block of blocks) {
    const { x, y } = corner(block.id);
    block.boxes.forEach((box, at) => {
      const column = at % block.columns;
      const row = Math.floor(at / block.columns);
      spots[box.id] = { x: x + gap.column + column * (block.cell.width + gap.column), y: y + row * (block.cell.height + gap.row), bus: y - fall, beside: true };
    });
  }
  return spots;
}

/**
 * Dagre gives all of one rank the height of its highest; under a block of 16 subagents everything would stand far from its parent.
 * Each box is moved up to its parents, as far as nothing that was placed before it stands in the way.
 */
function movedUp(graph: Graph): Map<string, { x: number; y: number }> {
  const placed: { id: string; left: number; right: number; bottom: number }[] = [];
  const bottoms = new Map<string, number>();
  const corners = new Map<string, { x: number; y: number }>();
  const boxes = graph.nodes().map((id) => ({ id, ...(graph.node(id) as { x: number; y: number; width: number; height: number; rank: number }) }));
  for (const { id, x, width, height } of boxes.sort((a, b) => a.rank - b.rank || a.x - b.x)) {
    const left = Math.round(x - width / 2);
    let y = 0;
    for (const { v } of graph.inEdges(id) ?? []) y = Math.max(y, (bottoms.get(v) ?? -gap.rank) + gap.rank);
    for (const other of placed) if (other.left < left + width + gap.sibling && other.right > left - gap.sibling) y = Math.max(y, other.bottom + gap.rank / 2);
    placed.push({ id, left, right: left + width, bottom: y + height });
    bottoms.set(id, y + height);
    corners.set(id, { x: left, y });
  }
  return corners;
}

function blocksOf(boxes: readonly Box[], ties: readonly Tie[]): Block[] {
  const parents = new Set(boxes.map(({ under }) => under));
  const tied = new Set(ties.flatMap(({ from, to }) => [from, to]));
  const leaves = new Map<string, Box[]>();
  for (const box of boxes) {
    if (box.under === null || parents.has(box.id) || tied.has(box.id)) continue;
    const group = `${box.sort} of ${box.under}`;
    const beside = leaves.get(group);
    if (beside) beside.push(box);
    else leaves.set(group, [box]);
  }
  return [...leaves].filter(([, members]) => members.length >= blockFrom).map(([group, members]): Block => {
    const cell = { width: Math.max(...members.map(({ width }) => width)), height: Math.max(...members.map(({ height }) => height)) };
    const columns = Math.max(1, Math.round(Math.sqrt((members.length * blockShape * (cell.height + gap.row)) / (cell.width + gap.column))));
    return { id: `block: ${group}`, boxes: members, columns, cell };
  });
}

function sizeOf({ boxes, columns, cell }: Block): { width: number; height: number } {
  const rows = Math.ceil(boxes.length / columns);
  return { width: columns * (cell.width + gap.column), height: rows * cell.height + (rows - 1) * gap.row };
}

/** Ranks by the longest way from a root: dagre's own rankers search for short lines, which in a tree are these, and take seconds for it. */
function rankFromTop(graph: Graph): void {
  const waits = new Map(graph.nodes().map((id) => [id, graph.inEdges(id)?.length ?? 0]));
  const ready = [...waits].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of ready) graph.node(id).rank = 0;
  for (const id of ready) {
    for (const edge of graph.outEdges(id) ?? []) {
      const rank = graph.node(id).rank + graph.edge(edge).minlen;
      const node = graph.node(edge.w);
      node.rank = Math.max(node.rank ?? 0, rank);
      const left = (waits.get(edge.w) ?? 1) - 1;
      waits.set(edge.w, left);
      if (left === 0) ready.push(edge.w);
    }
  }
}
