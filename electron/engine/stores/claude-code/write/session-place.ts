import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionToWrite } from '../../store';
import { encodedFolder } from '../encode';
import { isSubagent, placeOf } from '../places';

/** Where a session's files lie in its store, or would lie. */
export interface SessionPlace {
  /** Its id as it stands in its files' names. */
  id: string;
  /** Absolute path of its project's folder, and the key of that folder. */
  project: string;
  projectKey: string;
  /** Its transcript; it is there only while `isLive`. */
  transcript: string;
  /** Beside the transcript: subagents, saved outputs, title. */
  folder: string;
  /** Its checkpoints' backups. */
  backups: string;
}

/** Ids that may stand in a path: the program's own are uuids. */
const plainId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;

/** The place of a session; null for a subagent, for an id that is no file's name, and where neither file nor folder tells the project. */
export function sessionPlace(session: SessionToWrite): SessionPlace | null {
  const id = session.native as string;
  if (isSubagent(id) || !plainId.test(id)) return null;
  const key = session.spine.records.findLast(({ source }) => placeOf(source)?.kind === 'transcript' && placeOf(source)?.session === id)?.source;
  const folder = key?.split('/')[1] ?? (session.facts.directory === null ? undefined : encodedFolder(session.facts.directory));
  // A name that is not UTF-8 is told with `%`, and cannot be turned back into a path here.
  if (folder === undefined || folder.includes('%')) return null;
  const project = join(session.location.folder, 'projects', folder);
  return { id, project, projectKey: `projects/${folder}`, transcript: join(project, `${id}.jsonl`), folder: join(project, id), backups: join(session.location.folder, 'file-history', id) };
}

/** Where a fork lies: in the project folder of the folder it is resumed in. The program looks an id up there and nowhere else. */
export function forkProject(session: SessionToWrite, place: SessionPlace, directory: string | undefined): { project: string; directory: string | null } {
  const root = join(session.location.folder, 'projects');
  if (directory !== undefined) return { project: join(root, encodedFolder(directory)), directory };
  const { worktree } = session.facts;
  // A session of a worktree lies with the checkout it was started in; which line takes it back there is not copied, so its fork lies where it works.
  if (worktree !== null && worktree.originalDirectory !== null && session.facts.directory === worktree.originalDirectory) {
    return existsSync(worktree.path) ? { project: join(root, encodedFolder(worktree.path)), directory: worktree.path } : { project: place.project, directory: worktree.originalDirectory };
  }
  return { project: place.project, directory: null };
}
