import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { languageOfPath } from '../timeline/text/highlight';
import type { RowActs } from './DiffRow';
import { LineRows, type LineRowsHandle, rowHeight } from './LineRows';
import type { LaidOut } from './lines/drawing';
import { DrawnPatch } from './lines/drawn-patch';
import { sizeOfDiff } from './size';

/** px that an arrow key moves sideways. */
const sideways = 80;
const look = { split: false, blanks: 'shown' } as const;

/** The lines of a patch as a call's record has it, where one reads: in one column, as high as they are. */
export function SmallLines({ path, patch }: { path: string; patch: string }) {
  const [anyway, setAnyway] = useState(false);
  const { why, drawable } = useMemo(() => sizeOfDiff({ patch, large: null }), [patch]);
  if (patch.trim() === '') return <p className="diff-note soft">No line changed.</p>;
  if (why !== null && !anyway) {
    return (
      <p className="diff-note">
        This change is not drawn at once: {why}.{' '}
        {drawable ? (
          <button type="button" className="text-button" onClick={() => setAnyway(true)}>
            Show it anyway
          </button>
        ) : (
          'It is too large to draw; its record can be read with r.'
        )}
      </p>
    );
  }
  return <Lines path={path} patch={patch} />;
}

function Lines({ path, patch }: { path: string; patch: string }) {
  const { drawn, laid, setLaid, problem } = useSmallPatch(path, patch);
  const rows = useRef<LineRowsHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const acts = useMemo<RowActs>(() => ({ unfold: (from) => void drawn?.unfold(from).then(setLaid), widen: (line, side) => void drawn?.widen(line, side).then(setLaid), openGap: null, askWriter: null }), [drawn, setLaid]);
  /** Up and down the browser moves; the lines have their own way sideways. */
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowRight') rows.current?.shift(sideways);
    if (event.key === 'ArrowLeft') rows.current?.shift(-sideways);
  };
  if (problem !== null) return <p className="diff-note" data-tone="danger">The lines could not be drawn: {problem}</p>;
  if (laid?.rows === 0) return <Unread patch={patch} />;
  // Until it is laid out the lines of the patch tell how much room it takes, so that little moves.
  const height = (laid?.rows ?? linesIn(patch)) * rowHeight;
  return <LineRows ref={rows} scroller={scroller} patch={drawn} laid={laid} split={false} current={null} label="Changed lines" acts={acts} onKey={onKey} height={height} />;
}

/** Lines of a patch as far as they can fill a screen. */
function linesIn(patch: string): number {
  let lines = 0;
  for (let at = patch.indexOf('\n'); at >= 0 && lines < 100; at = patch.indexOf('\n', at + 1)) lines++;
  return lines;
}

function useSmallPatch(path: string, patch: string) {
  const [drawn, setDrawn] = useState<DrawnPatch | null>(null);
  const [laid, setLaid] = useState<LaidOut | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [, setVersion] = useState(0);
  useEffect(() => {
    let isOpen = true;
    const made = new DrawnPatch('shared', languageOfPath(path), null, () => isOpen && setVersion((before) => before + 1));
    made.push(patch, true);
    made.lay(look)
      .then((found) => {
        if (!isOpen) return;
        made.want(0, 0);
        setDrawn(made);
        setLaid(found);
      })
      .catch((error: unknown) => isOpen && setProblem(reasonOf(error)));
    return () => {
      isOpen = false;
      made.close();
    };
  }, [path, patch]);
  return { drawn, laid, setLaid, problem };
}

/** What has no lines in a form that is known is shown as it is. */
function Unread({ patch }: { patch: string }) {
  return (
    <>
      <p className="diff-note" data-tone="attention">
        This patch is not in a form Retrace can draw; it is shown as it was recorded.
      </p>
      <pre className="plain" tabIndex={0}>
        {visibleControls(patch)}
      </pre>
    </>
  );
}
