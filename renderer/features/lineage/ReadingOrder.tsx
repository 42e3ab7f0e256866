import { type KeyboardEvent, memo, useCallback } from 'react';
import type { Family } from '@shared/model';
import type { MapGraph, MapItem } from './graph';
import { useMap } from './state';
import { edgeSentence, spoken } from './words';

/** Ids of sessions hold signs that an element's id may not. */
const elementOf = (graph: MapGraph, id: string): string => `kin-${graph.order.indexOf(id)}`;

interface ReadingOrderProps {
  family: Family;
  graph: MapGraph;
  onKeyDown(event: KeyboardEvent): void;
  /** The menu key. */
  onMenu(): void;
}

/**
 * The map as a tree of words: what the keyboard is on and what a screen reader reads. The drawing follows it and is
 * hidden from screen readers, since only what is on the screen is drawn.
 */
export function ReadingOrder({ family, graph, onKeyDown, onMenu }: ReadingOrderProps) {
  const current = useMap((map) => map.current);
  const onFocus = useCallback(() => useMap.setState({ focused: true }), []);
  const onBlur = useCallback(() => useMap.setState({ focused: false }), []);
  return (
    <div
      id="lineage-map"
      className="unseen"
      role="tree"
      aria-label="Lineage map"
      aria-activedescendant={current !== null && graph.items.has(current) ? elementOf(graph, current) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu();
      }}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      <Items family={family} graph={graph} />
    </div>
  );
}

const Items = memo(function Items({ family, graph }: { family: Family; graph: MapGraph }) {
  const sessions = new Map(family.sessions.map((session) => [session.id, session]));
  return graph.order.map((id, at) => {
    const item = graph.items.get(id);
    return item && <Item key={id} id={`kin-${at}`} item={item} evidence={item.kind === 'session' ? item.edges.map((edge) => edgeSentence(edge, sessions.get(edge.parent))).join('. ') : ''} />;
  });
});

function Item({ id, item, evidence }: { id: string; item: MapItem; evidence: string }) {
  const selected = useMap((map) => map.current === item.id);
  const hits = useMap((map) => (item.kind === 'session' ? (map.hits.counts.get(item.session.id) ?? 0) : 0));
  const inFold = useMap((map) => (item.kind === 'session' && item.folded ? item.hidden.reduce((sum, each) => sum + (map.hits.counts.get(each) ?? 0), 0) : 0));
  const opens = item.kind === 'session' && item.subagents > 0;
  return (
    <div id={id} role="treeitem" aria-level={item.level} aria-posinset={item.position} aria-setsize={item.siblings} aria-selected={selected} aria-expanded={opens ? !item.folded : undefined}>
      {spoken(item, hits, inFold)}
      {evidence !== '' && `. ${evidence}`}
    </div>
  );
}
