import type { NativeId } from '@shared/model';
import type { Command, SessionFacts } from '../store';

/**
 * How a person goes on with a session. The program looks an id up by the folder it is started in. A session that ended
 * in its worktree is resumed by the worktree's name, as the program's own hint says.
 */
export function resumeCommand(native: NativeId, facts: SessionFacts): Command | null {
  if (facts.kind === 'subagent') return null;
  const { worktree } = facts;
  const inWorktree = worktree !== null && worktree.name !== null && worktree.branch !== null && worktree.branch === facts.gitBranch;
  return { argv: inWorktree ? ['claude', '--worktree', worktree.name ?? '', '--resume', native] : ['claude', '--resume', native], cwd: facts.directory };
}
