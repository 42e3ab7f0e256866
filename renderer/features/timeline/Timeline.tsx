import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { Role } from '@shared/model';
import { countOf } from '../../ui/format';
import { epochAt } from '../lens/epochs';
import { useLens } from '../lens/lens';
import { damageBefore, damageInRun } from './damage';
import { estimateHeights, foldedHeight } from './drawing';
import { followGrowth, holdAt } from './holding';
import { Minimap } from './Minimap';
import { isSpoken, PartRow } from './PartRow';
import { isLater, stateAt } from './outline';
import { rowStyle } from './row-style';
import { RunRow } from './RunRow';
import { loadAround, partAt } from './loading';
import { attachView, detachView, jumpTo } from './session';
import { useSession } from './state';

type List = Virtualizer<HTMLDivElement, HTMLElement>;

/** Room above a part that was jumped to, px: it shows that something comes before. */
const above = 24;
/** Columns beside the content: who, mark, paddings (timeline.css), px. */
const besideContent = 64 + 92 + 40;
/** Closer than this to the end, px, one is reading the end and follows it. */
const nearEnd = 60;

/**
 * A measured part above the fold must not push what one reads: on its first measure whatever begins above the fold is
 * made up for, later only what lies above it whole (a part that is opened grows downwards). Placeholders are never
 * measured, so that the true height is always a first measure.
 */
function keepsReading(item: { start: number; end: number; key: number | string | bigint }, _delta: number, list: List): boolean {
  const offset = list.scrollOffset ?? 0;
  return list.itemSizeCache.has(item.key) ? item.end <= offset : item.start < offset;
}

/**
 * The parts of the open session; only those on the screen are loaded and drawn. It is made anew for every epoch of
 * `session.ts` (see `key` where it is used), so that an index names one part for as long as it lives.
 */
export function Timeline() {
  const scroller = useRef<HTMLDivElement>(null);
  const width = useContentWidth(scroller);
  const { id, detail, total, rows, outline, version, current, folds, raw, arrived } = useSession();
  const heights = useMemo(() => estimateHeights(outline, width), [outline, width]);
  const estimateSize = useCallback((row: number) => (rows.run(row) > 0 ? foldedHeight : (heights[rows.start(row)] ?? foldedHeight)), [heights, rows]);
  // Rows shift when a run is opened; a part keeps its key, and with it the height that was measured.
  const getItemKey = useCallback((row: number) => rows.start(row) * 2 + (rows.run(row) > 0 ? 1 : 0), [rows]);

  const list = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    overscan: 6,
    paddingStart: 8,
    paddingEnd: 48,
    scrollPaddingStart: above,
  });
  list.shouldAdjustScrollPositionOnItemSizeChange = keepsReading;

  const first = rows.start(list.range?.startIndex ?? 0);
  const lastRow = list.range?.endIndex ?? 0;
  const last = Math.min(total - 1, rows.start(lastRow) + Math.max(0, rows.run(lastRow) - 1));
  useEffect(() => {
    if (total > 0) void loadAround(first - 15, last + 25);
  }, [first, last, total, version, id]);

  useView(list, scroller);
  useEffect(() => useLens.setState({ reading: first }), [first]);
  const history = useLens((lens) => lens.history);
  const bandOf = (index: number) => {
    const found = history && history.epochs.length > 1 ? epochAt(history, index) : null;
    return found === null ? null : found.epoch.compaction === null ? 'now' : found.number % 2 === 0 ? 'even' : 'odd';
  };
  useFocus(scroller, current);

  const atEnd = rows.count > 0 && lastRow >= rows.count - 1;
  useEffect(() => {
    if (atEnd && arrived > 0) useSession.setState({ arrived: 0 });
  }, [atEnd, arrived]);

  return (
    <div className="timeline">
      <div ref={scroller} className="timeline-scroller" role="feed" aria-label="Timeline" aria-busy={total === 0} tabIndex={-1}>
        <div role="none" style={{ height: list.getTotalSize(), position: 'relative' }}>
          {list.getVirtualItems().map((item) => {
            const index = rows.start(item.index);
            const part = partAt(index);
            const run = rows.run(item.index);
            if (run > 0) {
              const open = rows.isOpen(item.index);
              return <RunRow key={item.key} row={item.index} start={index} length={run} quiet={rows.quiet(item.index) ?? 'injected'} band={bandOf(index)} open={open} damage={open ? [] : damageInRun(detail, index, run)} current={!open && current !== null && current >= index && current < index + run} top={item.start} measure={list.measureElement} />;
            }
            if (!part) return <div key={item.key} className="part-ghost" data-ghost={index} style={{ ...rowStyle(item.start), height: item.size }} aria-hidden />;
            return (
              <PartRow
                key={item.key}
                row={item.index}
                part={part}
                state={outline && !isLater(outline, index) ? stateAt(outline, index) : null}
                seen={outline ? outline.seen[index] === '1' : part.seen}
                band={bandOf(index)}
                total={total}
                before={speakerBefore(index)}
                damage={damageBefore(detail, index)}
                damageBehind={damageBefore(detail, index === total - 1 ? total : -1)}
                current={index === current}
                open={folds.get(part.id) ?? false}
                raw={raw.has(part.id)}
                top={item.start}
                measure={list.measureElement}
              />
            );
          })}
        </div>
      </div>
      <Minimap first={first} last={last} />
      {arrived > 0 && !atEnd && (
        <button type="button" className="arrived" onClick={() => void jumpTo(total - 1, 'start')}>
          {countOf(arrived, 'new part')} ↓
        </button>
      )}
    </div>
  );
}

