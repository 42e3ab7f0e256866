import { useId } from 'react';
import type { PlanView, PlanWays } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { type Asking, choose, type Scope, usePlan } from './state';

/** What the person can choose for a plan. */
export function PlanChoices({ asking }: { asking: Asking }) {
  const { ways, plan } = usePlan();
  if (asking.kind === 'fork') {
    return (
      <>
        <Ways ways={waysOf(plan, ways?.fork)} none={ways?.noFork ?? null} />
        {(plan !== null || ways === null || ways.noFork === null) && (
          <>
            <Title label="Title of the fork" placeholder="By the agent’s own rule" />
            {plan?.agent === 'aider' && <ToolOutput />}
            <Worktree />
          </>
        )}
      </>
    );
  }
  if (asking.kind === 'revert') return <RevertChoices ways={ways} plan={plan} />;
  if (asking.kind === 'act' && asking.act === 'rename') return <Title label="New name" placeholder="" isFirst />;
  return null;
}

type Way = PlanView['ways'][number];

/** A plan knows which way it takes; without one what could be taken is still told. */
const waysOf = (plan: PlanView | null, ways: PlanWays['fork'] | undefined): Way[] => (plan && plan.ways.length > 0 ? plan.ways : (ways ?? []).map((way) => ({ ...way, chosen: way === ways?.find(({ refused }) => refused === null) })));

function Ways({ ways, none }: { ways: Way[]; none: string | null }) {
  const name = useId();
  const way = usePlan(({ choices }) => choices.way);
  const refusal = usePlan((state) => state.refusal);
  // One reason against all of them stands where the plan would.
  if (refusal !== null && ways.length > 1 && ways.every(({ refused }) => refused === refusal.refused)) return null;
  if (ways.length === 0) return none === null ? null : <p className="plan-none">{visibleControls(none)}</p>;
  return (
    <fieldset className="plan-choice">
      <legend>Way</legend>
      {ways.map(({ id, name: title, says, refused, chosen }) => (
        <label key={id} className="plan-option" data-closed={refused !== null || undefined}>
          <input type="radio" name={name} checked={way === null ? chosen : way === id} disabled={refused !== null} onChange={() => choose({ way: id })} />
          <span>
            <b>{visibleControls(title)}</b>
            <span className="soft"> {visibleControls(refused ?? says)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Title({ label, placeholder, isFirst = false }: { label: string; placeholder: string; isFirst?: boolean }) {
  const title = usePlan(({ choices }) => choices.title);
  return (
    <label className="plan-field">
      <span>{label}</span>
      <input data-first={isFirst || undefined} value={title} placeholder={placeholder} maxLength={2_000} autoComplete="off" spellCheck={false} onChange={(event) => choose({ title: event.target.value })} />
    </label>
  );
}

function ToolOutput() {
  const toolOutput = usePlan(({ choices }) => choices.toolOutput);
  return (
    <fieldset className="plan-choice">
      <legend>What commands printed</legend>
      <label className="plan-option">
        <input type="checkbox" checked={toolOutput} onChange={(event) => choose({ toolOutput: event.target.checked })} />
        <span>Goes along into the new history</span>
      </label>
    </fieldset>
  );
}

/** A fork that works on files as they were, beside the ones the person works on. */
function Worktree() {
  const { worktree, folder, gitBranch } = usePlan(({ choices }) => choices);
  return (
    <fieldset className="plan-choice">
      <legend>Files</legend>
      <label className="plan-option">
        <input type="checkbox" checked={worktree} onChange={(event) => choose({ worktree: event.target.checked })} />
        <span>
          In a new git worktree<span className="soft">, with the files as they were at this point. The folder you work in stays as it is.</span>
        </span>
      </label>
      {worktree && (
        <>
          <label className="plan-field">
            <span>Folder</span>
            <input value={folder} placeholder="Beside the repository" maxLength={4_096} autoComplete="off" spellCheck={false} onChange={(event) => choose({ folder: event.target.value })} />
          </label>
          <label className="plan-field">
            <span>Git branch</span>
            <input value={gitBranch} placeholder="None: a detached worktree" maxLength={500} autoComplete="off" spellCheck={false} onChange={(event) => choose({ gitBranch: event.target.value })} />
          </label>
        </>
      )}
    </fieldset>
  );
}

const scopes: { scope: Scope; name: string; needs: ('conversation' | 'files')[] }[] = [
  { scope: 'both', name: 'Conversation and files', needs: ['conversation', 'files'] },
  { scope: 'conversation', name: 'Conversation', needs: ['conversation'] },
  { scope: 'files', name: 'Files', needs: ['files'] },
];

function RevertChoices({ ways, plan }: { ways: PlanWays | null; plan: PlanView | null }) {
  const name = useId();
  const scope = usePlan(({ choices }) => choices.scope);
  const closed = { conversation: ways?.noRevert ?? null, files: ways?.noFiles ?? null };
  const reasons = [...new Set([closed.conversation, closed.files].filter((reason) => reason !== null))];
  return (
    <>
      <fieldset className="plan-choice">
        <legend>What is taken back</legend>
        {scopes.map(({ scope: each, name: title, needs }) => (
          <label key={each} className="plan-option" data-closed={needs.some((need) => closed[need] !== null) || undefined}>
            <input type="radio" name={name} checked={scope === each} disabled={needs.some((need) => closed[need] !== null)} onChange={() => choose({ scope: each })} />
            <span>{title}</span>
          </label>
        ))}
        {reasons.map((reason) => (
          <p key={reason} className="soft">
            {visibleControls(reason)}
          </p>
        ))}
      </fieldset>
      {scope !== 'files' && <Ways ways={waysOf(plan, ways?.revert)} none={null} />}
    </>
  );
}
