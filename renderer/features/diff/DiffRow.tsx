import { ChevronsUpDown } from 'lucide-react';
import { memo } from 'react';
import { countOf, formatCount } from '../../ui/format';
import { GapRow } from './GapRow';
import type { Cell, DrawnRow } from './lines/drawing';
import type { Gap, GapEnd } from './lines/gaps';

/** What a row can be asked; the same object for every row of a diff. */
export interface RowActs {
  unfold(from: number): void;
  widen(line: number, side: 'before' | 'behind'): void;
  /** Null where nobody can be asked, as of a record's own patch. */
  openGap: ((row: number, gap: Gap, end: GapEnd, count: number) => void) | null;
  askWriter: ((row: number, side: 'old' | 'new', line: number) => void) | null;
}

interface DiffRowProps {
  index: number;
  /** Undefined until its window is there. */
  row: DrawnRow | undefined;
  top: number;
  current: boolean;
  acts: RowActs;
}

/** One row of a diff; drawn anew only when its window comes, or comes with colours. */
export const DiffRow = memo(function DiffRow({ index, row, top, current, acts }: DiffRowProps) {
  return (
    <div className="dl-row" data-row={row?.kind ?? 'ghost'} data-current={current || undefined} style={{ transform: `translateY(${top}px)` }}>
      {row && <RowBody index={index} row={row} acts={acts} />}
    </div>
  );
});

function RowBody({ index, row, acts }: { index: number; row: DrawnRow; acts: RowActs }) {
  const { openGap } = acts;
  switch (row.kind) {
    case 'hunk':
      return <GapRow row={row} openGap={openGap && ((gap, end, count) => openGap(index, gap, end, count))} />;
    case 'fold':
      return (
        <button type="button" className="dl-hunk dl-fold" tabIndex={-1} onClick={() => acts.unfold(row.from)}>
          <ChevronsUpDown size={12} aria-hidden /> {countOf(row.count, 'unchanged line')} folded
        </button>
      );
    case 'line':
      return row.cells.length === 1 ? <OneColumn index={index} cell={row.cells[0] ?? null} acts={acts} /> : <TwoColumns index={index} cells={row.cells} acts={acts} />;
  }
}

function OneColumn({ index, cell, acts }: { index: number; cell: Cell | null; acts: RowActs }) {
  if (!cell) return null;
  return (
    <span className="dl-cell" data-mark={cell.mark}>
      <LineNumber index={index} side="old" line={cell.old} isChanged={cell.mark === '-'} acts={acts} />
      <LineNumber index={index} side="new" line={cell.new} isChanged={cell.mark === '+'} acts={acts} />
      <LineText cell={cell} acts={acts} />
    </span>
  );
}

function TwoColumns({ index, cells, acts }: { index: number; cells: readonly (Cell | null)[]; acts: RowActs }) {
  return cells.map((cell, at) => {
    const side = at === 0 ? 'old' : 'new';
    if (!cell) return <span key={side} className="dl-cell dl-none" />;
    return (
      <span key={side} className="dl-cell" data-mark={cell.mark}>
        <LineNumber index={index} side={side} line={side === 'old' ? cell.old : cell.new} isChanged={cell.mark !== ' '} acts={acts} />
        <LineText cell={cell} acts={acts} />
      </span>
    );
  });
}

interface LineNumberProps {
  index: number;
  side: 'old' | 'new';
  line: number | null;
  isChanged: boolean;
  acts: RowActs;
}

/** A line's number; that of a changed line tells who changed it. */
function LineNumber({ index, side, line, isChanged, acts }: LineNumberProps) {
  if (line === null) return <span className="dl-number" />;
  const { askWriter } = acts;
  if (!isChanged || askWriter === null) return <span className="dl-number">{line}</span>;
  return (
    <button type="button" className="dl-number" tabIndex={-1} data-hint={side === 'new' ? 'Who wrote this line?' : 'Who took this line away?'} onClick={() => askWriter(index, side, line)}>
      <span className="unseen">{side === 'new' ? 'Who wrote line' : 'Who took away line'} </span>
      {line}
    </button>
  );
}

const signs: Record<Cell['mark'], { sign: string; word: string }> = { '+': { sign: '+', word: 'added: ' }, '-': { sign: '−', word: 'removed: ' }, ' ': { sign: ' ', word: '' } };

function LineText({ cell, acts }: { cell: Cell; acts: RowActs }) {
  const { sign, word } = signs[cell.mark];
  return (
    <>
      <span className="dl-sign" aria-hidden>
        {sign}
      </span>
      <span className="dl-text">
        {word !== '' && <span className="unseen">{word}</span>}
        <span className="dl-shift">
          {cell.cut && cell.cut.before > 0 && <Cut count={cell.cut.before} where="before" onMore={() => acts.widen(cell.line, 'before')} />}
          {cell.pieces.map(([text, names], at) => (names === '' ? text : <span key={at} className={names}>{text}</span>))}
          {cell.cut && cell.cut.behind > 0 && <Cut count={cell.cut.behind} where="behind" onMore={() => acts.widen(cell.line, 'behind')} />}
          {!cell.ends && <span className="dl-end"> no line end</span>}
        </span>
      </span>
    </>
  );
}

function Cut({ count, where, onMore }: { count: number; where: 'before' | 'behind'; onMore(): void }) {
  return (
    <button type="button" className="dl-cut" tabIndex={-1} data-hint="Show more of this line" onClick={onMore}>
      {formatCount(count)} characters {where === 'before' ? 'before' : 'more'}
    </button>
  );
}