/** Parts looked back over for who spoke last. */
const speakerReach = 40;

/** Who spoke before a part, past what nobody said. */
function speakerBefore(index: number): Role | null {
  for (let at = index - 1; at >= 0 && at >= index - speakerReach; at -= 1) {
    const part = partAt(at);
    if (!part) return null;
    if (isSpoken(part)) return part.message.role;
  }
  return null;
}

/** Width of the column that prose is set in, for estimates; it changes only by steps, since each change estimates anew. */
function useContentWidth(scroller: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(560);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(160, Math.floor((element.clientWidth - besideContent) / 40) * 40)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return width;
}

/** Lets the session scroll this timeline, and ask what is being read. */
function useView(list: List, scroller: RefObject<HTMLDivElement | null>): void {
  const held = useRef(list);
  held.current = list;

  useLayoutEffect(() => {
    let stop = () => undefined as void;
    const atEnd = () => {
      const element = scroller.current;
      return element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
    };
    const endOf = (element: HTMLElement) => element.scrollHeight - element.clientHeight;
    /** Null while the row is not laid out. */
    const goalOf = (element: HTMLElement, row: number, offset: number) => {
      const start = held.current.measurementsCache[row]?.start;
      return start === undefined ? null : Math.max(0, Math.min(endOf(element), start + offset));
    };
    attachView({
      scrollTo(index, { align }) {
        stop();
        const element = scroller.current;
        const row = useSession.getState().rows.rowOf(index);
        held.current.scrollToIndex(row, { align });
        // What lies above is measured only now, and would push it away.
        if (element && align === 'start') stop = holdAt(element, () => goalOf(element, row, -above), () => undefined);
      },
      putAt({ index, offset, end }, arrived) {
        stop();
        const element = scroller.current;
        if (!element) return;
        const row = useSession.getState().rows.rowOf(index);
        stop = holdAt(element, () => (end === undefined ? goalOf(element, row, offset) : endOf(element)), arrived);
      },
      keepInView(part) {
        const element = scroller.current;
        if (!element) return;
        stop();
        const row = element.querySelector<HTMLElement>(`.part[data-part="${CSS.escape(part)}"]`);
        if (row) stop = followGrowth(element, row, above);
      },
      shown() {
        const top = scroller.current?.scrollTop ?? 0;
        const items = held.current.getVirtualItems().filter((each) => each.end > top && each.start < top + (scroller.current?.clientHeight ?? 0));
        const { rows } = useSession.getState();
        const last = items.at(-1)?.index ?? 0;
        return { first: rows.start(items[0]?.index ?? 0), last: rows.start(last) + Math.max(0, rows.run(last) - 1) };
      },
      place() {
        const offset = scroller.current?.scrollTop ?? 0;
        const bottom = offset + (scroller.current?.clientHeight ?? 0);
        const items = held.current.getVirtualItems().filter((each) => each.end > offset && each.start < bottom);
        const { rows, current, total } = useSession.getState();
        const chosen = current === null ? undefined : items.find((each) => each.index === rows.rowOf(current));
        if (offset < 4 && !chosen) return null;
        // A part stays what it is; the row of a run stands for other parts in another lens.
        const item = chosen ?? items.find((each) => rows.run(each.index) === 0 && partAt(rows.start(each.index))) ?? items[0];
        if (!item) return null;
        const index = chosen && current !== null ? current : rows.start(item.index);
        const part = partAt(index);
        return part ? { part: part.id, index, offset: Math.round(offset - item.start), ...(offset >= 4 && atEnd() && { end: total }) } : null;
      },
      top: () => scroller.current?.scrollTop ?? 0,
      atEnd,
      scrollToEnd() {
        stop();
        held.current.scrollToEnd();
      },
    });
    return () => {
      stop();
      detachView();
    };
  }, [scroller]);
}

/** The current part takes the focus when keys moved to it, so that a screen reader follows; a field that is typed in keeps it. */
function useFocus(scroller: RefObject<HTMLDivElement | null>, current: number | null): void {
  useEffect(() => {
    if (current === null || !useSession.getState().takesFocus) return;
    const row = scroller.current?.querySelector<HTMLElement>('[data-current]');
    if (!row || Number(row.dataset['at']) !== current) return;
    useSession.setState({ takesFocus: false });
    if (!document.activeElement?.matches('input, textarea')) row.focus({ preventScroll: true });
  });
}
