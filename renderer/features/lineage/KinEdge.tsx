import { type Edge as FlowEdge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { Edge, EdgeKind } from '@shared/model';
import { EdgeSign } from '../../ui/signs';
import { useMap } from './state';

export type KinEdgeType = FlowEdge<{ edge: Edge; words: string; bus: number; beside: boolean }, 'kin'>;

/** Left of a box that lines enter from the side, px. */
const gutter = 16;
/** Each kind leaves a card at a place of its own and runs at a height of its own, px: dashes would be hidden under a full line. */
const lanes: Record<EdgeKind, { x: number; y: number }> = {
  fork: { x: 0, y: 0 }, subagent: { x: -32, y: -8 }, resume: { x: 32, y: 6 }, import: { x: 64, y: -14 }, handoff: { x: -64, y: 10 },
};

/** A line from a session to what came of it: its form says the kind, dashes say that it is inferred. */
export const KinEdge = memo(function KinEdge({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<KinEdgeType>) {
  const lit = useMap((map) => data !== undefined && map.current === data.edge.child);
  if (!data) return null;
  const { edge, words, bus, beside } = data;
  const lane = lanes[edge.kind];
  const [left, level] = [sourceX + lane.x, bus + lane.y];
  const path = beside
    ? `M${left} ${sourceY} V${level} H${targetX - gutter} V${targetY} H${targetX}`
    : `M${left} ${sourceY} V${level} H${targetX} V${targetY}`;
  const sign = beside ? { x: targetX - gutter, y: targetY } : { x: targetX, y: targetY - 11 };
  return (
    <g className="kin" data-kind={edge.kind} data-certainty={edge.certainty} data-lit={lit || undefined} data-hint={words}>
      <path className="kin-reach" d={path} />
      <path className="kin-line" d={path} />
      {edge.kind === 'import' && <path className="kin-core" d={path} />}
      <circle className="kin-seat" cx={sign.x} cy={sign.y} r={8.5} />
      <g className="kin-sign" transform={`translate(${sign.x - 6} ${sign.y - 6})`}>
        <EdgeSign kind={edge.kind} />
      </g>
    </g>
  );
});
