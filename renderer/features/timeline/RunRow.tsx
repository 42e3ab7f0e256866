import { ChevronRight } from 'lucide-react';
import type { Ref } from 'react';
import type { Outline } from '@shared/contract';
import type { PlacedDamage } from '@shared/model';
import { countOf, formatCount } from '../../ui/format';
import { visibleControls } from '../../ui/controls';
import { DivideInRun } from '../compare/Divide';
import { openOnEnter, selectPart } from './acts';
import { DamageLines } from './DamageLines';
import { rowStyle } from './row-style';
import { partAt } from './loading';
import { stateWords } from '../../ui/words';
import { isLater, stateAt } from './outline';
import type { Quiet } from './rows';
import { toggleRun, useSession } from './state';

interface RunRowProps {
  row: number;
  start: number;
  length: number;
  quiet: Quiet;
  band: string | null;
  open: boolean;
  /** What could not be read among its parts while they are not drawn themselves. */
  damage: readonly PlacedDamage[];
  current: boolean;
  top: number;
  measure: Ref<HTMLElement>;
}

/** Titles named on the line of a run. */
const named = 6;

/** What a lens leaves out, by what became of it: "12 parts not shown: 10 compacted, 2 reverted". */
function leftOutWords(outline: Outline, start: number, length: number): string {
  const counts = new Map<string, number>();
  for (let index = start; index < start + length; index += 1) {
    const state = isLater(outline, index) ? 'after this point' : stateAt(outline, index);
    const word = state === 'after this point' ? state : stateWords[state === 'live' ? 'not sent' : state];
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const kinds = [...counts].sort((a, b) => b[1] - a[1]);
  const told = kinds.length === 1 ? (kinds[0]?.[0] ?? '') : kinds.map(([word, count]) => `${formatCount(count)} ${word}`).join(', ');
  return `${countOf(length, 'part')} left out: ${told}`;
}

/** A run of parts that the agent put in for itself, as one line. */
export function RunRow({ row, start, length, quiet, band, open, damage, current, top, measure }: RunRowProps) {
  const titles = Array.from({ length: Math.min(named, length) }, (_, at) => partAt(start + at)?.title).filter((title) => title !== undefined && title !== null);
  const outline = useSession((session) => session.outline);
  const words = quiet === 'injected' || !outline ? countOf(length, 'hidden part') : leftOutWords(outline, start, length);
  return (
    <article
      ref={measure}
      className="part"
      style={rowStyle(top)}
      data-index={row}
      data-at={start}
      data-kind="run"
      data-band={band ?? undefined}
      data-current={current || undefined}
      aria-label={words}
      tabIndex={current ? 0 : -1}
      onPointerDown={() => selectPart(start)}
      onFocus={() => selectPart(start)}
      onKeyDown={openOnEnter}
    >
      <DamageLines damage={damage} />
      <div className="part-who" />
      <div className="part-body">
        <div className="fold" data-tone="soft" data-open={open || undefined}>
          <button type="button" className="fold-line" aria-expanded={open} tabIndex={-1} onClick={() => toggleRun(start)}>
            <ChevronRight className="fold-twisty" size={13} aria-hidden />
            <span className="fold-label">{words}</span>
            <span className="fold-target one-line">{visibleControls(titles.join(' · '))}</span>
          </button>
        </div>
        {quiet === 'injected' && !open && <DivideInRun start={start} length={length} />}
      </div>
      <div className="part-mark" />
    </article>
  );
}
