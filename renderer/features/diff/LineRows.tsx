import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState, type WheelEvent } from 'react';
import { DiffRow, type RowActs } from './DiffRow';
import type { LaidOut } from './lines/drawing';
import type { DrawnPatch } from './lines/drawn-patch';

/** px; the same in diff.css. */
export const rowHeight = 20;

export interface LineRowsHandle {
  /** The first row on the screen. */
  first(): number;
  goTo(row: number, align: 'auto' | 'center'): void;
  /** Moves all lines sideways, px. */
  shift(by: number): void;
}

interface LineRowsProps {
  patch: DrawnPatch | null;
  /** Null until it is laid out. */
  laid: LaidOut | null;
  split: boolean;
  /** The row that keys act on. */
  current: number | null;
  label: string;
  acts: RowActs;
  onKey(event: KeyboardEvent): void;
  /** One moves elsewhere by wheel or pointer. */
  onLeave?(): void;
  ref: Ref<LineRowsHandle>;
  scroller: RefObject<HTMLDivElement | null>;
  /** px; without it the rows take the room there is. */
  height?: number;
}

/** The rows of one patch; only those near the screen are drawn, and all of them move sideways together. */
export function LineRows({ patch, laid, split, current, label, acts, onKey, onLeave, ref, scroller, height }: LineRowsProps) {
  const bar = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({ count: laid?.rows ?? 0, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 12 });
  const items = list.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    if (laid && laid.rows > 0) patch?.want(first, last);
  }, [patch, laid, first, last]);
  useImperativeHandle(ref, () => ({ first: () => first, goTo: (row, align) => list.scrollToIndex(row, { align }), shift: (by) => bar.current?.scrollBy({ left: by }) }), [first, list]);
  return (
    <div className="dl" data-split={split || undefined} data-small={height !== undefined || undefined} style={{ '--digits': `${String(laid?.highest ?? 0).length}ch` } as CSSProperties}>
      <div ref={scroller} className="dl-scroller" style={{ height }} tabIndex={0} role="region" aria-label={label} aria-busy={laid === null} onKeyDown={onKey} onPointerDown={onLeave} onWheelCapture={onLeave} onWheel={(event) => shiftByWheel(event, bar)}>
        <div style={{ height: list.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, start }) => (
            <DiffRow key={index} index={index} row={patch?.row(index)} top={start} current={index === current} acts={acts} />
          ))}
        </div>
      </div>
      <Sideways bar={bar} longest={laid?.longest ?? 0} split={split} />
    </div>
  );
}

function shiftByWheel(event: WheelEvent, bar: RefObject<HTMLDivElement | null>): void {
  const by = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
  if (Math.abs(by) > 0) bar.current?.scrollBy({ left: by });
}

/** Moves all lines sideways together, so that numbers and signs stay where they are. */
function Sideways({ bar, longest, split }: { bar: RefObject<HTMLDivElement | null>; longest: number; split: boolean }) {
  const [x, setX] = useState(0);
  useEffect(() => {
    const lines = bar.current?.parentElement?.querySelector<HTMLElement>('.dl-scroller');
    lines?.style.setProperty('--x', `${x}px`);
  }, [x, bar]);
  return (
    <div ref={bar} className="dl-sideways" tabIndex={-1} aria-hidden onScroll={(event) => setX(event.currentTarget.scrollLeft)}>
      <div style={{ width: `calc((${longest + 4} * var(--ch) + var(--gutter)) * ${split ? 2 : 1})` }} />
    </div>
  );
}
