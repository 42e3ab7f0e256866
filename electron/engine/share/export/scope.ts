import type { ExportRefusal, ExportScope, MessageId, SessionDetail } from '@shared/model';
import type { Db } from '../../library/database';
import { Turns } from '../../diff/turns';

/** Which parts of a session leave. */
export interface ScopeOf {
  whole: boolean;
  /** The branch that was chosen, by its id. */
  branch: string | null;
  includes: (message: MessageId, index: number) => boolean;
}

const everything: ScopeOf = { whole: true, branch: null, includes: () => true };

/**
 * What `--branch` and `--turns` name. A branch is its messages, and what stands on no branch (a change of mode, a
 * notice). Turns are a stretch of the timeline; with a branch only what is on it. `session` tells every message of every branch.
 */
export function scopeOf(db: Db, row: number, session: SessionDetail, scope: ExportScope): ScopeOf | ExportRefusal {
  switch (scope.kind) {
    case 'whole':
      return everything;
    case 'branch':
      return branchOf(session, scope.branch);
    case 'turns': {
      const turns = new Turns(db, row);
      const { from, to } = scope;
      const [first, last] = [turns.range(from), turns.range(to)];
      if (from > to || !first || !last) {
        return { refused: 'scope', reason: turns.count === 0 ? 'This session has no turns.' : `There ${from === to ? `is no turn ${from}` : `are no turns ${from} to ${to}`}: this session has ${turns.count === 1 ? 'only turn 1' : `1 to ${turns.count}`}.` };
      }
      const on = scope.branch === null ? everything : branchOf(session, scope.branch);
      if ('refused' in on) return on;
      return { whole: false, branch: on.branch, includes: (message, index) => index >= first.from && index < last.to && on.includes(message, index) };
    }
  }
}

function branchOf({ branches }: SessionDetail, name: string): ScopeOf | ExportRefusal {
  const found = branches.find(({ id, current }) => (name === 'current' ? current : id === name));
  if (!found) {
    const ids = branches.map(({ id, current }) => `${id}${current ? ' (current)' : ''}`);
    return { refused: 'scope', reason: `There is no branch ${JSON.stringify(name)}${ids.length === 0 ? ': this session has none.' : `; there are: ${ids.join(', ')}.`}` };
  }
  const own = new Set(found.messages);
  const placed = new Set(branches.flatMap(({ messages }) => messages));
  return { whole: false, branch: found.id, includes: (message) => own.has(message) || !placed.has(message) };
}
