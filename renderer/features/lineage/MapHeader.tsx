import { FoldVertical, Maximize, Minus, Plus, UnfoldVertical } from 'lucide-react';
import type { RefObject } from 'react';
import type { Family, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { countOf, formatCount } from '../../ui/format';
import type { MapGraph } from './graph';
import { Legend } from './Legend';
import { useMap } from './state';
import { duration, type Flow } from './viewport';
import { nameOf } from './words';

/** What the map shows, how to move it, and what its lines mean. */
export function MapHeader({ family, session, graph, flow }: { family: Family; session: SessionId; graph: MapGraph; flow: RefObject<Flow | null> }) {
  const hits = useMap((map) => map.hits);
  const asked = family.sessions.find(({ id }) => id === session);
  const foldable = [...graph.items.values()].flatMap((item) => (item.kind === 'session' && item.subagents > 0 ? [item] : []));
  const anyFolded = foldable.some(({ folded }) => folded);
  const live = family.sessions.filter((each) => each.live).length;
  const missing = family.sessions.filter(({ known }) => !known).length;
  const subagents = family.sessions.filter(({ kind, known }) => known && kind === 'subagent').length;
  const counts = [
    countOf(family.sessions.length - missing - subagents, 'session'), subagents > 0 ? countOf(subagents, 'subagent') : '', missing > 0 ? `${formatCount(missing)} that no store has` : '',
    live > 0 ? `${formatCount(live)} live` : '', hits.query === '' ? '' : `“${hits.query}”: ${hits.capped ? 'at least ' : ''}${countOf(hits.parts, 'hit')} in ${countOf(hits.counts.size, 'session')}`,
  ].filter(Boolean);
  const zoom = (by: 'in' | 'out') => void (by === 'in' ? flow.current?.zoomIn({ duration: duration() }) : flow.current?.zoomOut({ duration: duration() }));
  return (
    <header className="map-header">
      <div className="map-heading">
        <h1 className="one-line">Lineage of {asked ? nameOf(asked) : session}</h1>
        <p className="soft number one-line" role="status">
          {counts.join(' · ')}
        </p>
      </div>
      <div className="map-buttons">
        {foldable.length > 0 && (
          <button type="button" className="button bare square" aria-label={anyFolded ? 'Show all subagents' : 'Fold all subagents'} title={anyFolded ? 'Show all subagents' : 'Fold all subagents'} onClick={() => useMap.setState({ folds: new Map(family.sessions.map(({ id }) => [id, !anyFolded])) })}>
            {anyFolded ? <UnfoldVertical size={15} aria-hidden /> : <FoldVertical size={15} aria-hidden />}
          </button>
        )}
        <button type="button" className="button bare square" aria-label="Zoom out" title="Zoom out (-)" onClick={() => zoom('out')}>
          <Minus size={15} aria-hidden />
        </button>
        <button type="button" className="button bare square" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom('in')}>
          <Plus size={15} aria-hidden />
        </button>
        <button type="button" className="button bare square" aria-label="Show the whole map" title="Show the whole map (0)" onClick={() => void flow.current?.fitView({ duration: duration(), padding: 0.06 })}>
          <Maximize size={15} aria-hidden />
        </button>
        <button type="button" className="button" onClick={() => show({ kind: 'session', session, part: null })}>
          Back <kbd>m</kbd>
        </button>
      </div>
      {family.cut && (
        <p className="map-cut" role="note">
          The {formatCount(family.cut.limit)} nearest sessions are drawn; at least {formatCount(family.cut.more)} more belong to this family. Open the map from one further away to see those.
        </p>
      )}
      <Legend family={family} />
    </header>
  );
}
