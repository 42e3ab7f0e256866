import type { CommandContext } from '../command-context';
import { offerPlan, planOf } from '../plan-run';
import type { UndoRequest } from '../request';
import type { ExitCode } from '../surroundings';

/** `retrace undo`: shows what takes a write back, and with `--yes` does it. One that was interrupted goes back, or on to its end. */
export async function undo(context: CommandContext, { entry: id, yes, finish }: UndoRequest): Promise<ExitCode> {
  const entry = await context.engine.call('journal.entry', { id });
  const isOpen = entry?.state === 'interrupted' || entry?.state === 'unsettled';
  const answer = entry === null ? null
    : isOpen || finish ? await context.engine.call('plan.settle', { entry: entry.id, go: finish ? 'on' : 'back' })
    : await context.engine.call('plan.undo', { entry: entry.id });
  return offerPlan(context, planOf(answer, `The journal has no entry ${id}, or more than one that begins so.`), yes);
}
