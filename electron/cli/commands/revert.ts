import { isAbsolute, join } from 'node:path';
import { partId, type PlanConflict, type RevertTake, type SessionId } from '@shared/model';
import { type CommandContext, Refusal } from '../command-context';
import { offerPlan, planOf } from '../plan-run';
import type { RevertRequest } from '../request';
import { sessionNamed } from '../sessions';
import type { ExitCode } from '../surroundings';

type Takes = { path: string; take: RevertTake }[];

/** `retrace revert`: shows the plan of going back to before a message; with `--yes` it is done. */
export async function revert(context: CommandContext, request: RevertRequest): Promise<ExitCode> {
  const { engine } = context;
  const session = await sessionNamed(engine, request.session);
  const draw = async (takes: Takes) => {
    const { at, scope, way } = request;
    const before = at.startsWith(`${session}#`) ? at : partId(session, at);
    return planOf(await engine.call('plan.revert', { session, before, scope, ...(way !== null && { way }), takes }), 'There is no such session.');
  };
  const takes = await takesOf(context, session, request.takes);
  const first = await draw(takes);
  refuseUnknown(takes, request.takes, first.conflicts);
  const { takeAll } = request;
  const open = takeAll === null ? [] : first.conflicts.filter(({ take, mergeable }) => take === 'undecided' && (takeAll !== 'merge' || mergeable));
  if (takeAll === null || open.length === 0) return offerPlan(context, first, request.yes);
  await engine.call('plan.discard', { plan: first.id });
  return offerPlan(context, await draw([...takes, ...open.map(({ path }) => ({ path, take: takeAll }))]), request.yes);
}

/** Whole paths, as the records have them or as they lie here; one that is not whole is taken from the session's folder. */
async function takesOf({ engine }: CommandContext, session: SessionId, takes: Takes): Promise<Takes> {
  if (takes.every(({ path }) => isAbsolute(path))) return takes;
  const detail = await engine.call('session.get', { session });
  const folder = detail?.summary.directory ?? null;
  if (folder === null) throw new Refusal('No folder is recorded for this session: name files with their whole paths.');
  return takes.map(({ path, take }) => ({ path: isAbsolute(path) ? path : join(folder, path), take }));
}

/** A choice for a file that is no conflict would do nothing; only keeping one as it is always means something. */
function refuseUnknown(takes: Takes, named: Takes, conflicts: readonly PlanConflict[]): void {
  const odd = takes.findIndex((each) => each.take !== 'mine' && conflicts.every(({ path, file }) => path !== each.path && file !== each.path));
  if (odd >= 0) throw new Refusal(`${named[odd]?.path} is no conflict of this plan${conflicts.length === 0 ? ': it has none' : `: those are ${conflicts.slice(0, 10).map(({ path, file }) => file ?? path).join(', ')}`}.`);
}
