import { create } from 'zustand';
import { type ApplyOutcome, assertNever, type MessageId, type PartId, type PlanProgress, type PlanRefusal, type PlanView, type PlanWays, type RevertTake, type SessionId } from '@shared/model';
import { call, isAbandoned, onEngine, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';

/** What a guarded write is asked for. */
export type Asking =
  /** `at` null: as the session is now. */
  | { kind: 'fork'; session: SessionId; branch: string | null; at: MessageId | PartId | null }
  | { kind: 'revert'; session: SessionId; before: MessageId | PartId }
  | { kind: 'act'; session: SessionId; act: 'rename' | 'archive' | 'unarchive' | 'trash' | 'restore' }
  | { kind: 'undo'; entry: string }
  | { kind: 'settle'; entry: string; go: 'on' | 'back' };

export type Scope = 'conversation' | 'files' | 'both';

/** What the person chose for it; each change draws another plan. */
export interface Choices {
  /** Null: the first that is open. */
  way: string | null;
  /** Empty: the agent's own rule. */
  title: string;
  toolOutput: boolean;
  worktree: boolean;
  /** Of the worktree; empty: beside the repository, and on no branch. */
  folder: string;
  gitBranch: string;
  scope: Scope;
  takes: ReadonlyMap<string, RevertTake>;
}

interface PlanState {
  asking: Asking | null;
  choices: Choices;
  /** What could be planned there at all; null while that is asked for, and where it is none of a session's points. */
  ways: PlanWays | null;
  drawing: boolean;
  plan: PlanView | null;
  refusal: PlanRefusal | null;
  /** It could not be asked for. */
  problem: string | null;
  applying: boolean;
  cancelling: boolean;
  progress: PlanProgress | null;
  outcome: ApplyOutcome | null;
}

const noChoices: Choices = { way: null, title: '', toolOutput: true, worktree: false, folder: '', gitBranch: '', scope: 'both', takes: new Map() };
const closed: PlanState = { asking: null, choices: noChoices, ways: null, drawing: false, plan: null, refusal: null, problem: null, applying: false, cancelling: false, progress: null, outcome: null };

/** The plan that is looked at. */
export const usePlan = create<PlanState>(() => closed);

/** Pause before what is typed is drawn, ms. */
const typingPause = 400;
let typed: ReturnType<typeof setTimeout> | undefined;
/** Counts what was asked: only the newest answer is shown. */
let asked = 0;

/** Opens the sheet and draws the plan. */
export function openPlan(asking: Asking, choices: Partial<Choices> = {}): void {
  if (usePlan.getState().applying) {
    say('A plan is being applied. It has to end first.');
    return;
  }
  leave();
  usePlan.setState({ ...closed, asking, choices: { ...noChoices, ...choices } });
  void open(asking);
}

/** What can be chosen is known before the first plan is drawn. */
async function open(asking: Asking): Promise<void> {
  const mine = ++asked;
  if (asking.kind === 'fork' || asking.kind === 'revert') {
    usePlan.setState({ drawing: true });
    const place = asking.kind === 'fork' ? { ...(asking.branch !== null && { branch: asking.branch }), ...(asking.at !== null && { at: asking.at }) } : { at: asking.before };
    const ways = await call('plan.ways', { session: asking.session, ...place }).catch(() => null);
    if (mine !== asked) return;
    if (ways && !('refused' in ways)) usePlan.setState(({ choices }) => ({ ways, choices: { ...choices, scope: firstScope(ways) } }));
  }
  // A new name has to be typed first.
  if (asking.kind === 'act' && asking.act === 'rename' && usePlan.getState().choices.title.trim() === '') return;
  await draw();
}

const firstScope = ({ noRevert, noFiles }: PlanWays): Scope => (noRevert !== null ? 'files' : noFiles !== null ? 'conversation' : 'both');

/** Chooses something else for the plan, which is drawn anew. */
export function choose(change: Partial<Choices>): void {
  usePlan.setState(({ choices }) => ({ choices: { ...choices, ...change } }));
  clearTimeout(typed);
  if ('title' in change || 'folder' in change || 'gitBranch' in change) {
    // What is shown is no longer what is asked for.
    asked += 1;
    usePlan.setState({ drawing: true });
    typed = setTimeout(() => void draw(), typingPause);
  } else void draw();
}

/** Takes what a refusal offers instead: another way of the same, or a plan of another kind for the same point. */
export function chooseInstead(way: string): void {
  const { asking } = usePlan.getState();
  if (way === 'fork' && (asking?.kind === 'revert' || asking?.kind === 'act')) openPlan({ kind: 'fork', session: asking.session, branch: null, at: asking.kind === 'revert' ? asking.before : null });
  else if (way === 'revert' && asking?.kind === 'fork' && asking.at !== null) openPlan({ kind: 'revert', session: asking.session, before: asking.at });
  else choose({ way });
}

export function chooseTake(path: string, take: RevertTake | null): void {
  const takes = new Map(usePlan.getState().choices.takes);
  if (take === null) takes.delete(path);
  else takes.set(path, take);
  choose({ takes });
}

/** Draws the plan anew, as the world is now. */
export async function draw(): Promise<void> {
  const { asking, choices, plan: before } = usePlan.getState();
  if (asking === null) return;
  const mine = ++asked;
  usePlan.setState({ drawing: true, problem: null, outcome: null });
  try {
    const answer = await ask(asking, choices);
    if (mine !== asked) {
      if (answer && !('refused' in answer && !('steps' in answer))) discard(answer.id);
      return;
    }
    if (before) discard(before.id);
    if (answer === null) usePlan.setState({ drawing: false, plan: null, refusal: { refused: 'The library does not have it any more.', instead: [] } });
    else if ('steps' in answer) usePlan.setState({ drawing: false, plan: answer, refusal: null });
    else usePlan.setState({ drawing: false, plan: null, refusal: answer });
  } catch (error) {
    if (mine === asked) usePlan.setState({ drawing: false, plan: null, refusal: null, problem: isAbandoned(error) ? 'The link to the engine was lost.' : reasonOf(error) });
  }
}

function ask(asking: Asking, choices: Choices): Promise<PlanView | PlanRefusal | null> {
  const { way, title, toolOutput, worktree, folder, gitBranch, scope, takes } = choices;
  const chosenWay = way === null ? {} : { way };
  switch (asking.kind) {
    case 'fork':
      return call('plan.fork', {
        session: asking.session, ...(asking.branch !== null && { branch: asking.branch }), ...(asking.at !== null && { at: asking.at }), ...chosenWay, ...(title.trim() !== '' && { title }), toolOutput,
        ...(worktree && { worktree: { ...(folder.trim() !== '' && { path: folder.trim() }), ...(gitBranch.trim() !== '' && { branch: gitBranch.trim() }) } }),
      });
    case 'revert':
      return call('plan.revert', { session: asking.session, before: asking.before, scope, ...chosenWay, takes: [...takes].map(([path, take]) => ({ path, take })) });
    case 'act':
      if (asking.act === 'restore') return call('plan.restore', { session: asking.session });
      return call('plan.act', { session: asking.session, act: asking.act, ...(asking.act === 'rename' && { title }) });
    case 'undo':
      return call('plan.undo', { entry: asking.entry });
    case 'settle':
      return call('plan.settle', { entry: asking.entry, go: asking.go });
    default:
      return assertNever(asking, 'what a plan is asked for');
  }
}

/** Writes what the plan shows. */
export async function applyPlan(): Promise<void> {
  const { plan, drawing, applying } = usePlan.getState();
  if (!plan || drawing || applying || plan.refused !== null) return;
  usePlan.setState({ applying: true, cancelling: false, progress: null });
  const outcome = await outcomeOf(plan);
  const { asking } = usePlan.getState();
  if (asking === null) {
    usePlan.setState(closed);
    say(outcome.applied ? `Done: ${plan.title}.` : `Not done: ${outcome.refused}`);
  } else usePlan.setState({ applying: false, cancelling: false, progress: null, outcome });
}

async function outcomeOf(plan: PlanView): Promise<ApplyOutcome> {
  try {
    return (await call('plan.apply', { plan: plan.id })) ?? { applied: false, refused: 'The engine was started anew since and has this plan no more. Nothing was changed.', stale: true, entry: null };
  } catch (error) {
    if (!isAbandoned(error)) return { applied: false, refused: reasonOf(error), stale: true, entry: null };
    return outcomeAfterLoss(plan);
  }
}

/** The link was lost on the way: the journal knows what became of it. It waits for the next link. */
async function outcomeAfterLoss({ id }: PlanView): Promise<ApplyOutcome> {
  try {
    const entry = await call('journal.entry', { id });
    if (entry === null) return { applied: false, refused: 'The link to the engine was lost before it was begun. Nothing was changed.', stale: true, entry: null };
    if (entry.state === 'applied') return { applied: true, entry };
    return { applied: false, refused: entry.because[0] ?? 'The link to the engine was lost meanwhile. The journal tells how far it is.', stale: false, entry };
  } catch (error) {
    return { applied: false, refused: `It is not known what became of it: ${reasonOf(error)}. The journal tells.`, stale: false, entry: null };
  }
}

export function cancelPlan(): void {
  const { plan } = usePlan.getState();
  if (!plan) return;
  usePlan.setState({ cancelling: true });
  call('plan.cancel', { plan: plan.id }).catch((error: unknown) => !isAbandoned(error) && say(`It could not be cancelled: ${reasonOf(error)}`));
}

/** What is being applied goes on without the sheet, and its end is told. */
export function closePlan(): void {
  if (usePlan.getState().applying) {
    usePlan.setState({ asking: null });
    return;
  }
  leave();
  usePlan.setState(closed);
}

/** Whoever looks away from a plan wants it no more. */
function leave(): void {
  clearTimeout(typed);
  asked += 1;
  const { plan, outcome } = usePlan.getState();
  if (plan && !outcome?.applied) discard(plan.id);
}

function discard(plan: string): void {
  call('plan.discard', { plan }).catch(() => undefined);
}

/** Called once. */
export function followPlan(): void {
  onEngine('plan.progress', (progress) => {
    if (usePlan.getState().plan?.id === progress.plan && usePlan.getState().applying) usePlan.setState({ progress });
  });
}
