import { useEffect, useState } from 'react';
import { assertNever, type PlanFileStep, type PlanFileView, type PlanStep } from '@shared/model';
import { useEngine } from '../../app/engine';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes, formatCount, tildePath } from '../../ui/format';
import { DiffView } from '../timeline/parts/DiffView';
import { patchOf } from './patch';
import { fileActs } from './words';

/** One step: a file with its lines, rows by their tables, what a program is asked, what the library keeps. */
export function StepDetail({ plan, step, isDone }: { plan: string; step: PlanStep; isDone: boolean }) {
  switch (step.kind) {
    case 'file':
      return <FileDetail plan={plan} step={step} isDone={isDone} />;
    case 'rows':
      return (
        <>
          <Name name={step.database} />
          <p>{visibleControls(step.why)}</p>
          <table className="plan-rows">
            <thead>
              <tr>
                <th scope="col">Table</th>
                <th scope="col" className="number">
                  {step.act === 'insert' ? 'Rows added' : 'Rows taken out'}
                </th>
              </tr>
            </thead>
            <tbody>
              {step.tables.map(({ table, rows }) => (
                <tr key={table}>
                  <th scope="row">
                    <code>{visibleControls(table)}</code>
                  </th>
                  <td className="number">{formatCount(rows)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="soft">All of it in one transaction: all rows, or none.</p>
        </>
      );
    case 'program':
      return (
        <>
          <h3>{step.program === 'git' ? 'git' : `The program ${step.program}`} is asked</h3>
          <pre className="plain plan-command" tabIndex={0} aria-label="Command">
            {visibleControls(step.shown)}
          </pre>
          <p>{visibleControls(step.does)}</p>
          <p className="soft">{step.inverse === null ? 'Nothing takes it back.' : `Undo: ${visibleControls(step.inverse)}`}</p>
          {step.remains.map((sentence) => (
            <p key={sentence} data-tone="attention">
              Stays after undo: {visibleControls(sentence)}
            </p>
          ))}
        </>
      );
    case 'library':
      return (
        <>
          <h3>Retrace’s own library</h3>
          <p>{visibleControls(step.does)}</p>
        </>
      );
    default:
      return assertNever(step, 'step');
  }
}

function Name({ name }: { name: string }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  return (
    <h3 className="break">
      <code>{visibleControls(tildePath(name, home))}</code>
    </h3>
  );
}

function FileDetail({ plan, step, isDone }: { plan: string; step: PlanFileStep; isDone: boolean }) {
  const [large, setLarge] = useState(false);
  const [found, setFound] = useState<PlanFileView | string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    call('plan.file', { plan, index: step.index, large }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setFound(answer ?? 'The plan is not kept any more.'))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setFound(reasonOf(error));
      });
    return () => abort.abort();
  }, [plan, step.index, large]);
  const { word, done } = fileActs[step.act];
  return (
    <>
      <Name name={step.path} />
      <p>
        {visibleControls(step.why)}{' '}
        <span className="soft number">
          {isDone ? `It was ${done}` : `It ${word}`}
          {sizes(step)}.
        </span>
      </p>
      {found === null ? (
        <p className="soft" role="status">
          Reading the file.
        </p>
      ) : typeof found === 'string' ? (
        <p className="soft">{visibleControls(found)}</p>
      ) : (
        <Lines view={found} isDone={isDone} showLarge={() => setLarge(true)} />
      )}
    </>
  );
}

function sizes({ before, after }: PlanFileStep): string {
  if (before !== null && after !== null) return `, ${formatBytes(before)} → ${formatBytes(after)}`;
  const only = after ?? before;
  return only === null ? '' : `, ${formatBytes(only)}`;
}

function Lines({ view: { step, hunks, large, beginning }, isDone, showLarge }: { view: PlanFileView; isDone: boolean; showLarge(): void }) {
  if (hunks !== null) {
    return <DiffView edit={{ path: step.path.slice(step.path.lastIndexOf('/') + 1), kind: step.act === 'append' || step.act === 'change' ? 'edit' : step.act, added: step.added ?? 0, removed: step.removed ?? 0, patch: patchOf(step, hunks) }} verb={isDone ? fileActs[step.act].done : fileActs[step.act].word} />;
  }
  return (
    <>
      {large && (
        <p>
          Its difference has {formatCount(large.chars)} characters.{' '}
          <button type="button" className="text-button" onClick={showLarge}>
            Show it anyway
          </button>
        </p>
      )}
      {beginning !== null && (
        <>
          <h4>How it begins</h4>
          <pre className="plain plan-beginning" tabIndex={0} aria-label="Beginning of the file">
            {visibleControls(beginning)}
          </pre>
          <p className="soft">The first {countOf(beginning.length, 'character')}.</p>
        </>
      )}
      {!large && beginning === null && <p className="soft">{isDone ? 'Its lines are not shown: it is no text, was changed since, or its bytes are not kept any more.' : 'It is no text, or too long for a difference.'}</p>}
    </>
  );
}
