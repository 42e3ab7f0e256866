import { asSessionId, type MessageId, type PartId, type SessionId, type SessionSummary } from '@shared/model';
import { useRoute } from '../../app/route';
import { say } from '../../ui/toast';
import { useMap } from '../lineage/state';
import { partAt } from '../timeline/loading';
import { stateAt } from '../timeline/outline';
import { useSession } from '../timeline/state';
import { openPlan } from './state';

/** The message of the chosen part, on the branch that is looked at where it lies there. */
export function pointAtHand(): { session: SessionId; at: MessageId | PartId; branch: string | null } | null {
  const { id, current, outline } = useSession.getState();
  const part = current === null ? undefined : partAt(current);
  if (id === null || current === null || !part) return null;
  const { branch } = useRoute.getState().lens;
  const isThere = outline !== null && stateAt(outline, current) !== 'off-branch';
  return { session: id, at: part.message.id, branch: isThere ? branch : null };
}

/** Forks before the message of the chosen part; without one, and on the map, as the session is now. */
export function forkHere(): void {
  const point = useRoute.getState().view.kind === 'map' ? null : pointAtHand();
  if (point) openPlan({ kind: 'fork', ...point });
  else forkNow();
}

/** Forks the session at hand as it is now: the open one, or what is chosen on the map. */
export function forkNow(): void {
  const { view, lens } = useRoute.getState();
  const chosen = view.kind === 'map' ? useMap.getState().current : null;
  const { id } = useSession.getState();
  if (chosen !== null) forkOf(chosen);
  else if (id !== null) openPlan({ kind: 'fork', session: id, branch: lens.branch, at: null });
}

/** A session of the map, or one of its branches (`branchItem`). */
export function forkOf(item: string): void {
  const [session = '', branch = null] = item.split('\n');
  openPlan({ kind: 'fork', session: asSessionId(session), branch, at: null });
}

/** Takes back to before the message of the chosen part. */
export function revertHere(): void {
  const point = pointAtHand();
  if (point) openPlan({ kind: 'revert', session: point.session, before: point.at });
  else say('No part is chosen: j and k walk through them.');
}

/** The session that is open. */
export const openSummary = (): SessionSummary | null => useSession.getState().detail?.summary ?? null;

/** Renames, archives or puts a session into the trash. */
export function actOn({ id, title }: Pick<SessionSummary, 'id' | 'title'>, act: 'rename' | 'archive' | 'unarchive' | 'trash' | 'restore'): void {
  openPlan({ kind: 'act', session: id, act }, act === 'rename' ? { title: title ?? '' } : {});
}

/** What the agent has the notion of, as a menu of a session offers it; a plan says where it is refused. An import has none of it. */
export function agentActs(session: Pick<SessionSummary, 'id' | 'title' | 'agent' | 'archived' | 'source'>): { name: string; run(): void }[] {
  if (session.agent === 'retrace') return [];
  const isArchived = session.archived !== null;
  return [
    { name: 'Rename…', run: () => actOn(session, 'rename') },
    { name: isArchived ? 'Take out of the archive…' : 'Archive…', run: () => actOn(session, isArchived ? 'unarchive' : 'archive') },
    session.source === 'gone' ? { name: 'Write back into its store…', run: () => actOn(session, 'restore') } : { name: 'Move to the trash…', run: () => actOn(session, 'trash') },
  ];
}

export function actOnOpen(act: 'rename' | 'archive' | 'unarchive' | 'trash' | 'restore'): void {
  const summary = openSummary();
  if (summary) actOn(summary, act);
}
