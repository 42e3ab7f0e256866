import type { CommandContext } from '../command-context';
import { offerPlan, planOf } from '../plan-run';
import type { SessionActRequest } from '../request';
import { sessionNamed } from '../sessions';
import type { ExitCode } from '../surroundings';

/** `retrace session rename|archive|unarchive|trash|restore`: shows the plan; with `--yes` it is done. */
export async function sessionAct(context: CommandContext, { session: name, act, title, yes }: SessionActRequest): Promise<ExitCode> {
  const { engine } = context;
  const session = await sessionNamed(engine, name);
  const answer = act === 'restore' ? await engine.call('plan.restore', { session }) : await engine.call('plan.act', { session, act, ...(title !== null && { title }) });
  return offerPlan(context, planOf(answer, 'There is no such session.'), yes);
}
