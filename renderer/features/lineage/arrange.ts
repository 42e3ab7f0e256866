import { useEffect, useState } from 'react';
import { branchItem, card, type MapGraph, stub } from './graph';
import type { Box, Spots, Tie } from './layout';
import type { LayoutAnswer, LayoutQuestion } from './layout-worker';

/** A graph with the place of every session on it. */
export interface Arranged {
  graph: MapGraph;
  spots: Spots;
}

/** Between a card and its stubs, px. */
export const stubGap = 22;

/** Cards with their stubs as boxes, and the edges beside those the boxes hang by. */
export function boxesOf(graph: MapGraph): { boxes: Box[]; ties: Tie[] } {
  const boxes: Box[] = [];
  const ties: Tie[] = [];
  for (const id of graph.order) {
    const item = graph.items.get(id);
    if (item?.kind !== 'session') continue;
    const more = item.session.branches.length > item.stubs.length ? 1 : 0;
    const height = Math.max(card.height, (item.stubs.length + more) * stub.height);
    boxes.push({ id, under: item.parent, width: card.width + (item.stubs.length > 0 ? stubGap + stub.width : 0), height, sort: item.edges[0]?.kind ?? '' });
    for (const edge of item.edges) if (edge.parent !== item.parent && graph.items.has(edge.parent)) ties.push({ from: edge.parent, to: id });
  }
  return { boxes, ties };
}

/** Lays the graph out in a worker, so that a large family never holds up the page. The last layout stays until the next one is there. */
export function useArranged(graph: MapGraph | null): { arranged: Arranged | null; failed: string | null } {
  const [arranged, setArranged] = useState<Arranged | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [worker, setWorker] = useState<Worker | null>(null);
  useEffect(() => {
    const made = new Worker(new URL('layout-worker.ts', import.meta.url), { type: 'module' });
    setWorker(made);
    return () => made.terminate();
  }, []);
  useEffect(() => {
    if (!graph || !worker) return undefined;
    const number = performance.now();
    const onMessage = ({ data }: MessageEvent<LayoutAnswer>) => {
      if (data.number !== number) return;
      // For `npm run bench -- --page`.
      performance.measure('lineage layout', { start: number });
      setArranged({ graph, spots: data.spots });
      setFailed(null);
    };
    const onError = (event: ErrorEvent) => setFailed(event.message || 'its worker could not be started');
    worker.addEventListener('message', onMessage);
    worker.addEventListener('error', onError);
    const question: LayoutQuestion = { number, ...boxesOf(graph) };
    worker.postMessage(question);
    return () => {
      worker.removeEventListener('message', onMessage);
      worker.removeEventListener('error', onError);
    };
  }, [graph, worker]);
  return { arranged, failed };
}

/** Rectangle of an item, px of the map; a stub lies beside its session's card. */
export function rectOf({ graph, spots }: Arranged, id: string): { x: number; y: number; width: number; height: number } | null {
  const item = graph.items.get(id);
  const spot = item && spots[item.session.id];
  if (!item || !spot) return null;
  if (item.kind === 'session') return { x: spot.x, y: spot.y, ...card };
  const owner = graph.items.get(item.session.id);
  const at = owner?.kind === 'session' ? owner.stubs.findIndex((branch) => branchItem(item.session.id, branch) === id) : 0;
  return { x: spot.x + card.width + stubGap, y: spot.y + at * stub.height, ...stub };
}

/** Rectangle of all boxes. */
export function wholeOf({ graph, spots }: Arranged): { x: number; y: number; width: number; height: number } {
  const edge = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxesOf(graph).boxes) {
    const spot = spots[box.id];
    if (!spot) continue;
    edge.left = Math.min(edge.left, spot.x);
    edge.top = Math.min(edge.top, spot.y);
    edge.right = Math.max(edge.right, spot.x + box.width);
    edge.bottom = Math.max(edge.bottom, spot.y + box.height);
  }
  return { x: edge.left, y: edge.top, width: edge.right - edge.left, height: edge.bottom - edge.top };
}
