import type { WorkList, WorkNow, WorkRole, WorkState } from '@shared/model';
import { countOf } from '../../ui/format';

/** What became of a session, for its sign. */
export const stateSentences: Record<WorkState, string> = {
  living: 'Its store has it.',
  dead: 'Its store has it; it was cut off in a reply that nobody ends any more.',
  gone: 'Its agent deleted it; the library keeps it.',
  missing: 'No store and no library has it.',
};

export const roleWords: Record<WorkRole, string> = {
  direct: 'started here', appended: 'added', listed: 'listed', task: 'given a task', planner: 'wrote the plan',
};

/** The plans of a list in one sentence, by where they stand. */
export function outcomeOf({ items, total, projects }: Pick<WorkList, 'items' | 'total' | 'projects'>): string {
  if (total === 0) return 'No plan is known.';
  const order: WorkNow[] = ['active', 'paused', 'open', 'planned', 'stopped', 'dropped', 'abandoned', 'completed', 'superseded'];
  const by = order.map((now) => [items.filter(({ status }) => status.now === now).length, now] as const).filter(([count]) => count > 0);
  return `${countOf(total, 'plan')} in ${countOf(projects.length, 'project')}: ${by.map(([count, now]) => `${count} ${now}`).join(', ')}.`;
}
