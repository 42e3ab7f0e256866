import { memo } from 'react';
import type { SearchHit } from '@shared/contract';
import { visibleControls } from '../../ui/controls';
import { formatExact } from '../../ui/format';
import { Ago, AgentMark, StateMark } from '../../ui/marks';
import { kindWords } from '../../ui/words';
import { titleOf } from '../library/TreeRow';
import { piecesOf } from './snippet';

interface HitProps {
  hit: SearchHit;
  index: number;
  current: boolean;
  onOpen(index: number): void;
  onPoint(index: number): void;
}

const sourceOf = (hit: SearchHit): string => {
  if (hit.tool !== null) return hit.tool;
  if (hit.kind !== 'text') return kindWords[hit.kind];
  return hit.role === 'user' ? 'you' : hit.role === 'assistant' ? 'agent' : 'system';
};

/** One hit: where it stands, and the words around it. */
export const Hit = memo(function Hit({ hit, index, current, onOpen, onPoint }: HitProps) {
  return (
    <div
      id={`hit-${index}`}
      role="option"
      aria-selected={current}
      className="hit"
      onClick={() => onOpen(index)}
      onPointerMove={() => {
        if (!current) onPoint(index);
      }}
    >
      <div className="hit-head">
        <AgentMark agent={hit.agent} />
        <span className="hit-title one-line" title={`${titleOf({ title: hit.sessionTitle })}\n${formatExact(hit.time)}`}>{titleOf({ title: hit.sessionTitle })}</span>
        <span className="soft one-line">{visibleControls(hit.project)}</span>
        <span className="hit-end">
          {hit.inherited && <span className="soft" title="Came with a fork or a copy: the session it was taken from has it too">inherited</span>}
          <StateMark state={hit.state} seen={hit.seen} reason={null} worded />
          <Ago time={hit.time} />
        </span>
      </div>
      <div className="hit-text">
        <span className="hit-source">{visibleControls(sourceOf(hit))}</span>
        <Snippet text={hit.snippet} />
      </div>
    </div>
  );
});

export function Snippet({ text }: { text: string }) {
  return (
    <span className="hit-snippet">
      {piecesOf(text).map((piece, at) => (piece.hit ? <mark key={at}>{visibleControls(piece.text)}</mark> : <span key={at}>{visibleControls(piece.text)}</span>))}
    </span>
  );
}
