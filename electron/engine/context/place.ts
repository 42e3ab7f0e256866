import { messageId, type MessageId, type SessionId } from '@shared/model';
import type { Settled, SpineRecord } from '../stores/store';
import type { LoadedSession } from './session';

/** A branch and a point of a session, found. */
export interface ContextPlace {
  /** Place in `settled.branches`; null: the current one. */
  branch: number | null;
  branchId: string;
  /** Index of the record the point lies before; null: now. */
  before: number | null;
  at: MessageId | null;
}

/** Branches are numbered as the session's list has them: the others as they come, the current one last. */
export function branchIds(settled: Settled): string[] {
  let next = 1;
  const others = settled.branches.filter((branch) => !branch.current).length;
  return settled.branches.map((branch) => String(branch.current ? others + 1 : next++));
}

/**
 * Finds branch and point. Where a point is given without a branch, the current branch is taken if it has the point,
 * else the first branch that has it.
 */
export function findPlace(session: LoadedSession, id: SessionId, branch: string | undefined, point: { record: number; message: number | null } | null): ContextPlace | string {
  const { settled, loaded } = session;
  const ids = branchIds(settled);
  const wanted = branch === undefined ? null : ids.indexOf(branch);
  if (wanted === -1 && !(branch === '1' && ids.length === 0)) return `There is no branch ${branch}; ${ids.length === 1 ? 'there is one, 1' : `there are 1 to ${ids.length}`}.`;
  const currentAt = settled.branches.findIndex(({ current }) => current);
  const idOf = (at: number) => ids[at] ?? '1';
  const chosen = (at: number): Pick<ContextPlace, 'branch' | 'branchId'> => ({ branch: at === currentAt || at < 0 ? null : at, branchId: idOf(at < 0 ? currentAt : at) });
  if (point === null) return { ...chosen(wanted ?? currentAt), before: null, at: null };
  const onPath = (at: number) => recordOnPath(settled.branches[at]?.path ?? [], loaded.messages, point);
  const tried = wanted !== null && wanted >= 0 ? [wanted] : [currentAt, ...settled.branches.map((_, at) => at).filter((at) => at !== currentAt)];
  for (const at of tried) {
    const before = onPath(at);
    if (before >= 0) return { ...chosen(at), before, at: messageId(id, nameOf(loaded.spine.records, loaded.messages, before)) };
  }
  // Turns that were taken back stand on no branch: a point among them is one of the thread as it was then.
  if (wanted === null && settled.records[point.record]?.state === 'reverted') {
    const first = point.message === null ? point.record : loaded.messages.indexOf(point.message);
    return { ...chosen(currentAt), before: first, at: messageId(id, nameOf(loaded.spine.records, loaded.messages, first)) };
  }
  return wanted === null ? 'The point is on no branch of this session.' : `The point is not on branch ${branch}.`;
}

/** The first record of the point's message on the path; of a record without a message, itself. */
function recordOnPath(path: readonly number[], messages: (number | null)[], point: { record: number; message: number | null }): number {
  return path.find((index) => (point.message === null ? index === point.record : messages[index] === point.message)) ?? -1;
}

/** A message is named by its first record in the stream. */
function nameOf(records: readonly SpineRecord[], messages: (number | null)[], index: number): string {
  const message = messages[index];
  const first = message === null ? index : messages.indexOf(message ?? null);
  return records[first]?.key ?? records[index]?.messageKey ?? String(index);
}
