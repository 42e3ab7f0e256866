import { create } from 'zustand';
import type { ContextHistory, SessionId } from '@shared/model';
import type { Lens, LensPlace } from '../../app/address';
import { look, useRoute } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import { partAt } from '../timeline/loading';
import { layInPlace } from '../timeline/session';
import { useSession } from '../timeline/state';

/** What the lens knows of the open session beside the states that the timeline draws. */
interface LensState {
  history: ContextHistory | null;
  /** The session's revision that is looked at: it follows that of a session at work with pauses. */
  revision: number | null;
  /** Why there is no history, in one sentence. */
  refused: string | null;
  /** The first part on the screen. */
  reading: number;
  /** The part of the compaction whose summary is compared with what it replaced. */
  compared: string | null;
  branchesOpen: boolean;
}

export const useLens = create<LensState>(() => ({ history: null, revision: null, refused: null, reading: 0, compared: null, branchesOpen: false }));

/** Looks at the session as it stood before the message of the chosen part. */
export function lookBefore(): void {
  const { current } = useSession.getState();
  const part = current === null ? undefined : partAt(current);
  if (part) look({ lens: 'model', before: part.message.id });
  else say('No part is chosen: j and k walk through them.');
}

/** Opens the list of branches. */
export function chooseBranch(): void {
  const { detail } = useSession.getState();
  if (!detail) say('The session is still being opened.');
  else if (detail.branches.length > 1) useLens.setState({ branchesOpen: true });
  else say('This session has one branch.');
}

/** The summary of the compaction that one reads, or of the last one, beside what it replaced. */
export function compareSummary(): void {
  const { history } = useLens.getState();
  const { current } = useSession.getState();
  const compactions = history?.epochs.flatMap(({ compaction }) => (compaction ? [compaction] : [])) ?? [];
  const chosen = compactions.find(({ index, summaries }) => index === current || summaries.some((summary) => summary.index === current)) ?? compactions.at(-1);
  if (chosen) useLens.setState({ compared: chosen.part });
  else say('This session was never compacted.');
}

const order: Lens[] = ['everything', 'model', 'branch'];

/** The next lens; one that would show the same is passed over. */
export function nextLens(): void {
  const { lens } = useRoute.getState().lens;
  const branches = useSession.getState().detail?.branches.length ?? 0;
  const offered = order.filter((each) => each !== 'branch' || branches > 1);
  look({ lens: offered[(offered.indexOf(lens) + 1) % offered.length] ?? 'everything' });
}

/** True when the states recorded for the present do not tell what is looked at. */
const needsStates = ({ lens, branch, before }: LensPlace): boolean => lens === 'model' || branch !== null || before !== null;

let asked: { key: string; abort: AbortController } | null = null;

async function update(): Promise<void> {
  const { lens: place, view } = useRoute.getState();
  const { id, phase, recorded, lens, states } = useSession.getState();
  if (view.kind !== 'session' || id !== view.session || phase !== 'ready' || !recorded) return;
  const key = JSON.stringify([id, recorded.revision, place.branch, place.before, needsStates(place)]);
  if (!needsStates(place)) {
    asked?.abort.abort();
    asked = null;
    if (lens !== place.lens || states !== null) layInPlace({ lens: place.lens, states: null, runs: new Set() });
    return;
  }
  if (asked?.key === key) {
    if (lens !== place.lens) layInPlace({ lens: place.lens, runs: new Set() });
    return;
  }
  asked?.abort.abort();
  const mine = { key, abort: new AbortController() };
  asked = mine;
  try {
    const answer = await call('context.states', { session: id, ...(place.branch !== null && { branch: place.branch }), ...(place.before !== null && { at: place.before }) }, { signal: mine.abort.signal });
    if (asked !== mine || useSession.getState().id !== id) return;
    if (answer === null || 'refused' in answer) giveUp(answer?.refused ?? 'The library does not have this session any more.');
    else layInPlace({ lens: useRoute.getState().lens.lens, states: answer, ...(lens !== place.lens && { runs: new Set<number>() }) });
  } catch (error) {
    if (asked === mine) asked = null;
    if (!mine.abort.signal.aborted && !isAbandoned(error)) giveUp(`What the model sees could not be worked out: ${reasonOf(error)}`);
  }
}

function giveUp(why: string): void {
  asked = null;
  say(why);
  look({ lens: 'everything', branch: null, before: null });
}

let historyAbort = new AbortController();

/** A session at work changes many times a second, and its context is worked out anew each time: not sooner than this, ms. */
const changePause = 500;
/** And never for more than a fifth of the time: that of a large session takes longer. */
const rest = 4;
let lastTook = 0;
let soon: ReturnType<typeof setTimeout> | undefined;

async function readHistory(session: SessionId, branch: string | null): Promise<void> {
  historyAbort.abort();
  historyAbort = new AbortController();
  const { signal } = historyAbort;
  const began = performance.now();
  try {
    const answer = await call('context.history', { session, ...(branch !== null && { branch }) }, { signal });
    lastTook = performance.now() - began;
    if (signal.aborted || useSession.getState().id !== session) return;
    if (answer === null || 'refused' in answer) useLens.setState({ history: null, refused: answer?.refused ?? 'The library does not have this session any more.' });
    else useLens.setState({ history: answer, refused: null });
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) useLens.setState({ history: null, refused: reasonOf(error) });
  }
}

/** Called once: the lens follows the address, the open session and its changes. */
export function followLens(): void {
  let historyOf = '';
  const follow = () => {
    clearTimeout(soon);
    soon = undefined;
    void update();
    const { id, phase, recorded } = useSession.getState();
    if (recorded) useLens.setState({ revision: recorded.revision });
    const { branch } = useRoute.getState().lens;
    const key = id === null || phase !== 'ready' || !recorded ? '' : JSON.stringify([id, recorded.revision, recorded.total, branch]);
    if (key === historyOf) return;
    const other = JSON.parse(historyOf || '[""]')[0] !== id;
    historyOf = key;
    if (other) useLens.setState({ history: null, refused: null, compared: null, reading: 0 });
    if (key !== '' && id !== null) void readHistory(id, branch);
  };
  useRoute.subscribe((route, before) => {
    if (route.lens !== before.lens || route.view !== before.view) follow();
  });
  useSession.subscribe((session, before) => {
    if (session.id !== before.id || session.phase !== before.phase) follow();
    else if (session.recorded !== before.recorded) soon ??= setTimeout(follow, Math.max(changePause, lastTook * rest));
  });
}
