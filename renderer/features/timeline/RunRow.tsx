import { ChevronRight } from 'lucide-react';
import type { Ref } from 'react';
import { countOf } from '../../ui/format';
import { visibleControls } from '../../ui/controls';
import { openOnEnter, selectPart } from './acts';
import { rowStyle } from './row-style';
import { partAt } from './loading';
import { toggleRun } from './state';

interface RunRowProps {
  row: number;
  start: number;
  length: number;
  open: boolean;
  current: boolean;
  top: number;
  measure: Ref<HTMLElement>;
}

/** Titles named on the line of a run. */
const named = 6;

/** A run of parts that the agent put in for itself, as one line. */
export function RunRow({ row, start, length, open, current, top, measure }: RunRowProps) {
  const titles = Array.from({ length: Math.min(named, length) }, (_, at) => partAt(start + at)?.title).filter((title) => title !== undefined && title !== null);
  return (
    <article
      ref={measure}
      className="part"
      style={rowStyle(top)}
      data-index={row}
      data-at={start}
      data-kind="run"
      data-current={current || undefined}
      aria-label={`${countOf(length, 'hidden part')}`}
      tabIndex={current ? 0 : -1}
      onPointerDown={() => selectPart(start)}
      onFocus={() => selectPart(start)}
      onKeyDown={openOnEnter}
    >
      <div className="part-who" />
      <div className="part-body">
        <div className="fold" data-tone="soft" data-open={open || undefined}>
          <button type="button" className="fold-line" aria-expanded={open} tabIndex={-1} onClick={() => toggleRun(start)}>
            <ChevronRight className="fold-twisty" size={13} aria-hidden />
            <span className="fold-label">{countOf(length, 'hidden part')}</span>
            <span className="fold-target one-line">{visibleControls(titles.join(' · '))}</span>
          </button>
        </div>
      </div>
      <div className="part-mark" />
    </article>
  );
}
