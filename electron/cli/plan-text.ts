import { assertNever, type PlanStep, type PlanView } from '@shared/model';
import { byteCount, countOf } from './figures';
import type { Paint } from './paint';
import { plainLine } from './plain-text';

/** Steps that are printed; the rest is counted. JSON has more of them. */
const stepsShown = 60;

/** A plan as a person reads it before it is applied. */
export function* planLines({ title, way, ways, steps, stepsTotal, conflicts, limits, checked, refused, room }: PlanView, paint: Paint): Iterable<string> {
  yield paint('bold', plainLine(title));
  yield `  ${plainLine(way)}`;
  for (const { id, name, refused: closed, chosen } of ways) if (!chosen && ways.length > 1) yield paint('dim', `  ${plainLine(closed === null ? `or --way ${id}: ${name}` : `not --way ${id}: ${closed}`)}`);
  yield* stepLines(steps, stepsTotal, paint);
  for (const { path, file, take, because } of conflicts) yield `  ${paint('yellow', `conflict (${take})`)}: ${plainLine(file ?? path)}: ${plainLine(because)}`;
  for (const limit of limits) yield `  ${paint('yellow', 'note')}: ${plainLine(limit)}`;
  const needed = room.reduce((sum, disk) => sum + disk.needed, 0);
  if (needed > 0) yield paint('dim', `  room: ${byteCount(needed)}`);
  for (const look of checked) yield paint('dim', `  looked: ${plainLine(look)}`);
  if (refused !== null) yield `  ${paint('red', 'refused')}: ${plainLine(refused)}`;
}

/** The steps of a plan, or of an entry of the journal. */
export function* stepLines(steps: readonly PlanStep[], total: number, paint: Paint): Iterable<string> {
  for (const step of steps.slice(0, stepsShown)) yield `  ${stepLine(step, paint)}`;
  if (total > stepsShown) yield `  and ${countOf(total - stepsShown, 'more step')}`;
}

const signs = { create: '+', change: '~', append: '>', delete: '-' };

function stepLine(step: PlanStep, paint: Paint): string {
  switch (step.kind) {
    case 'file': {
      const lines = step.added === null && step.removed === null ? [] : [`+${step.added ?? 0} -${step.removed ?? 0}`];
      const size = step.after === null ? [] : [byteCount(step.after)];
      return `${signs[step.act]} ${plainLine(step.path)}  ${paint('dim', `${[...lines, ...size].join(' · ')}${lines.length + size.length > 0 ? '  ' : ''}${plainLine(step.why)}`)}`;
    }
    case 'rows':
      return `${step.act === 'insert' ? '+' : '-'} ${plainLine(step.database)}  ${step.tables.map(({ table, rows }) => `${plainLine(table)} ${rows}`).join(', ')}  ${paint('dim', plainLine(step.why))}`;
    case 'program':
      return `$ ${plainLine(step.shown)}  ${paint('dim', plainLine(step.does))}`;
    case 'library':
      return `* ${plainLine(step.does)}`;
    default:
      return assertNever(step, 'step');
  }
}
