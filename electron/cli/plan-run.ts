import { type Engine, LinkClosed } from '@shared/link';
import type { ApplyOutcome, PlanRefusal, PlanView } from '@shared/model';
import { shellWord } from '@shared/shell-word';
import { type CommandContext, Refusal } from './command-context';
import { plainLine } from './plain-text';
import { planLines } from './plan-text';
import type { ExitCode } from './surroundings';

/** The plan that was asked for; a refusal says why there is none, and what is open instead. */
export function planOf(answer: PlanView | PlanRefusal | null, none: string): PlanView {
  if (answer === null) throw new Refusal(none);
  if (!('steps' in answer)) throw new Refusal([answer.refused, ...answer.instead.map(({ way, says }) => `Instead (${way}): ${says}`)].join(' '));
  return answer;
}

/** Prints a plan; with `yes` it is applied, and what came of it is printed. */
export async function offerPlan(context: CommandContext, plan: PlanView, yes: boolean): Promise<ExitCode> {
  const { engine, out, json, paint, warn, wait } = context;
  if (!json) for (const line of planLines(plan, paint)) await out.line(line);
  if (!yes || plan.refused !== null) {
    if (json) await out.json({ plan, applied: false });
    else if (plan.refused === null) await out.line(paint('dim', 'Nothing was written. Add --yes to apply it.'));
    if (plan.refused !== null) warn(plainLine(plan.refused));
    return plan.refused === null ? 0 : 1;
  }
  let isStopped = false;
  const outcome = await wait({
    work: () => applied(engine, plan.id),
    follow: (show) => engine.on('plan.progress', ({ plan: of, says, step, steps }) => of === plan.id && show(plainLine(`${says} (${step} of ${steps})`))),
    stop: () => {
      isStopped = true;
      void engine.call('plan.cancel', { plan: plan.id });
    },
  });
  if (outcome === null || !outcome.applied) {
    const refused = outcome?.refused ?? 'The plan is not known any more.';
    if (json) await out.json({ plan, applied: false, refused, entry: outcome?.entry ?? null });
    for (const line of [refused, ...(outcome?.entry?.because.slice(1) ?? [])]) warn(plainLine(line));
    return isStopped ? 130 : 1;
  }
  const { entry } = outcome;
  if (json) await out.json({ plan, applied: true, ...(entry.result !== null && { session: entry.result }), written: entry.written, undo: entry.id, entry });
  else {
    await out.line(`${paint('green', 'Done.')} ${entry.noUndo === null ? `retrace undo ${entry.id} takes it back.` : plainLine(entry.noUndo)}`);
    if (entry.result !== null) await out.line(`  session: ${plainLine(entry.result)}`);
    if (entry.resume && entry.kind !== 'undo') await out.line(`  resume: ${plainLine(entry.resume.argv.map(shellWord).join(' '))}${entry.resume.cwd === null ? '' : `  (in ${plainLine(entry.resume.cwd)})`}`);
  }
  return 0;
}

/** The process that has the library may end before it answers. It ends what it writes first, so that the journal knows. */
async function applied(engine: Engine, plan: string): Promise<ApplyOutcome | null> {
  try {
    return await engine.call('plan.apply', { plan });
  } catch (error) {
    if (!(error instanceof LinkClosed)) throw error;
    const entry = await engine.call('journal.entry', { id: plan });
    if (entry?.state === 'applied') return { applied: true, entry };
    const says = entry === null ? 'before it began: nothing was changed. Ask once more.' : `meanwhile, and its journal says: ${entry.state}.`;
    return { applied: false, refused: `The Retrace that had the library ended ${says}`, stale: false, entry };
  }
}
