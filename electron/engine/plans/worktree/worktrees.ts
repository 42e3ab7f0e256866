import { SessionSource } from '../../diff/session-source';
import type { Db } from '../../library/database';
import type { Reach } from '../../queries/folder-state';
import type { Timeline } from '../../queries/timeline';
import type { Worktrees } from '../files/interface';
import { draftWorktree } from './draft-worktree';
import { performGit } from './git-program';

/** Git worktrees for forks, drawn from what the library and the project's repository hold. */
export function gitWorktrees(db: Db, timeline: Timeline, reach: () => Reach): Worktrees {
  return {
    async draw(session, point, { path, branch }) {
      const source = SessionSource.open(db, timeline, reach(), session);
      if (!source) return { refused: 'There is no such session.' };
      return draftWorktree(source, point, { ...(path !== undefined && { path }), ...(branch !== undefined && { branch }) });
    },
    perform: (call, _given, _progress, signal) => performGit(call, signal),
  };
}
