import { countOf, formatCount } from '../../ui/format';
import { mostLines, stepLines } from './gap-lines';
import type { DrawnRow } from './lines/drawing';
import type { Gap, GapEnd } from './lines/gaps';

interface GapRowProps {
  row: Extract<DrawnRow, { kind: 'hunk' }>;
  /** Draws unchanged lines at one end of the gap; null for a record's own patch, of which nothing more is asked. */
  openGap: ((gap: Gap, end: GapEnd, count: number) => void) | null;
}

/** The row where a hunk begins: how many unchanged lines are left out, and how to see them. */
export function GapRow({ row: { gap, range, heading, file, open }, openGap }: GapRowProps) {
  return (
    <span className="dl-hunk">
      {file !== null && <b className="one-line">{file}</b>}
      {gap !== null && gap > 0 ? (
        <span className="dl-left one-line" data-hint={open || openGap === null ? undefined : 'The file is not recorded whole: only the lines of its changes and those around them are.'}>
          {countOf(gap, 'unchanged line')} {open || openGap === null ? 'not shown' : 'not recorded'}
        </span>
      ) : (
        `lines ${range}`
      )}
      {open && openGap && <GapButtons gap={open} isLast={range === ''} openGap={openGap} />}
      {heading !== null && <span className="one-line">{heading}</span>}
    </span>
  );
}

/** The first gap has no hunk above it, the last none below. */
function GapButtons({ gap, isLast, openGap }: { gap: Gap; isLast: boolean; openGap: NonNullable<GapRowProps['openGap']> }) {
  const { left, number } = gap;
  const some = left > stepLines;
  const most = Math.min(left, mostLines);
  const all = most < left ? `show the next ${formatCount(most)}` : some ? `show all ${formatCount(left)}` : `show ${formatCount(left)}`;
  const button = (text: string, hint: string, end: GapEnd, count: number) => (
    <button type="button" className="dl-cut dl-open" tabIndex={-1} aria-label={hint} data-hint={hint} onClick={() => openGap(gap, end, count)}>
      {text}
    </button>
  );
  return (
    <span className="dl-opens">
      {some && number > 0 && button(`${stepLines} ↓`, `Show ${stepLines} lines after the change above`, 'above', stepLines)}
      {some && !isLast && button(`${stepLines} ↑`, `Show ${stepLines} lines before the change below`, 'below', stepLines)}
      {button(all, `S${all.slice(1)} unchanged ${most === 1 ? 'line' : 'lines'}`, 'above', most)}
    </span>
  );
}
