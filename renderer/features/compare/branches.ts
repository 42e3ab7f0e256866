import { useEffect } from 'react';
import { create } from 'zustand';
import type { BranchDeeds, BranchFork, ChangeSum, SessionBranches, SessionId } from '@shared/model';
import { look, show, useRoute } from '../../app/route';
import { call, isAbandoned } from '../../rpc';
import { showPart } from '../timeline/session';
import { useSession } from '../timeline/state';

interface BranchState {
  /** What the branches of the open session did; null for a session of one branch, and until it is known. */
  answer: SessionBranches | null;
  /** Places where the tree divides, by the part they stand behind; −1: before the first. */
  forks: ReadonlyMap<number, BranchFork>;
  /** What branches changed since they departed, by their ids; counted when it is shown. */
  nets: ReadonlyMap<string, ChangeSum>;
}

const none: BranchState = { answer: null, forks: new Map(), nets: new Map() };

export const useBranches = create<BranchState>(() => none);

/** What a branch did, when that is known. */
export const useDeeds = (branch: string): BranchDeeds | undefined => useBranches(({ answer }) => answer?.branches.find(({ id }) => id === branch));

/** What the branches of a session changed, once a list that shows it is open; of another session than the open one nothing is counted. */
export function useNets(session: SessionId, isShown = true): ReadonlyMap<string, ChangeSum> {
  const answer = useBranches((state) => (state.answer?.session === session ? state.answer : null));
  useEffect(() => {
    if (!isShown || answer === null) return undefined;
    const counting = new AbortController();
    void countNets(answer, counting.signal);
    return () => counting.abort();
  }, [isShown, answer]);
  return useBranches(({ nets }) => (answer === null ? none.nets : nets));
}

/** One branch after the other, as they are listed: each costs the engine a list of files. */
async function countNets({ session, branches }: SessionBranches, signal: AbortSignal): Promise<void> {
  for (const { id, first } of branches) {
    if (first === null || useBranches.getState().nets.has(id)) continue;
    try {
      const net = await call('diff.sum', { session, scope: { kind: 'stretch', branch: id, from: first.part } }, { signal });
      if (signal.aborted) return;
      if (net) useBranches.setState(({ nets }) => ({ nets: new Map(nets).set(id, net) }));
    } catch (error) {
      if (!signal.aborted && !isAbandoned(error)) console.error('What a branch changed could not be counted.', error);
      return;
    }
  }
}

/** The place where the tree divides behind a part of the open session. */
export const useFork = (index: number): BranchFork | undefined => useBranches(({ forks }) => forks.get(index));

/** The branch that is looked at: the one of the address, else the current one. */
export function useShownBranch(): string | null {
  const chosen = useRoute(({ lens }) => lens.branch);
  const current = useSession(({ detail }) => detail?.branches.find((branch) => branch.current)?.id ?? null);
  return chosen ?? current;
}

/** Looks at another branch. Where everything is shown one goes to where it begins; a lens puts it in the place of the other. */
export function switchBranch(branch: string, first: number | null): void {
  const current = useSession.getState().detail?.branches.find((each) => each.current)?.id;
  look({ branch: branch === current ? null : branch });
  if (first !== null && useRoute.getState().lens.lens === 'everything') void showPart(first);
}

/** Puts a branch of the open session beside its current one. */
export function compareWithCurrent(session: SessionId, branch: string): void {
  show({ kind: 'compare', a: session, b: session, branchA: branch, branchB: null });
}

/** A session that is written to changes many times a second; what its branches did is read again at most this often, ms. */
const changePause = 2_000;
let abort = new AbortController();
let soon: ReturnType<typeof setTimeout> | undefined;

async function read(session: SessionId): Promise<void> {
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  try {
    const answer = await call('session.branches', { session }, { signal });
    if (signal.aborted || useSession.getState().id !== session) return;
    useBranches.setState(answer ? { answer, nets: new Map(), forks: new Map(answer.forks.map((fork) => [fork.at?.index ?? -1, fork])) } : none);
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) console.error('What the branches did could not be read.', error);
  }
}

/** Called once: what is known of branches follows the open session and its changes. */
export function followBranches(): void {
  let known = '';
  useSession.subscribe(({ id, phase, recorded, detail }) => {
    const divided = id !== null && phase === 'ready' && recorded !== null && detail?.summary.id === id && detail.branches.length > 1;
    const key = divided ? JSON.stringify([id, recorded.revision, recorded.total, detail.branches.length]) : '';
    if (key === known) return;
    const other = known === '' || JSON.parse(known)[0] !== id;
    known = key;
    if (other) {
      abort.abort();
      useBranches.setState(none);
    }
    clearTimeout(soon);
    if (divided) soon = setTimeout(() => void read(id), other ? 0 : changePause);
  });
}
