import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import type { PlanView } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { formatBytes } from '../../ui/format';
import { PlanChoices } from './PlanChoices';
import { PlanFacts } from './PlanFacts';
import { PlanResult } from './PlanResult';
import { PlanSteps } from './PlanSteps';
import { applyPlan, type Asking, cancelPlan, chooseInstead, closePlan, draw, usePlan } from './state';
import { actWords } from './words';

/** A guarded write before it is done: what would be written at the left, what can be chosen and what is so at the right, one button. */
export function PlanSheet() {
  const { asking, plan } = usePlan();
  return (
    <Dialog.Root open={asking !== null} onOpenChange={(open) => !open && closePlan()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content
          className="sheet plan-sheet" aria-describedby={undefined} tabIndex={-1}
          // Not the button that leaves: what is to be looked at takes the focus when it is there.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            const sheet = event.currentTarget as HTMLElement;
            (sheet.querySelector<HTMLElement>('[data-first]') ?? sheet).focus();
          }}
        >
          <header>
            <Dialog.Title className="one-line">{visibleControls(plan?.title ?? (asking ? askedFor(asking) : ''))}</Dialog.Title>
            <Dialog.Close className="bare-icon" aria-label="Close">
              <X size={14} aria-hidden />
            </Dialog.Close>
          </header>
          {asking && <Sheet asking={asking} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The title until the plan has its own. */
function askedFor(asking: Asking): string {
  switch (asking.kind) {
    case 'fork':
      // An import goes on in the store of its agent.
      if (asking.session.startsWith('retrace~')) return asking.at === null ? 'Continue this session' : 'Continue from before this message';
      return asking.at === null ? 'Fork this session' : 'Fork before this message';
    case 'revert':
      return 'Take back to before this message';
    case 'act':
      return { rename: 'Rename this session', archive: 'Archive this session', unarchive: 'Take this session out of the archive', trash: 'Move this session to the trash', restore: 'Write this session back into its store' }[asking.act];
    case 'undo':
      return 'Undo';
    case 'settle':
      return asking.go === 'on' ? 'Go on with what was interrupted' : 'Go back from what was interrupted';
  }
}

function Sheet({ asking }: { asking: Asking }) {
  const { plan, refusal, problem, drawing, outcome } = usePlan();
  if (outcome?.applied) return <PlanResult entry={outcome.entry} />;
  return (
    <div className="plan-columns" aria-busy={drawing}>
      <section className="plan-left" aria-label="What would be written">
        {plan ? <PlanSteps plan={plan} asking={asking} /> : <NoPlan refusal={refusal} problem={problem} drawing={drawing} asking={asking} />}
      </section>
      <section className="plan-right" aria-label="The plan">
        <div className="plan-facts" tabIndex={0} role="region" aria-label="Choices and limits">
          <PlanChoices asking={asking} />
          {plan && <PlanFacts plan={plan} />}
        </div>
        <Foot asking={asking} />
      </section>
    </div>
  );
}

function NoPlan({ refusal, problem, drawing, asking }: { refusal: { refused: string; instead: { way: string; says: string }[] } | null; problem: string | null; drawing: boolean; asking: Asking }) {
  if (drawing) return <p className="soft plan-note" role="status">Looking at what would be written.</p>;
  if (problem !== null) {
    return (
      <div className="plan-note" role="alert">
        <p>The plan could not be drawn: {visibleControls(problem)}</p>
        <button type="button" className="button" onClick={() => void draw()}>
          Try again
        </button>
      </div>
    );
  }
  if (refusal === null) return <p className="soft plan-note">{asking.kind === 'act' ? 'Type a new name: what would be written is shown here before it is.' : 'Nothing was asked for.'}</p>;
  return (
    <div className="plan-note" role="alert">
      <h3>This can not be done</h3>
      <p>{visibleControls(refusal.refused)}</p>
      {refusal.instead.map(({ way, says }) => (
        <p key={way}>
          {visibleControls(says)}{' '}
          <button type="button" className="text-button" onClick={() => chooseInstead(way)}>
            Take this way
          </button>
        </p>
      ))}
    </div>
  );
}

/** The button, or what stands against it. */
function Foot({ asking }: { asking: Asking }) {
  const { plan, drawing, applying, outcome, choices } = usePlan();
  if (applying) return <Progress plan={plan} />;
  if (outcome && !outcome.applied) {
    return (
      <FootBox tone="attention">
        <div role="alert">
          <p>
            <strong>{outcome.stale ? 'Not done: what is there changed since the plan was made.' : 'Not done.'}</strong> {visibleControls(outcome.refused)}
          </p>
          {outcome.entry?.because.slice(1).map((sentence) => <p key={sentence}>{visibleControls(sentence)}</p>)}
        </div>
        <Buttons>
          <button type="button" className="button primary" onClick={() => void draw()}>
            Make a new plan
          </button>
        </Buttons>
      </FootBox>
    );
  }
  if (!plan) return null;
  return (
    <FootBox tone={plan.refused === null ? undefined : 'attention'}>
      {plan.refused !== null && (
        <p role="status">
          <strong>It can not be applied as it is.</strong> {visibleControls(plan.refused)}
        </p>
      )}
      <Buttons>
        {plan.refused !== null && plan.conflicts.every(({ take }) => take !== 'undecided') && (
          <button type="button" className="button" disabled={drawing} onClick={() => void draw()}>
            Look again
          </button>
        )}
        <button type="button" className="button primary" data-danger={asking.kind === 'act' && asking.act === 'trash' ? true : undefined} disabled={drawing || plan.refused !== null} onClick={() => void applyPlan()}>
          {drawing ? 'Looking…' : actWords(plan, choices.scope, choices.worktree && asking.kind === 'fork')}
        </button>
      </Buttons>
    </FootBox>
  );
}

function FootBox({ tone, children }: { tone?: 'attention' | undefined; children: ReactNode }) {
  return (
    <footer className="plan-foot" data-tone={tone}>
      {children}
    </footer>
  );
}

const Buttons = ({ children }: { children: ReactNode }) => <div className="plan-buttons">{children}</div>;

function Progress({ plan }: { plan: PlanView | null }) {
  const { progress, cancelling } = usePlan();
  const button = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone.
  useEffect(() => button.current?.focus(), []);
  const share = progress === null ? 0 : progress.bytesTotal > 0 ? progress.bytesDone / progress.bytesTotal : progress.steps > 0 ? progress.step / progress.steps : 0;
  const cancellable = progress?.cancellable ?? true;
  return (
    <FootBox>
      <p role="status">
        {progress === null ? 'Beginning.' : `${visibleControls(progress.says).replace(/\.$/, '')}, step ${progress.step} of ${progress.steps}`}
        {progress !== null && progress.bytesTotal > 0 && <span className="soft number"> · {formatBytes(progress.bytesDone)} of {formatBytes(progress.bytesTotal)}</span>}
      </p>
      <div className="bar plan-bar" role="progressbar" aria-label={plan?.title ?? 'Progress'} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(share * 100)}>
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <Buttons>
        <button ref={button} type="button" className="button" disabled={!cancellable || cancelling} onClick={cancelPlan}>
          {cancelling ? 'Cancelling…' : 'Cancel'}
        </button>
      </Buttons>
      {!cancellable && <p className="soft">It is changing things now: it ends, or is put back.</p>}
    </FootBox>
  );
}
