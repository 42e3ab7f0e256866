import '@xyflow/react/dist/base.css';
import './lineage.css';
import { Background, BackgroundVariant, MiniMap, ReactFlow, type EdgeTypes, type NodeTypes, type OnMove } from '@xyflow/react';
import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Family, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { Failed } from '../../ui/Failed';
import { useNow } from '../../ui/clock';
import { rectOf, useArranged, wholeOf, type Arranged } from './arrange';
import { drawn } from './drawn';
import { Facts } from './Facts';
import { reloadFamily, useFamily, useFamilyState } from './family';
import { foldsAbove, graphOf, stepFrom, type Direction, type MapGraph } from './graph';
import { useMapHits } from './hits';
import { KinEdge, type KinEdgeType } from './KinEdge';
import { MapHeader } from './MapHeader';
import { askForMenu, MapMenu } from './MapMenu';
import { openItem } from './open';
import { ReadingOrder } from './ReadingOrder';
import { SessionNode, type SessionNodeType } from './SessionNode';
import { setFold, useMap } from './state';
import { bringIntoView, duration, holdStill, showFirst, type Flow } from './viewport';

const nodeTypes: NodeTypes = { session: SessionNode };
const edgeTypes: EdgeTypes = { kin: KinEdge };
/** px; the library reads its size from here. */
const minimapSize = { width: 168, height: 112 };
/** Below this zoom words cannot be read, and only the cards' forms are drawn. */
const farBelow = 0.32;

/** Sessions and their branches as a graph: where everything came from. */
export function MapView({ session }: { session: SessionId }) {
  const family = useFamily(session);
  const { phase, error } = useFamilyState();
  useKeptLive(family);
  if (family) return <FamilyMap family={family} session={session} />;
  if (phase === 'failed') {
    return (
      <Failed title="The family of this session could not be read" again={reloadFamily}>
        {error}
      </Failed>
    );
  }
  if (phase === 'unknown') {
    return (
      <Blank
        title="This session is not in the library"
        action={
          <button type="button" className="button" onClick={() => show({ kind: 'home' })}>
            Back to the library
          </button>
        }
      >
        No store that was read has <code>{session}</code>, and no other session names it.
      </Blank>
    );
  }
  return <div className="map" aria-busy="true" />;
}

/** A session stops being live without a change of the library: the engine is asked again now and then. */
function useKeptLive(family: Family | null): void {
  const now = useNow((clock) => clock.now);
  const live = family?.sessions.some((each) => each.live) === true;
  useEffect(() => {
    if (live) reloadFamily();
  }, [live, now]);
}

const walks: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right', Home: 'first', End: 'last' };

