import { type ExportFormat, type ExportRefusal, type ExportScope, splitInnerId } from '@shared/model';
import type { Db } from '../../library/database';
import type { Timeline } from '../../queries/timeline';
import { OpenedSession } from './opened-session';
import { startedBy, subagentsOf } from './subagents';

export interface SessionsAsked {
  session: string;
  format: ExportFormat;
  scope: ExportScope;
  toolOutput: boolean;
  reasoning: boolean;
  subagents: boolean;
}

/** The session, and its subagents where they go along: those that were started inside the scope. */
export function openSessions(db: Db, timeline: Timeline, revision: number, { session, format, scope, toolOutput, reasoning, subagents }: SessionsAsked): OpenedSession[] | ExportRefusal {
  if (format === 'bundle' && !(toolOutput && reasoning)) return { refused: 'format', reason: 'A bundle holds records as the agent wrote them: tool output and reasoning cannot be left out of it. Choose another format.' };
  const wanted = { toolOutput, reasoning };
  const root = OpenedSession.open(db, timeline, revision, session, scope, wanted);
  if ('refused' in root) return root;
  const opened = [root];
  // OpenCode's own export is of one session.
  if (!subagents || format === 'opencode') return opened;
  const outside = new Set<string>();
  for (const id of subagentsOf(db, root.id, root.row)) {
    const started = startedBy(db, id);
    if (!scopeHas(root, started, outside, timeline)) {
      outside.add(id);
      continue;
    }
    const child = OpenedSession.open(db, timeline, revision, id, { kind: 'whole' }, wanted);
    if (!('refused' in child)) opened.push(child);
  }
  return opened;
}

/** Whether the call that started a subagent leaves. Where the call is not known, a whole session takes it along and a part of one does not. */
function scopeHas(root: OpenedSession, started: { parent: string; part: string | null } | null, outside: ReadonlySet<string>, timeline: Timeline): boolean {
  if (root.scope.whole) return true;
  if (!started) return false;
  if (started.parent !== root.id) return !outside.has(started.parent);
  const row = started.part === null || splitInnerId(started.part) === null ? null : timeline.row(started.part);
  return row !== null && root.scope.includes(root.messageOf(row), row.seq);
}
