import type { DiffScope, PartId, PartView, SessionId } from '@shared/model';
import { show, useRoute } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import { partAt } from '../timeline/loading';
import { readingAt } from '../timeline/session';
import { useSession } from '../timeline/state';
import { filesOf } from './listing';
import { diffOnScreen, lookAtFiles, useFilesLook } from './state';

/** What keys, menu and palette do with files. */

export const inFiles = (): boolean => useRoute.getState().view.kind === 'files';

/** Opens the files of a scope; without a file the first one is shown. */
export function showFiles(session: SessionId, scope: DiffScope, file: string | null = null): void {
  const { view } = useRoute.getState();
  show({ kind: 'files', session, scope, file }, { replace: view.kind === 'files' });
}

export function showSessionFiles(): void {
  const { view } = useRoute.getState();
  if (view.kind === 'session' || view.kind === 'map') showFiles(view.session, { kind: 'session' });
}

/** Back to the place in the timeline one came from. */
export function leaveFiles(): void {
  const { view } = useRoute.getState();
  if (view.kind === 'files') show({ kind: 'session', session: view.session, part: null });
}

/** The turn a part stands in, as a scope; says so where there is none. */
export async function turnOf(session: SessionId, part: PartId): Promise<DiffScope | null> {
  try {
    const found = await call('diff.turn', { session, part });
    return found && found.turn > 0 ? { kind: 'turn', turn: found.turn } : null;
  } catch (error) {
    if (!isAbandoned(error)) say(`The turn could not be found: ${reasonOf(error)}`);
    return null;
  }
}

export async function showTurnOf(session: SessionId, part: PartId): Promise<void> {
  const scope = await turnOf(session, part);
  if (scope) showFiles(session, scope);
  else say('This part stands before the first prompt: it is in no turn.');
}

/** The part that keys act on, else the one that is read. */
export function partAtHand(): PartView | undefined {
  return partAt(useSession.getState().current ?? readingAt());
}

export function showTurnAtHand(): void {
  const { id } = useSession.getState();
  const part = partAtHand();
  if (id !== null && part) void showTurnOf(id, part.id);
}

/** The next or previous file of the list. */
export function stepFile(direction: 1 | -1): void {
  const { view } = useRoute.getState();
  if (view.kind !== 'files') return;
  const files = filesOf(view.session, view.scope);
  const at = view.file === null ? 0 : files.findIndex(({ path }) => path === view.file);
  const next = files[at + direction];
  if (next) showFiles(view.session, view.scope, next.path);
  else say(`There is no ${direction > 0 ? 'later' : 'earlier'} file.`);
}

export function stepChange(direction: 1 | -1): void {
  diffOnScreen()?.goToChange(direction);
}

export function askWriter(): void {
  diffOnScreen()?.askWriter();
}

/** Unchanged lines at the fold nearest to the chosen line: some, or all. */
export function showUnchanged(all: boolean): void {
  diffOnScreen()?.showMore(all);
}

export const toggleSplit = (): void => lookAtFiles({ split: !useFilesLook.getState().split });
export const toggleBlanks = (): void => lookAtFiles({ blanks: useFilesLook.getState().blanks === 'shown' ? 'hidden' : 'shown' });
export const toggleFileList = (): void => lookAtFiles({ listOpen: !useFilesLook.getState().listOpen });