function FamilyMap({ family, session }: { family: Family; session: SessionId }) {
  const folds = useMap((map) => map.folds);
  const current = useMap((map) => map.current);
  const graph = useMemo(() => graphOf(family, folds), [family, folds]);
  const { arranged, failed } = useArranged(graph);
  const hits = useMapHits(session, family);
  const flow = useRef<Flow | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [far, setFar] = useState(false);
  useEffect(() => useMap.setState({ hits }), [hits]);
  useChosen(family, graph, session);
  useStillness(arranged, session, flow, frame);

  const { nodes, edges } = useMemo(() => drawn(arranged, family, session), [arranged, family, session]);
  const onMove = useCallback<OnMove>((_event, { zoom }) => setFar(zoom < farBelow), []);
  const choose = useCallback((id: string) => {
    useMap.setState({ current: id });
    document.querySelector<HTMLElement>('#lineage-map')?.focus({ preventScroll: true });
  }, []);
  const itemAt = (event: MouseEvent, id: string) => (event.target instanceof Element ? (event.target.closest<HTMLElement>('[data-item]')?.dataset['item'] ?? id) : id);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = current === null ? undefined : graph.items.get(current);
    const direction = walks[event.key];
    if (direction) {
      const next = stepFrom(graph, current ?? session, direction);
      const rect = arranged && rectOf(arranged, next);
      useMap.setState({ current: next });
      if (rect && flow.current && frame.current) bringIntoView(flow.current, frame.current.getBoundingClientRect(), rect);
    } else if (event.key === 'Enter' && item) openItem(item);
    else if (event.key === ' ' && item) {
      if (item.kind === 'session' && item.subagents > 0) setFold(item.session.id, !item.folded);
    } else if (event.key === '+' || event.key === '=') void flow.current?.zoomIn({ duration: duration() });
    else if (event.key === '-') void flow.current?.zoomOut({ duration: duration() });
    else if (event.key === '0') void flow.current?.fitView({ duration: duration(), padding: 0.06 });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <section className="map" aria-label="Map">
      <MapHeader family={family} session={session} graph={graph} flow={flow} />
      <ReadingOrder family={family} graph={graph} onKeyDown={onKeyDown} onMenu={() => askForMenu(frame.current)} />
      <MapMenu family={family} graph={graph} choose={choose}>
        <div ref={frame} className="map-canvas" data-far={far || undefined} aria-hidden>
          {failed !== null && <p className="map-failed">The map could not be laid out: {failed}</p>}
          {arranged && (
            <ReactFlow<SessionNodeType, KinEdgeType>
              nodes={nodes}
              edges={edges}
              nodeTypes={nodeTypes}
              edgeTypes={edgeTypes}
              onInit={(instance) => {
                flow.current = instance;
                const box = frame.current?.getBoundingClientRect();
                if (box) showFirst(instance, box, wholeOf(arranged), rectOf(arranged, session));
                setFar(instance.getZoom() < farBelow);
              }}
              onMove={onMove}
              onNodeClick={(event, node) => choose(itemAt(event, node.id))}
              onNodeDoubleClick={(event, node) => {
                const item = graph.items.get(itemAt(event, node.id));
                if (item) openItem(item);
              }}
              onPaneClick={() => choose(current ?? session)}
              onlyRenderVisibleElements
              nodesDraggable={false}
              nodesConnectable={false}
              nodesFocusable={false}
              edgesFocusable={false}
              elementsSelectable={false}
              zoomOnDoubleClick={false}
              disableKeyboardA11y
              proOptions={{ hideAttribution: true }}
              deleteKeyCode={null}
              selectionKeyCode={null}
              panActivationKeyCode={null}
              minZoom={0.03}
              maxZoom={1.6}
            >
              <Background variant={BackgroundVariant.Dots} gap={24} size={1} />
              <MiniMap pannable zoomable ariaLabel={null} nodeColor={toneOf} nodeStrokeWidth={0} nodeBorderRadius={8} style={minimapSize} />
            </ReactFlow>
          )}
        </div>
      </MapMenu>
      <Facts family={family} item={current === null ? undefined : graph.items.get(current)} />
    </section>
  );
}

/** Colours of the overview: the session asked for, hits and live sessions stand out. */
function toneOf({ data }: SessionNodeType): string {
  const { hits } = useMap.getState();
  if (data.asked) return 'var(--accent)';
  if (hits.counts.has(data.item.session.id)) return 'var(--attention)';
  if (data.item.session.live) return 'var(--ok)';
  return data.item.session.kind === 'subagent' ? 'color-mix(in srgb, var(--text-soft) 45%, var(--page))' : 'var(--text-soft)';
}

/** The session asked for is chosen at first, and opened to where something hides it; what is chosen and goes is left for it. */
function useChosen(family: Family, graph: MapGraph, session: SessionId): void {
  const opened = useRef<SessionId | null>(null);
  useEffect(() => {
    if (opened.current !== session) {
      opened.current = session;
      useMap.setState({ current: session });
      for (const above of foldsAbove(family, graph, session)) setFold(above, false);
      document.querySelector<HTMLElement>('#lineage-map')?.focus({ preventScroll: true });
      return;
    }
    const { current } = useMap.getState();
    if (current === null || graph.items.has(current)) return;
    const holder = [...graph.items.values()].find((item) => item.kind === 'session' && item.hidden.some((id) => id === current));
    useMap.setState({ current: holder?.id ?? session });
  }, [family, graph, session]);
}

/** A fold or a change of the library lays the map out anew; what is chosen stays where it was on the screen. */
function useStillness(arranged: Arranged | null, session: SessionId, flow: React.RefObject<Flow | null>, frame: React.RefObject<HTMLDivElement | null>): void {
  const last = useRef<Arranged | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = arranged;
    if (!before || !arranged || !flow.current) return;
    const { current } = useMap.getState();
    const id = current !== null && rectOf(before, current) && rectOf(arranged, current) ? current : session;
    const [was, is] = [rectOf(before, id), rectOf(arranged, id)];
    if (was && is) holdStill(flow.current, was, is);
    else if (is && frame.current) showFirst(flow.current, frame.current.getBoundingClientRect(), wholeOf(arranged), is);
  }, [arranged, session, flow, frame]);
}
