import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import { useRoute } from '../../app/route';
import { show } from '../../app/route';
import { focusRow, showRows, toggleRow, useLibrary } from './rows';
import { TreeRow } from './TreeRow';
import { placeOf, stepInTree, type TreeRows } from './walk';

/** Same as `--row` in tokens.css. */
const rowHeight = 28;

/** The library as a tree: only what is on the screen is loaded and drawn. */
export function Tree() {
  const scroller = useRef<HTMLDivElement>(null);
  const { total, rows, focus, moved, wanted } = useLibrary();
  const selected = useRoute(({ view }) => (view.kind === 'session' ? view.session : null));
  const tree: TreeRows = { total, at: (index) => rows.get(index) };
  /** Focus follows keys and clicks only: a row that scrolls in must not take it. */
  const takesFocus = useRef(false);
  // Read before the page changes: a row that goes takes the focus with it.
  const holdsFocus = scroller.current?.contains(document.activeElement) ?? false;

  const list = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (index) => rows.get(index)?.id ?? index,
    // The focused row stays in the page, else the focus would fall to <body> when it scrolls away.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan);
      const to = Math.min(count - 1, endIndex + overscan);
      const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
      if (focus.index < from) return focus.index < count ? [focus.index, ...indexes] : indexes;
      if (focus.index > to && focus.index < count) indexes.push(focus.index);
      return indexes;
    },
  });

  const first = list.range?.startIndex;
  const last = list.range?.endIndex;
  useEffect(() => {
    if (first !== undefined && last !== undefined) showRows(first, last);
  }, [first, last, rows, total]);

  // Rows that came in above push down what one reads; at the very top they are what one wants to see.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && moved.rows !== 0 && element.scrollTop > 0) element.scrollTop += moved.rows * rowHeight;
  }, [moved]);

  useLayoutEffect(() => {
    if (wanted) list.scrollToIndex(wanted.index, { align: 'auto' });
  }, [wanted, list]);

  // Until the row is loaded the tree itself holds the focus, so that keys go on working.
  useLayoutEffect(() => {
    if (!holdsFocus || document.activeElement !== document.body) return;
    takesFocus.current = true;
    scroller.current?.focus({ preventScroll: true });
  });

  useEffect(() => {
    if (!takesFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[role="treeitem"][data-index="${focus.index}"]`);
    if (!row) return;
    takesFocus.current = false;
    // One may have gone elsewhere while it was loaded.
    if (scroller.current?.contains(document.activeElement)) row.focus({ preventScroll: true });
  });

  const moveTo = (index: number) => {
    takesFocus.current = true;
    if (!rows.has(index)) scroller.current?.focus({ preventScroll: true });
    focusRow(index);
    list.scrollToIndex(index, { align: 'auto' });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const step = stepInTree(event.key, focus.index, tree, page);
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    if (step.to === 'focus') moveTo(step.index);
    else activate(step.index, step.to);
  };

  const activate = (index: number, how: 'toggle' | 'open') => {
    const row = rows.get(index);
    if (!row) return;
    takesFocus.current = true;
    focusRow(index);
    if (how === 'toggle' || row.type === 'group') toggleRow(row.id);
    else show({ kind: 'session', session: row.id, part: null });
  };

  return (
    <div ref={scroller} className="tree-scroller" role="tree" aria-label="Sessions" tabIndex={rows.has(focus.index) ? -1 : 0} onKeyDown={onKeyDown}>
      <div role="none" style={{ height: list.getTotalSize(), position: 'relative' }}>
        {list.getVirtualItems().map((item) => {
          const row = rows.get(item.index);
          return (
            <TreeRow
              key={item.key}
              index={item.index}
              top={item.start}
              row={row}
              place={placeOf(item.index, tree)}
              selected={row !== undefined && row.id === selected}
              focusable={item.index === focus.index}
              onActivate={activate}
            />
          );
        })}
      </div>
    </div>
  );
}
