import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { PlanConflict, PlanStep, PlanView } from '@shared/model';
import { useEngine } from '../../app/engine';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { formatCount, shortenMiddle, tildePath } from '../../ui/format';
import { say } from '../../ui/toast';
import { EditCounts } from '../timeline/parts/Meta';
import { ConflictDetail } from './ConflictDetail';
import { StepDetail } from './StepDetail';
import type { Asking } from './state';
import { fileActs, stepLetter, stepName, takeWords } from './words';

/** Steps fetched at once. */
const window = 500;

/** Conflicts and steps of a plan, and the chosen one of them. */
export function PlanSteps({ plan, asking }: { plan: PlanView; asking: Asking }) {
  const open = plan.conflicts.filter(({ take }) => take === 'undecided').length;
  return (
    <StepList
      plan={plan.id} first={plan.steps} total={plan.stepsTotal} conflicts={asking.kind === 'revert' ? plan.conflicts : []}
      head={open > 0 ? `${formatCount(open)} to decide` : null} at={asking.kind === 'revert' ? asking : null}
    />
  );
}

interface StepListProps {
  /** Of a plan, or of an entry of the journal. */
  plan: string;
  first: readonly PlanStep[];
  total: number;
  conflicts?: readonly PlanConflict[];
  head?: string | null;
  /** The point of a revert: where the versions of a conflict are asked for. */
  at?: Extract<Asking, { kind: 'revert' }> | null;
  isDone?: boolean;
}

/** A list of steps with the chosen one beside it. It stays where it is while the plan is drawn anew. */
export function StepList({ plan, first, total, conflicts = [], head = null, at: point = null, isDone = false }: StepListProps) {
  const [later, setLater] = useState<{ plan: string; steps: readonly PlanStep[] }>({ plan, steps: [] });
  const steps = later.plan === plan ? [...first, ...later.steps] : first;
  const [chosen, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // The sheet opens before its steps are known; whoever is typing or choosing stays there.
    const { activeElement } = document;
    if (!isDone && (activeElement === null || activeElement === document.body || activeElement.matches('[role="dialog"]'))) list.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }, [isDone]);
  const count = conflicts.length + steps.length;
  const at = Math.max(0, Math.min(count - 1, chosen));
  const move = (event: KeyboardEvent) => {
    const next = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: count - 1 }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(count - 1, next));
    setAt(to);
    list.current?.querySelectorAll<HTMLElement>('[role="option"]')[to]?.focus();
  };
  const more = async () => {
    try {
      const answer = await call('plan.steps', { plan, from: steps.length, count: window });
      if (answer) setLater({ plan, steps: [...(later.plan === plan ? later.steps : []), ...answer.steps] });
    } catch (error) {
      if (!isAbandoned(error)) say(`The steps could not be read: ${reasonOf(error)}`);
    }
  };
  const conflict = conflicts[at];
  const step = steps[at - conflicts.length];
  if (count === 0) return <p className="soft plan-note">Nothing would be written.</p>;
  return (
    <div className="plan-steps">
      <div className="plan-list-pane">
        <ul ref={list} className="revert-list" role="listbox" aria-label={isDone ? 'What was written' : 'Steps'} onKeyDown={move}>
          {conflicts.map((each, index) => (
            <Row key={`conflict ${each.path}`} at={index} chosen={at} choose={setAt} letter={each.take === 'undecided' ? '!' : '✓'} tone={each.take === 'undecided' ? 'danger' : 'ok'} name={each.file ?? each.path} word={each.take === 'undecided' ? 'conflict: choose' : takeWords[each.take].name.toLowerCase()} counts={null} />
          ))}
          {steps.map((each, index) => {
            const { letter, tone, word } = stepLetter(each);
            return <Row key={index} at={conflicts.length + index} chosen={at} choose={setAt} letter={letter} tone={tone} name={stepName(each)} word={isDone && each.kind === 'file' ? fileActs[each.act].done : word} counts={each.kind === 'file' && (each.added !== null || each.removed !== null) ? { added: each.added ?? 0, removed: each.removed ?? 0 } : null} />;
          })}
        </ul>
        {head !== null && <p className="plan-list-note" data-tone="danger">{head}</p>}
        {steps.length < total && (
          <p className="plan-list-note soft">
            {formatCount(steps.length)} of {formatCount(total)} steps.{' '}
            <button type="button" className="text-button" onClick={() => void more()}>
              Show more
            </button>
          </p>
        )}
      </div>
      <div className="revert-detail plan-detail" role="region" aria-label="The chosen step" tabIndex={0}>
        {conflict && point ? <ConflictDetail session={point.session} before={point.before} conflict={conflict} conflicts={conflicts} /> : step && <StepDetail key={`${plan} ${step.index}`} plan={plan} step={step} isDone={isDone} />}
      </div>
    </div>
  );
}

interface RowProps {
  at: number;
  chosen: number;
  choose(at: number): void;
  letter: string;
  tone: string;
  name: string;
  word: string;
  counts: { added: number; removed: number } | null;
}

function Row({ at, chosen, choose, letter, tone, name, word, counts }: RowProps) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  // A command is no path, though it may name some.
  const isPath = /^(\/|[a-z]:\\)/i.test(name);
  const cut = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'));
  return (
    <li role="option" aria-selected={at === chosen} tabIndex={at === chosen ? 0 : -1} onClick={() => choose(at)} onFocus={() => choose(at)}>
      <span className="revert-letter" data-tone={tone} aria-hidden>
        {letter}
      </span>
      <span className="revert-name">
        <code className="one-line" title={visibleControls(name)}>
          {visibleControls(isPath ? name.slice(cut + 1) : shortenMiddle(name, 60))}
        </code>
        <span className="soft one-line">
          {word}
          {isPath && ` · ${visibleControls(shortenMiddle(tildePath(name.slice(0, cut), home), 40))}`}
        </span>
      </span>
      {counts && <EditCounts added={counts.added} removed={counts.removed} />}
    </li>
  );
}
