import type { SessionWork } from '@shared/model';
import { countOf } from './figures';
import { plainLine, shorten } from './plain-text';

/** Characters of an objective or prompt that are printed: its whole text is in the JSON. */
const toldCharacters = 120;

const roleWords = { direct: 'works on', appended: 'was added to', listed: 'takes part in', task: 'has a task of', planner: 'wrote' } as const;

/** What overlays say of a session, a line each. Nothing where they say nothing. */
export function* workLines(work: SessionWork | null): Iterable<string> {
  if (!work) return;
  for (const { name, role, certainty, copy, tasks, status, progress } of work.plans) {
    const figures = progress === null ? 'not read' : `${progress.done} of ${progress.total} done`;
    const labels = tasks.map(({ label, key }) => label ?? key);
    yield plainLine(
      `work: ${roleWords[role]} the plan ${name}${copy === 'frozen' ? ' (frozen copy)' : ''}${certainty === 'inferred' ? ' (inferred)' : ''} · ${figures} · ` +
        `${status.now} (${status.certainty})${labels.length > 0 ? ` · task ${labels.join(', ')}` : ''}`,
    );
  }
  if (work.marker?.active) yield plainLine(`work: marker active: ${work.marker.sources.map(({ reason, name, state }) => reason ?? `${name} ${state}`).join(', ')}${work.marker.judgement === null ? '' : ` · ${work.marker.judgement}`}`);
  if (work.goal) yield `work: goal ${plainLine(work.goal.status)}: ${shorten(plainLine(work.goal.objective), toldCharacters)}`;
  for (const { active, iteration, most, prompt, copy } of work.loops) {
    yield `work: loop ${active ? 'active' : 'ended'}${copy === 'frozen' ? ' (frozen copy)' : ''}, iteration ${iteration ?? '?'} of ${most ?? '?'}: ${shorten(plainLine(prompt), toldCharacters)}`;
  }
  for (const { name, id, status, members } of work.teams) yield plainLine(`work: team ${name ?? id} · ${status} · ${countOf(members.length, 'member')}`);
  if (work.tasks.length > 0) yield plainLine(`work: ${countOf(work.tasks.length, 'listed task')}: ${work.tasks.map(({ subject, status }) => `${subject} (${status})`).join(', ')}`);
}
