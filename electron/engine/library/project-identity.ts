import { isWindowsSpelling, spellingOf } from '../stores/foreign/spelling';
import type { SessionFacts } from '../stores/store';

/** What a session is filed under; the rules are told in docs/projects.md. */
export interface ProjectIdentity {
  /** Equal for equal projects. Empty: no folder is recorded. */
  key: string;
  name: string;
  /** As recorded, without separators at its end. */
  folder: string | null;
}

const claudeWorktree = /^(.+?)[\\/]\.claude[\\/]worktrees[\\/][^\\/]/s;
const codexWorktree = /^(.*[\\/]\.codex[\\/]worktrees)[\\/][^\\/]+[\\/]([^\\/]+)/s;

/** Project of a recorded folder. `remote` is the address of its repository, as far as the session records one. */
export function projectOfFolder(folder: string, remote: string | null = null): ProjectIdentity {
  const [, repository] = claudeWorktree.exec(folder) ?? [];
  const root = untrailed(repository ?? folder);
  const [worktree, worktrees, name] = codexWorktree.exec(root) ?? [];
  // Such a worktree does not name its repository's folder. Worktrees with one remote belong together.
  if (worktree !== undefined && worktrees !== undefined && name !== undefined && remote !== null) {
    return { key: spellingOf(`${worktrees}/*/${name} ${plainRemote(remote)}`), name, folder: worktree };
  }
  return { key: spellingOf(root), name: lastStep(root), folder: root };
}

/** Project of a session: the folder its store groups by, else the one it ran in. Nothing is looked up on disk. */
export function projectOf({ directory, projectFolder, own }: Pick<SessionFacts, 'directory' | 'projectFolder' | 'own'>): ProjectIdentity {
  const folder = [projectFolder, directory].find((recorded) => recorded != null && recorded.trim() !== '');
  if (folder == null) return { key: '', name: 'no folder recorded', folder: null };
  const remote = own?.['remote'];
  return projectOfFolder(folder, typeof remote === 'string' && remote !== '' ? remote : null);
}

/** The root of a drive or of all keeps its separator: it is its name. */
function untrailed(folder: string): string {
  const short = folder.replace(/[\\/]+$/, '');
  return short === '' || /^[a-z]:$/i.test(short) || /^[\\/]{2}[?.][\\/][a-z]:$/i.test(short) ? folder : !isWindowsSpelling(folder) ? folder.replace(/\/+$/, '') : short;
}

function lastStep(folder: string): string {
  const steps = folder.split(isWindowsSpelling(folder) ? /[\\/]+/ : /\/+/);
  return steps.findLast((step) => step !== '') ?? folder;
}

/** `git@github.com:acme/web.git` and `https://github.com/acme/web` are one address. */
const plainRemote = (remote: string): string =>
  remote.trim().replace(/^[a-z+]+:\/\//i, '').replace(/^[^/@]*@/, '').replace(/^([^/:]+):(?!\d+\/)/, '$1/').replace(/\/+$/, '').replace(/\.git$/i, '').toLowerCase();
