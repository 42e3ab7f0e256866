import { type Branch, messageId, type MessageId, type SessionDetail } from '@shared/model';
import { Refusal } from './command-context';
import type { ShowRequest } from './request';

/** Which messages of a session are shown. */
export interface Scope {
  /** Id of the branch that was chosen, null for all of them. */
  branch: string | null;
  /** The message that is left out with all after it; null when nothing is. */
  before: MessageId | null;
  includes(message: MessageId): boolean;
}

/**
 * The scope that `--branch` and `--at` name. A point lies on a branch: without `--branch` it is the current one if that
 * has the message, else the first that has it. What stands on no branch at all (a change of mode, a notice) belongs to
 * every branch, up to the point where it lies after the message on the timeline.
 */
export function scopeOf(session: SessionDetail, { branch: name, at }: Pick<ShowRequest, 'branch' | 'at'>): Scope {
  if (name === null && at === null) return { branch: null, before: null, includes: () => true };
  const point = at === null ? null : messageId(session.summary.id, keyOf(session, at));
  const branch = name === null ? branchWith(session.branches, point) : branchNamed(session.branches, name);
  if (!branch) throw new Refusal(`There is no message ${JSON.stringify(at)} in this session.`);
  const end = point === null ? branch.messages.length : branch.messages.indexOf(point);
  if (end < 0) throw new Refusal(`Branch ${branch.id} does not have the message ${JSON.stringify(at)}.`);
  const before = new Set(branch.messages.slice(0, end));
  const placed = new Set(session.branches.flatMap(({ messages }) => messages));
  let passed = false;
  return {
    branch: branch.id,
    before: point,
    includes(message) {
      passed ||= message === point;
      return before.has(message) || (!passed && !placed.has(message));
    },
  };
}

/** A message is named by its id or by the part of it after the `#`. */
function keyOf({ summary }: SessionDetail, at: string): string {
  const prefix = `${summary.id}#`;
  return at.startsWith(prefix) ? at.slice(prefix.length) : at;
}

function branchWith(branches: readonly Branch[], message: MessageId | null): Branch | undefined {
  if (message === null) return undefined;
  return branches.find((branch) => branch.current && branch.messages.includes(message)) ?? branches.find((branch) => branch.messages.includes(message));
}

function branchNamed(branches: readonly Branch[], name: string): Branch {
  const found = branches.find((branch) => (name === 'current' ? branch.current : branch.id === name));
  if (found) return found;
  const ids = branches.map((branch) => `${branch.id}${branch.current ? ' (current)' : ''}`);
  throw new Refusal(`There is no branch ${JSON.stringify(name)}${ids.length === 0 ? ': this session has none.' : `; there are: ${ids.join(', ')}.`}`);
}
