import { partId } from '@shared/model';
import type { CommandContext } from '../command-context';
import { offerPlan, planOf } from '../plan-run';
import type { ForkRequest } from '../request';
import { sessionNamed } from '../sessions';
import type { ExitCode } from '../surroundings';

/** `retrace fork`: shows the plan of a fork; with `--yes` it is made. */
export async function fork(context: CommandContext, { session: name, at, branch, way, title, toolOutput, worktree, yes }: ForkRequest): Promise<ExitCode> {
  const session = await sessionNamed(context.engine, name);
  const answer = await context.engine.call('plan.fork', {
    session, ...(at !== null && { at: at.startsWith(`${session}#`) ? at : partId(session, at) }), ...(branch !== null && branch !== 'current' && { branch }), ...(way !== null && { way }), ...(title !== null && { title }), ...(toolOutput !== null && { toolOutput }),
    ...(worktree && { worktree: { ...(worktree.path !== null && { path: worktree.path }), ...(worktree.branch !== null && { branch: worktree.branch }) } }),
  });
  return offerPlan(context, planOf(answer, 'There is no such session.'), yes);
}
