import { createHash } from 'node:crypto';
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { shellWord } from '@shared/shell-word';
import { GitTrouble } from '../../diff/git/cat-file';
import type { SessionSource } from '../../diff/session-source';
import { isWithin, mapped } from '../../library/surroundings';
import { look } from '../../queries/folder-state';
import type { DraftStep, FileStep, WriteRefusal } from '../../stores/store';
import { type FileAtPoint, filesAtPoint } from './files-at-point';
import type { WorktreeDraft, WorktreePoint } from '../files/interface';
import type { WorktreeAdd, WorktreeRemove } from './git-program';
import { baseCommit, git, RepositoryTrouble } from './repository';

/** Names tried for a folder that is not chosen, paths of unknown files that are named, and files that are written. */
const limits = { names: 100, unknown: 10, files: 5_000 };

export interface WorktreeChoice {
  /** Absolute; left out: beside the repository. */
  path?: string;
  /** A new branch for it; left out: none, the worktree is detached. */
  branch?: string;
}

/** A new git worktree with the files as they were at a point of a session. The repository's own working tree is not touched. */
export async function draftWorktree(source: SessionSource, point: WorktreePoint, choice: WorktreeChoice): Promise<WorktreeDraft | WriteRefusal> {
  if (source.folder === null) return { refused: 'No folder is recorded for this session.' };
  const folder = mapped(source.folder, source.reach);
  const { state, reason } = await look(folder, source.reach);
  if (state !== 'present') return { refused: `${folder} ${state === 'missing' ? 'is not there.' : `was not looked at. ${reason ?? 'It lies elsewhere.'}`}` };
  try {
    const base = await baseCommit(folder, point.time);
    const path = placeFor(base.top, choice.path, source);
    if (typeof path !== 'string') return path;
    const branch = choice.branch ?? null;
    const taken = branch === null ? null : await refusedBranch(folder, branch);
    if (taken) return taken;
    const found = await filesAtPoint(source, point, base, folder);
    if (found.files.length > limits.files) return { refused: `${found.files.length} files differ from the commit; a worktree is filled with up to ${limits.files}.` };
    const why = point.seq === null ? 'As the session left it.' : 'As it was before the message.';
    const steps = found.files.map((file) => stepOf(path, file, why));
    const files = found.files.map(({ path: name, bytes }) => ({ path: name, sha256: bytes === null ? null : sha256(bytes) }));
    return {
      steps: [addStep({ act: 'worktree add', repository: base.top, path, commit: base.hash, branch }, { act: 'worktree remove', repository: base.top, path, commit: base.hash, branch, files }), ...steps],
      directory: join(path, relative(base.top, folder)), limits: [`The worktree begins with commit ${base.hash.slice(0, 10)} (${base.subject}).`, found.from, ...unknownFiles(found.unknown)],
    };
  } catch (error) {
    if (error instanceof RepositoryTrouble || error instanceof GitTrouble) return { refused: `There can be no worktree: ${error.message}.` };
    throw error;
  } finally {
    source.close();
  }
}

function placeFor(top: string, chosen: string | undefined, { agent, storeFolder }: Pick<SessionSource, 'agent' | 'storeFolder'>): string | WriteRefusal {
  if (chosen === undefined) {
    for (let number = 1; number <= limits.names; number++) {
      const path = join(dirname(top), `${basename(top)}-fork${number === 1 ? '' : `-${number}`}`);
      if (!isThere(path)) return path;
    }
    return { refused: `${limits.names} forks lie beside ${top} already. Choose a folder.` };
  }
  if (!isAbsolute(chosen)) return { refused: 'Name the new folder with its whole path.' };
  // By its real place: so the agent that is started there finds its session, and so git tells it.
  const parent = dirname(resolve(chosen));
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) return { refused: `${parent} is not there.` };
  const path = join(realpathSync(parent), basename(resolve(chosen)));
  if (isThere(path)) return { refused: `${path} is there already. Choose a folder that is not.` };
  if (relative(top, path).split(/[/\\]/)[0] === '.git') return { refused: 'A worktree does not belong into .git.' };
  // Aider keeps its histories in the projects themselves.
  if (agent !== 'aider' && existsSync(storeFolder) && isWithin(path, [realpathSync(storeFolder)])) return { refused: 'A worktree does not belong into the folder where the agent keeps its sessions.' };
  return path;
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

async function refusedBranch(folder: string, branch: string): Promise<WriteRefusal | null> {
  const named = await git(folder, ['check-ref-format', '--branch', branch]).catch(() => null);
  if (named === null || branch.startsWith('-')) return { refused: `${branch} is no name for a branch.` };
  const known = await git(folder, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]).catch(() => null);
  return known === null ? null : { refused: `There is a branch ${branch} already.` };
}

function addStep(add: WorktreeAdd, remove: WorktreeRemove): DraftStep {
  const at = add.branch === null ? '--detach' : `-b ${shellWord(add.branch)}`;
  const [repository, path] = [shellWord(add.repository), shellWord(add.path)];
  return {
    kind: 'program', program: 'git', call: add, shown: `git -C ${repository} worktree add ${at} ${path} ${add.commit.slice(0, 10)}`,
    does: `Makes ${add.path}${add.branch === null ? '' : ` on the new branch ${add.branch}`}. The files you work on stay as they are.`, remains: [],
    inverse: { call: remove, shown: `git -C ${repository} worktree remove ${path}`, does: 'Removes the worktree, as long as nobody worked in it.' },
  };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function stepOf(root: string, { path, bytes, executable }: FileAtPoint, why: string): FileStep {
  const after = bytes === null ? null : { content: { size: bytes.length, pieces: () => [bytes] } };
  return { kind: 'file', path: join(root, ...path.split('/')), within: root, before: { state: 'made' }, after, mode: executable ? 0o755 : 0o644, why };
}

function unknownFiles(unknown: readonly string[]): string[] {
  const named = unknown.slice(0, limits.unknown).map((path) => `${path} is as committed: what it held then is not known.`);
  return unknown.length > limits.unknown ? [...named, `So are ${unknown.length - limits.unknown} more files.`] : named;
}
