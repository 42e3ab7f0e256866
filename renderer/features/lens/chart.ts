import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter, line } from 'd3-shape';
import type { ContextHistory, ContextPoint } from '@shared/model';

/** The size of the context over the parts of a session, as paths of a drawing of a given size. */
export interface Chart {
  line: string;
  area: string;
  /** Points that can be gone to, from left to right. */
  points: { x: number; y: number; point: ContextPoint }[];
  /** Where the context was cut down. */
  cuts: { x: number; index: number }[];
  /** Height of the model's window, where it is known and in reach. */
  window: number | null;
  /** Figures at the axis. */
  ticks: { y: number; tokens: number }[];
}

/** Room above the tallest point, as a share. */
const headroom = 1.08;
/** A window far above all points would press them flat: then it is only named. */
const windowReach = 2.5;

/** Lays the chart out. Pure. */
export function chartOf(history: ContextHistory, total: number, width: number, height: number): Chart {
  const sizes = history.points.filter((point) => point.cause !== 'large').sort((a, b) => a.index - b.index);
  const tallest = Math.max(1, ...sizes.map((point) => point.tokens));
  const { window } = history;
  const windowShown = window !== null && window <= tallest * windowReach;
  const x = scaleLinear([0, Math.max(1, total - 1)], [0, width]);
  const y = scaleLinear([0, Math.max(tallest, windowShown ? window : 0) * headroom], [height, 0]).nice(3);
  const points = sizes.map((point) => ({ x: x(point.index), y: y(point.tokens), point }));
  // The size holds until the next request.
  const steps = points.length > 0 ? [...points.map((each): [number, number] => [each.x, each.y]), [width, points.at(-1)?.y ?? height] as [number, number]] : [];
  return {
    line: line().curve(curveStepAfter)(steps) ?? '',
    area: area().curve(curveStepAfter).y0(height)(steps) ?? '',
    points,
    cuts: history.epochs.flatMap(({ compaction }) => (compaction ? [{ x: x(compaction.index), index: compaction.index }] : [])),
    window: windowShown ? y(window) : null,
    // A figure at the very top would be cut off.
    ticks: y.ticks(3).map((tokens) => ({ y: y(tokens), tokens })).filter((tick) => tick.y > 6),
  };
}

/** The point nearest to a place from the left, by its number; -1 when there is none. */
export function nearestPoint(chart: Chart, place: number): number {
  let best = -1;
  chart.points.forEach(({ x }, at) => {
    if (best < 0 || Math.abs(x - place) < Math.abs((chart.points[best]?.x ?? 0) - place)) best = at;
  });
  return best;
}
