import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { ContextHistory, ContextPoint } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { formatCount, formatExact, formatShort } from '../../ui/format';
import { showPart } from '../timeline/session';
import { chartOf, nearestPoint } from './chart';

const height = 96;
/** Room for the figures of the axis, px, and for the lower half of its zero. */
const axis = 34;
const axisFoot = 10;

/** The size of the context over the session: pointed at or walked with the arrow keys, and gone to. */
export function ContextChart({ history, total, reading }: { history: ContextHistory; total: number; reading: number }) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(240);
  const [chosen, setChosen] = useState<number | null>(null);
  const described = useId();
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(80, element.clientWidth - axis)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const chart = useMemo(() => chartOf(history, total, width, height), [history, total, width]);
  if (chart.points.length === 0) return <p className="soft">No request of this session is recorded.</p>;

  const at = chosen === null ? null : (chart.points[Math.min(chosen, chart.points.length - 1)] ?? null);
  const placeOf = (event: PointerEvent) => nearestPoint(chart, event.clientX - (frame.current?.getBoundingClientRect().left ?? 0) - axis);
  const go = () => at && void showPart(at.point.index);
  const walk = (event: KeyboardEvent) => {
    const last = chart.points.length - 1;
    const from = chosen ?? nearestPoint(chart, (reading / Math.max(1, total - 1)) * width);
    const goals: Record<string, number> = { ArrowLeft: Math.max(0, from - 1), ArrowRight: Math.min(last, from + 1), Home: 0, End: last };
    const goal = goals[event.key];
    if (event.key === 'Enter' || event.key === ' ') go();
    else if (goal !== undefined) setChosen(goal);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const readingX = (reading / Math.max(1, total - 1)) * width;
  return (
    <figure className="context-chart">
      {/* A slider tells its value as it is walked; Enter goes to the part. */}
      <div
        ref={frame}
        className="context-chart-frame"
        role="slider"
        tabIndex={0}
        aria-label="Size of the context over the session"
        aria-describedby={described}
        aria-valuemin={1}
        aria-valuemax={chart.points.length}
        aria-valuenow={(chosen ?? 0) + 1}
        aria-valuetext={at ? pointWords(at.point) : 'no request chosen'}
        onKeyDown={walk}
        onPointerMove={(event) => setChosen(placeOf(event))}
        onPointerLeave={() => setChosen(null)}
        onClick={go}
      >
        <svg width={width + axis} height={height + axisFoot} aria-hidden>
          <g transform={`translate(${axis} 2)`}>
            {chart.ticks.map((tick) => (
              <g key={tick.tokens} transform={`translate(0 ${tick.y})`}>
                <line x2={width} className="chart-grid" />
                <text x={-6} dy="0.32em" textAnchor="end">
                  {formatShort(tick.tokens)}
                </text>
              </g>
            ))}
            <path d={chart.area} className="chart-area" />
            <path d={chart.line} className="chart-line" />
            {chart.window !== null && <line x2={width} y1={chart.window} y2={chart.window} className="chart-window" />}
            {chart.cuts.map((cut) => (
              <line key={cut.index} x1={cut.x} x2={cut.x} y2={height} className="chart-cut" />
            ))}
            {chart.points.filter(({ point }) => point.cause === 'model').map(({ x, y, point }) => (
              <path key={point.index} d={`M${x} ${y - 5}l4 5l-4 5l-4 -5z`} className="chart-model" />
            ))}
            <line x1={readingX} x2={readingX} y2={height} className="chart-reading" />
            {at && <circle cx={at.x} cy={at.y} r={4} className="chart-chosen" />}
          </g>
        </svg>
      </div>
      <figcaption id={described} className="soft number">
        {at ? pointWords(at.point) : chart.cuts.length > 0 ? 'Dashed: compactions. Point at the line or walk it with ← →; Enter goes there.' : 'Point at the line or walk it with ← →; Enter goes there.'}
      </figcaption>
    </figure>
  );
}

function pointWords(point: ContextPoint): string {
  const size = `${point.estimated ? '~' : ''}${formatCount(point.tokens)} tokens`;
  const what = point.cause === 'model' && point.label !== null ? `, model ${visibleControls(point.label)}` : point.cause === 'compaction' ? ', compacted' : '';
  return `${size}${what} · ${formatExact(point.time)}`;
}
