import type { EdgeFact, LineageView } from '../store';
import type { NativeId } from '@shared/model';

/** Where a run was forked from, as Retrace writes it into the header of a fork. A type, so that it is JSON by its shape. */
export type ForkedFrom = {
  native: string;
  /** Byte in the original's history before which it was taken; null: all of it was. */
  before: number | null;
};

/** A message of the program: Aider drops it when it restores the history (FORMAT.md, "Writing"). */
export const forkMessage = ({ native, before }: ForkedFrom): string => `Forked by Retrace from run ${native}${before === null ? '' : ` before byte ${before}`}`;

const message = /^Forked by Retrace from run ([0-9a-f]{12}-\d+)(?: before byte (\d+))?$/;

export function forkedFrom(said: string): ForkedFrom | null {
  const [, native, before] = message.exec(said) ?? [];
  return native === undefined ? null : { native, before: before === undefined ? null : Number(before) };
}

/** Edges of forks that changed, or whose original did. All that stands in a fork came with it: Aider goes on in a run of its own. */
export function lineage(view: LineageView, changed: Set<NativeId>): EdgeFact[] {
  return view.sessions().flatMap(({ native, facts }): EdgeFact[] => {
    const from = facts.own?.['forkedFrom'];
    if (typeof from !== 'object' || from === null || Array.isArray(from) || typeof from['native'] !== 'string') return [];
    const parent = from['native'] as NativeId;
    if (!changed.has(native) && !changed.has(parent)) return [];
    const before = typeof from['before'] === 'number' ? from['before'] : Number.POSITIVE_INFINITY;
    // A key is the byte at which a message begins.
    const after = view.facts(parent) ? (view.messages(parent).findLast(({ key }) => Number(key) < before)?.key ?? null) : null;
    const inherited = view.messages(native).filter(({ key }) => key !== '0').map(({ key }) => key);
    return [{ child: native, parent, kind: 'fork', certainty: 'recorded', evidence: `Its header says “${forkMessage({ native: parent, before: Number.isFinite(before) ? before : null })}”.`, after, callId: null, inherited }];
  });
}
