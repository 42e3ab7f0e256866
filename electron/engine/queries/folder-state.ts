import { lstat, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import type { FolderState } from '@shared/contract';
import type { Db } from '../library/database';
import { isWithin, mapped } from '../library/surroundings';
import { isNetworkSpelling, isWindowsSpelling, liesIn } from '../stores/foreign/spelling';
import type { Environment, SessionFacts } from '../stores/store';
import { findSession } from './session-summary';

/** What of this machine may be looked at. */
export type Reach = Pick<Environment, 'home' | 'platform' | 'added' | 'confined' | 'maps'>;

type Look = Pick<FolderState, 'state' | 'reason'>;

/** Whether the folder of a session is there. It touches the disk: only for a session that a person has opened. */
export async function folderState(db: Db, id: string, reach: Reach): Promise<FolderState | null> {
  const row = findSession(db, id);
  if (!row) return null;
  const likely = likelyPlace(db, row.id);
  if (row.directory === null || row.directory === '') return { folder: null, state: 'not looked at', reason: 'No folder is recorded.', likely };
  const folder = mapped(row.directory, reach);
  return { folder, ...(await look(folder, reach)), likely };
}

/** The store files the session under a project that lies elsewhere, and not because of a worktree: it was moved there. */
function likelyPlace(db: Db, session: number): FolderState['likely'] {
  const { facts } = db.prepare('SELECT facts FROM session WHERE id = ?').get(session) as { facts: string | null };
  const { directory, projectFolder, worktree } = facts === null ? { directory: null, projectFolder: null, worktree: null } : (JSON.parse(facts) as SessionFacts);
  if (directory === null || projectFolder == null || projectFolder === '' || worktree !== null || liesIn(directory, projectFolder)) return null;
  return { folder: projectFolder, because: 'same project id' };
}

/** Whether a folder is there, if it may be looked at. */
export async function look(folder: string, reach: Reach): Promise<Look> {
  const path = reach.platform === 'win32' ? win32 : posix;
  // Asking for a share would log in to whatever machine a transcript names.
  if (isNetworkSpelling(folder)) return notLookedAt('It is a folder of another machine.');
  if (!path.isAbsolute(folder) || isWindowsSpelling(folder) !== (reach.platform === 'win32')) return notLookedAt('It is no path of this system.');
  const place = path.resolve(folder);
  try {
    if (reach.confined) {
      const root = [reach.home, ...reach.added].find((allowed) => isWithin(place, [allowed]));
      if (root === undefined) return notLookedAt(`It lies outside ${reach.home}.`);
      if (await isLinkedBelow(root, place, path.sep)) return notLookedAt('It is reached through a link, which may lead outside the home.');
    }
    return (await stat(place)).isDirectory() ? { state: 'present', reason: null } : { state: 'missing', reason: 'Something else than a folder stands there.' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { state: 'missing', reason: null } : notLookedAt(`The system refused (${code}).`);
  }
}

const notLookedAt = (reason: string): Look => ({ state: 'not looked at', reason });

/** True when a step below a root is a link: it is not followed to see where it leads. */
async function isLinkedBelow(root: string, place: string, sep: string): Promise<boolean> {
  let at = root;
  for (const step of place.slice(root.length).split(sep).filter(Boolean)) {
    at = at.endsWith(sep) ? at + step : at + sep + step;
    if ((await lstat(at)).isSymbolicLink()) return true;
  }
  return false;
}
