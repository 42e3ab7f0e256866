import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { ChevronDown, ChevronRight, GitFork, Search, TriangleAlert, Undo2, Unplug } from 'lucide-react';
import { memo } from 'react';
import { countOf, formatCount, formatShort } from '../../ui/format';
import { AgentMark, Ago } from '../../ui/marks';
import { EdgeSign } from '../../ui/signs';
import { stubGap } from './arrange';
import { branchItem, card, type SessionItem, stub } from './graph';
import { setFold, useMap } from './state';
import { nameOf, sumOf, tokenWords } from './words';

export type SessionNodeType = Node<{ item: SessionItem; beside: boolean; asked: boolean }, 'session'>;

/** Lines begin and end exactly at the card. */
const handle = { opacity: 0, pointerEvents: 'none', width: 0, height: 0, minWidth: 0, minHeight: 0, border: 0, transform: 'none' } as const;

/** A session on the map: two lines, and its branches as stubs where they depart. What it says is read out by `ReadingOrder`. */
export const SessionNode = memo(function SessionNode({ data }: NodeProps<SessionNodeType>) {
  const { item, beside, asked } = data;
  const { session } = item;
  const current = useMap((map) => map.current === item.id);
  const focused = useMap((map) => map.focused && map.current === item.id);
  const hits = useMap((map) => map.hits.counts.get(session.id) ?? 0);
  const searching = useMap((map) => map.hits.query !== '');
  return (
    <>
      <Handle type="target" position={beside ? Position.Left : Position.Top} isConnectable={false} style={beside ? { ...handle, left: 0, top: card.height / 2 } : { ...handle, left: card.width / 2, top: 0 }} />
      <div
        className="map-card"
        data-current={current || undefined}
        data-focused={focused || undefined}
        data-asked={asked || undefined}
        data-missing={!session.known || undefined}
        data-kind={session.kind}
        data-hits={hits > 0 || undefined}
        data-pale={(searching && hits === 0) || undefined}
        style={{ width: card.width, height: card.height }}
        title={session.known ? nameOf(session) : session.id}
      >
        <span className="map-line">
          {session.live && <span className="live-dot" title="live: written to a short while ago" />}
          <span className="one-line map-title">{session.known ? nameOf(session) : `${session.id.slice(session.id.lastIndexOf('/') + 1)}, which no store has`}</span>
          {session.damage > 0 && <TriangleAlert size={12} className="map-warning" />}
          {session.known && session.source === 'gone' && <Unplug size={12} className="map-warning" />}
          {session.reverted && <Undo2 size={12} />}
          {hits > 0 && (
            <span className="map-hits number">
              <Search size={10} /> {formatCount(hits)}
            </span>
          )}
        </span>
        <span className="map-line soft">
          <AgentMark agent={session.agent} />
          <span className="one-line map-figures number">
            <Ago time={session.updated ?? session.created} />
            {session.counts && ` · ${formatCount(session.counts.messages)} msg`}
            {session.tokens && <span title={tokenWords(session) ?? undefined}> · {formatShort(sumOf(session.tokens))} tok</span>}
          </span>
          {item.subagents > 0 && <FoldChip item={item} />}
        </span>
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={false} style={{ ...handle, left: card.width / 2, top: card.height }} />
      {item.stubs.length > 0 && <Stubs item={item} />}
    </>
  );
});

/** How many subagents there are, and whether they are drawn. */
function FoldChip({ item }: { item: SessionItem }) {
  const inside = useMap((map) => (item.folded ? item.hidden.filter((id) => map.hits.counts.has(id)).length : 0));
  const Twisty = item.folded ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      tabIndex={-1}
      className="map-fold nodrag nopan number"
      data-hits={inside > 0 || undefined}
      title={`${item.folded ? 'Show' : 'Fold'} ${countOf(item.subagents, 'subagent')}${inside > 0 ? `; ${countOf(inside, 'of them has hits', 'of them have hits')}` : ''}`}
      onClick={(event) => {
        event.stopPropagation();
        setFold(item.session.id, !item.folded);
      }}
    >
      <Twisty size={11} />
      <EdgeSign kind="subagent" />
      {formatCount(item.subagents)}
    </button>
  );
}

/** Branches beside the current one: each line leaves the card at the height where the branch departs. */
function Stubs({ item }: { item: SessionItem }) {
  const { session, stubs } = item;
  const left = session.branches.length - stubs.length;
  return (
    <div className="map-stubs" style={{ left: card.width, width: stubGap + stub.width }}>
      <svg width={stubGap} height={Math.max(card.height, stubs.length * stub.height)} className="map-stub-lines">
        {stubs.map((branch, at) => {
          const from = 6 + branch.at * (card.height - 12);
          const to = at * stub.height + stub.height / 2;
          return <path key={branch.id} d={`M0 ${from} C ${stubGap * 0.6} ${from}, ${stubGap * 0.4} ${to}, ${stubGap} ${to}`} />;
        })}
      </svg>
      {stubs.map((branch, at) => (
        <Stub key={branch.id} id={branchItem(session.id, branch)} top={at * stub.height} words={`branch ${branch.id} · ${formatCount(branch.count)} msg`} title={`Departs ${Math.round(branch.at * 100)} % into the session; ${countOf(branch.count, 'message')} of its own`} />
      ))}
      {left > 0 && (
        <span className="map-stub soft" style={{ top: stubs.length * stub.height, left: stubGap, width: stub.width }}>
          and {formatCount(left)} more
        </span>
      )}
    </div>
  );
}

function Stub({ id, top, words, title }: { id: string; top: number; words: string; title: string }) {
  const current = useMap((map) => map.current === id);
  const focused = useMap((map) => map.focused && map.current === id);
  return (
    <span className="map-stub number" data-item={id} data-current={current || undefined} data-focused={focused || undefined} title={title} style={{ top, left: stubGap, width: stub.width, height: stub.height }}>
      <GitFork size={11} /> <span className="one-line">{words}</span>
    </span>
  );
}
