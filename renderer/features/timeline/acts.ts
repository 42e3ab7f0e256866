import type { KeyboardEvent } from 'react';
import { kindCodes } from '@shared/contract';
import type { PartId, PartView } from '@shared/model';
import { isAbandoned, reasonOf } from '../../rpc';
import { copyText } from '../../ui/copy';
import { countOf } from '../../ui/format';
import { say } from '../../ui/toast';
import { showFiles } from '../diff/acts';
import { findLandmark, type Landmark } from './outline';
import { partAt } from './loading';
import { jumpTo, keepInView, layInPlace } from './session';
import { keepShown, useInjected } from './injected';
import { toggleRun, useSession } from './state';
import { wholeText } from './texts';

/** What keys, menu and palette do in a session. */

/** Opens or folds a part as a person asks for it: what was opened comes into view. */
export function foldInView(part: PartId, open: boolean): void {
  foldPart(part, open);
  if (open) keepInView(part);
}

export function foldPart(part: PartId, open: boolean): void {
  const folds = new Map(useSession.getState().folds);
  folds.set(part, open);
  useSession.setState({ folds });
}

function withCurrent(act: (part: PartView) => void): void {
  const { current } = useSession.getState();
  const part = current === null ? undefined : partAt(current);
  if (part) act(part);
  else say('No part is chosen: j and k walk through them.');
}

export function toggleCurrent(): void {
  const { current, rows } = useSession.getState();
  const run = current === null ? null : rows.hiddenIn(current);
  if (run !== null) {
    toggleRun(run);
    return;
  }
  withCurrent((part) => foldInView(part.id, !(useSession.getState().folds.get(part.id) ?? false)));
}

/** Enter on a part itself; what lies in it has an Enter of its own. */
export function openOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  toggleCurrent();
}

/** First the small diff in its place, then the same among all files. */
export function showDiff(): void {
  withCurrent((part) => {
    const { id, folds } = useSession.getState();
    const edited = part.tool !== null && part.tool.edits.length > 0;
    if (edited && !folds.get(part.id)) foldInView(part.id, true);
    else if (id !== null && (edited || part.kind === 'patch')) showFiles(id, { kind: 'part', part: part.id });
    else say('This part changed no file.');
  });
}

export function toggleRawOf(part: PartId): void {
  const raw = new Set(useSession.getState().raw);
  const shown = !raw.delete(part);
  if (shown) raw.add(part);
  useSession.setState({ raw });
  if (shown) keepInView(part);
}

export function toggleRaw(): void {
  withCurrent((part) => toggleRawOf(part.id));
}

export function selectPart(index: number): void {
  if (useSession.getState().current !== index) useSession.setState({ current: index });
}

/** Next or previous part. */
export function step(direction: 1 | -1): void {
  const { current, rows, outline } = useSession.getState();
  if (rows.count === 0) return;
  const from = current === null ? (direction > 0 ? -1 : rows.count) : rows.rowOf(current);
  let row = Math.max(0, Math.min(rows.count - 1, from + direction));
  // The header of an open run is no part, and the border of a step nothing to stop at.
  while (row > 0 && row < rows.count - 1 && (rows.isOpen(row) || outline?.kinds[rows.start(row)] === kindCodes.step)) row += direction;
  useSession.setState({ takesFocus: true });
  void jumpTo(rows.start(row), 'auto');
}

const nouns: Record<Landmark, string> = { turn: 'turn', compaction: 'compaction', error: 'error' };

/** Next or previous turn, compaction or error. */
export function goTo(what: Landmark, direction: 1 | -1): void {
  const { current, outline } = useSession.getState();
  if (!outline) return;
  const found = findLandmark(outline, current ?? (direction > 0 ? -1 : outline.total), direction, what);
  // Behind the last error it begins again: `e` has no way back.
  const goal = found ?? (what === 'error' && direction > 0 ? findLandmark(outline, -1, 1, 'error') : null);
  if (goal !== null) {
    useSession.setState({ takesFocus: true });
    void jumpTo(goal, 'start');
  } else say(`There is no ${direction > 0 ? 'later' : 'earlier'} ${nouns[what]}.`);
}

/** What a person means by the text of a part: a step's input and output, else its words. */
async function textOf(part: PartView): Promise<string> {
  if (!part.tool) return (part.text?.gap ? await wholeText(part.id, 'text') : part.text?.text) ?? part.title ?? '';
  const { input, output } = part.tool;
  const whole = await Promise.all([input?.gap ? wholeText(part.id, 'input') : input?.text, output?.gap ? wholeText(part.id, 'output') : output?.text]);
  return whole.filter(Boolean).join('\n\n');
}

/** Opens or folds all that agents put in for themselves, here and in every session. */
export function toggleInjected(): void {
  keepShown(!useInjected.getState().shown);
  layInPlace({ runs: new Set() });
}

export function copyCurrent(): void {
  withCurrent((part) => {
    textOf(part)
      .then(async (text) => {
        if (text === '') say('This part has no text.');
        else say((await copyText(text)) ? `Copied ${countOf(text.split('\n').length, 'line')}.` : 'The system refused the clipboard.');
      })
      .catch((error: unknown) => {
        if (!isAbandoned(error)) say(`The text could not be read: ${reasonOf(error)}`);
      });
  });
}
