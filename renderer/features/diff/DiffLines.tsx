import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { DiffScope, FileDiff, LineWriter, PartId, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { formatCount } from '../../ui/format';
import { say } from '../../ui/toast';
import { languageOfPath } from '../timeline/text/highlight';
import type { RowActs } from './DiffRow';
import { stepLines } from './gap-lines';
import { nearestFold, useGapOpening } from './gap-opening';
import { LineRows, type LineRowsHandle, rowHeight } from './LineRows';
import { DrawnPatch } from './lines/drawn-patch';
import type { LaidOut } from './lines/drawing';
import type { DiffLook } from './lines/rows';
import { patchOf } from './patch-file';
import { nameOf, visibleName } from './scope';
import { attachDiff, useFilesLook } from './state';
import { writerWords } from './words';

/** px that an arrow key moves sideways. */
const sideways = 80;

interface DiffLinesProps {
  session: SessionId;
  scope: DiffScope;
  diff: FileDiff;
}

/** The lines of one file's difference: read and laid out by a worker, drawn where one looks. */
export function DiffLines({ session, scope, diff }: DiffLinesProps) {
  const look = useFilesLook();
  const { patch, laid, setLaid, problem, isWhole } = useDrawnPatch(session, scope, diff);
  const [current, setCurrent] = useState<number | null>(null);
  const [told, setTold] = useState<{ writer: LineWriter; words: string } | null>(null);
  const rows = useRef<LineRowsHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const goToRow = (row: number, align: 'auto' | 'center') => {
    setCurrent(row);
    rows.current?.goTo(row, align);
  };
  const openGap = useGapOpening({ session, scope, path: diff.file.path, patch, laid, setLaid, current, setCurrent, scroller, rowHeight });
  const acts = useActs(session, scope, diff, patch, openGap, setLaid, setCurrent, setTold);
  const askAt = (row: number) => {
    const drawn = patch?.row(row);
    const cell = drawn?.kind === 'line' ? (drawn.cells.find((each) => each?.mark === '+') ?? drawn.cells.find((each) => each?.mark === '-')) : null;
    if (drawn?.kind === 'fold') acts.unfold(drawn.from);
    else if (drawn?.kind === 'hunk' && drawn.open) showMore(row, false);
    else if (!cell) say('This line was not changed: n goes to the next change.');
    else acts.askWriter?.(row, cell.mark === '-' ? 'old' : 'new', (cell.mark === '-' ? cell.old : cell.new) ?? 1);
  };
  const showMore = (row: number, all: boolean) => {
    const fold = nearestFold(patch, row, laid?.rows ?? 0);
    if (!fold) say('No unchanged lines can be shown here.');
    else if (fold.drawn.kind === 'fold') acts.unfold(fold.drawn.from);
    // Those next to the chosen line come first.
    else openGap(fold.row, fold.drawn.open, fold.row < row ? 'below' : 'above', all ? fold.drawn.open.left : stepLines);
  };
  // Asked for the end while lines still come, one is taken to the true one, unless one goes elsewhere.
  const wantsEnd = useRef(false);
  const goToEnd = () => laid && goToRow(laid.rows - 1, 'auto');
  useEffect(() => {
    if (!wantsEnd.current) return;
    wantsEnd.current = !isWhole;
    goToEnd();
  });
  const goToChange = (direction: 1 | -1) => {
    if (!laid) return;
    const { stops } = laid;
    const from = current ?? (direction > 0 ? -1 : Infinity);
    const goal = direction > 0 ? stops.find((stop) => stop > from) : stops.findLast((stop) => stop < from);
    if (goal === undefined) say(`There is no ${direction > 0 ? 'later' : 'earlier'} change in this file.`);
    else goToRow(goal, 'center');
  };
  useHandle({ goToChange, showMore: (all) => showMore(current ?? rows.current?.first() ?? 0, all), askWriter: () => (current === null ? say('No line is chosen: n goes to the next change.') : askAt(current)) });

  const onKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey || !laid) return;
    const first = rows.current?.first() ?? 0;
    const at = current ?? first;
    const steps: Record<string, () => void> = {
      ArrowDown: () => goToRow(Math.min(laid.rows - 1, current === null ? first : at + 1), 'auto'),
      ArrowUp: () => goToRow(Math.max(0, at - 1), 'auto'),
      ArrowRight: () => rows.current?.shift(sideways),
      ArrowLeft: () => rows.current?.shift(-sideways),
      Home: () => goToRow(0, 'auto'),
      End: goToEnd,
      Enter: () => askAt(at),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    wantsEnd.current = event.key === 'End' && !isWhole;
    step();
  };

  if (problem !== null) return <p className="diff-note" data-tone="danger">The lines could not be drawn: {problem}</p>;
  const change = current === null || !laid ? 0 : laid.stops.filter((stop) => stop <= current).length;
  return (
    <>
      <LineRows ref={rows} scroller={scroller} patch={patch} laid={laid} split={look.split} current={current} label={`Changed lines of ${visibleName(nameOf(diff.file))}`} acts={acts} onKey={onKey} onLeave={() => (wantsEnd.current = false)} />
      <div className="dl-foot number">
        <span className="soft">
          {laid === null ? 'Reading…' : `${change > 0 ? `change ${formatCount(change)} of ${formatCount(laid.stops.length)}` : `${formatCount(laid.stops.length)} ${laid.stops.length === 1 ? 'change' : 'changes'}`}${isWhole ? '' : ' so far'}`}
        </span>
        <span role="status" className="dl-told">
          {told?.words}{' '}
          {told && 'place' in told.writer && <PlaceLink session={session} part={told.writer.place.part} />}
        </span>
      </div>
    </>
  );
}

