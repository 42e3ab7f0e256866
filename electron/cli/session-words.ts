import type { ContextState, EdgeKind, SessionSummary } from '@shared/model';
import { plainLine } from './plain-text';

/** The signs of the page, so that a terminal and a window say the same. */
export const stateSigns: Record<ContextState, string> = {
  live: '●', summary: '◐', compacted: '◌', cleared: '◌', reverted: '↶', 'off-branch': '⑂', pending: '…', hidden: '·',
};
export const edgeSigns: Record<EdgeKind, string> = { fork: '⑂', subagent: '⤷', resume: '↻', import: '⇣', handoff: '⇢' };

/** What each state means, for the legend under a session. */
export const stateMeanings: Record<ContextState, string> = {
  live: 'the model sees it',
  summary: 'stands for what was compacted',
  compacted: 'compacted: a summary stands for it',
  cleared: 'cleared: dropped from what the model gets: a tool’s output, or in Aider all before /clear',
  reverted: 'reverted: taken back, still in the store',
  'off-branch': 'off branch: on a branch that is not the current one',
  pending: 'pending: admitted, not yet seen by the model',
  hidden: 'hidden: put in by the agent',
};

/** A title as a list shows it: with the sign of its lineage, and what is out of the ordinary behind it. */
export function titleOf(session: Pick<SessionSummary, 'title' | 'archived' | 'reverted' | 'source' | 'damage'>): string {
  const remarks = [
    ...(session.archived === null ? [] : ['archived']),
    ...(session.reverted ? ['reverted'] : []),
    ...(session.source === 'gone' ? ['source is gone'] : []),
    ...(session.damage > 0 ? [`${session.damage} damaged`] : []),
  ];
  const title = (session.title === null ? '' : plainLine(session.title)) || 'untitled';
  return remarks.length === 0 ? title : `${title} (${remarks.join(', ')})`;
}
