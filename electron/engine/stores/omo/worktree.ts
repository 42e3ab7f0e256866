import type { BoulderWork } from './boulder';
import { isPlanPath } from './places';

/** What stands of a path behind a folder, with `/`; null where it does not lie in it. Both as recorded, so either kind of slash may stand there. */
export function pathIn(path: string, folder: string): string | null {
  const trimmed = folder.replace(/[\\/]+$/, '');
  if (!path.startsWith(trimmed) || !/^[\\/]/.test(path.slice(trimmed.length))) return null;
  const inner = path.slice(trimmed.length + 1).replaceAll('\\', '/');
  return inner.split('/').some((step) => step === '..' || step === '.' || step === '') ? null : inner;
}

/**
 * The copy of a plan that may lie in the worktree its work names: the same path there as in the project (FORMAT.md,
 * "Worktrees"). Null where there can be none: the work names no worktree, or its plan lies elsewhere.
 */
export function worktreePlan(work: Pick<BoulderWork, 'plan' | 'worktree'>, folder: string): { folder: string; path: string } | null {
  if (work.worktree === null || work.plan === null) return null;
  const path = pathIn(work.plan, folder);
  return path !== null && isPlanPath(path) ? { folder: work.worktree.replace(/(?<=.)[\\/]+$/, ''), path } : null;
}