/** To the step of the timeline that made a change. */
function PlaceLink({ session, part }: { session: SessionId; part: PartId }) {
  return (
    <button type="button" className="text-button" onClick={() => show({ kind: 'session', session, part })}>
      Go to the step
    </button>
  );
}

/** Holds the patch in a worker of its own, for as long as the file is shown. */
function useDrawnPatch(session: SessionId, scope: DiffScope, diff: FileDiff) {
  const look = useFilesLook();
  const [patch, setPatch] = useState<DrawnPatch | null>(null);
  const [laid, setLaid] = useState<LaidOut | null>(null);
  const [, setVersion] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const wanted = useRef(look);
  wanted.current = look;
  const laidAs = useRef<DiffLook>(look);

  useEffect(() => {
    const abort = new AbortController();
    const made = new DrawnPatch('own', languageOfPath(diff.file.path), diff.wholeLines, () => setVersion((before) => before + 1));
    const failed = (error: unknown) => {
      if (!abort.signal.aborted && !isAbandoned(error)) setProblem(reasonOf(error));
    };
    const read = async () => {
      // The first piece is drawn as soon as it is there, the others are added to it.
      let isFirst = true;
      for await (const { text, isLast } of patchOf(session, scope, diff, abort.signal)) {
        if (abort.signal.aborted) return;
        made.push(text, isLast);
        if (isFirst || isLast) {
          laidAs.current = wanted.current;
          const drawn = await made.lay(wanted.current, !isFirst);
          // The rows at the top are under way while the page makes room for them.
          if (isFirst) made.want(0, 0);
          setLaid(drawn);
        }
        isFirst = false;
      }
      setWhole(true);
    };
    setPatch(made);
    read().catch(failed);
    return () => {
      abort.abort();
      made.close();
    };
  }, [session, scope, diff]);

  const isLaid = laid !== null;
  const { split, blanks } = look;
  useEffect(() => {
    if (!isLaid || !patch || (laidAs.current.split === split && laidAs.current.blanks === blanks)) return;
    laidAs.current = { split, blanks };
    patch.lay({ split, blanks }).then(setLaid).catch((error: unknown) => setProblem(reasonOf(error)));
  }, [patch, isLaid, split, blanks]);
  return { patch, laid, setLaid, problem, isWhole };
}

function useActs(session: SessionId, scope: DiffScope, diff: FileDiff, patch: DrawnPatch | null, openGap: RowActs['openGap'], setLaid: (laid: LaidOut) => void, setCurrent: (row: number) => void, setTold: (told: { writer: LineWriter; words: string } | null) => void): RowActs {
  return useMemo(
    () => ({
      unfold: (from) => void patch?.unfold(from).then(setLaid),
      openGap,
      widen: (line, side) => void patch?.widen(line, side).then(setLaid),
      askWriter(row, side, line) {
        setCurrent(row);
        setTold({ writer: { state: 'unknown' }, words: 'Looking…' });
        call('diff.writer', { session, scope, path: diff.file.path, side, line })
          .then((writer) => setTold(writer && { writer, words: writerWords(writer, side, line) }))
          .catch((error: unknown) => setTold(isAbandoned(error) ? null : { writer: { state: 'unknown' }, words: `It could not be found out: ${reasonOf(error)}` }));
      },
    }),
    [session, scope, diff, patch, openGap, setLaid, setCurrent, setTold],
  );
}

/** Lets keys reach the diff that is drawn. */
function useHandle(handle: Parameters<typeof attachDiff>[0] & object): void {
  const held = useRef(handle);
  held.current = handle;
  useEffect(() => {
    attachDiff({ goToChange: (direction) => held.current.goToChange(direction), showMore: (all) => held.current.showMore(all), askWriter: () => held.current.askWriter() });
    return () => attachDiff(null);
  }, []);
}
