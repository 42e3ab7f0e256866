import { useEffect, useState } from 'react';
import type { JournalEntry, PlanSteps } from '@shared/model';
import { useEngine } from '../../app/engine';
import { show } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes, formatExact, tildePath } from '../../ui/format';
import { GoOn } from './GoOn';
import { StepList } from './PlanSteps';
import { openPlan } from './state';
import { stateWords } from './words';

/** Steps fetched at once, and paths that are named. */
const stepsAsked = 500;
const pathsNamed = 8;

/** One entry of the journal: what became of it, what can be done about it, and what it wrote. */
export function JournalEntryView({ entry }: { entry: JournalEntry }) {
  const { id, state, title, way, because, noUndo, undoneBy, undoes, applied, ended, backups, kind } = entry;
  const { word, tone } = stateWords[state];
  return (
    <section className="journal-entry" aria-label="The chosen plan" tabIndex={0}>
      <h2 className="break">{visibleControls(title)}</h2>
      <p>
        <strong data-tone={tone}>{word}</strong>{' '}
        <span className="soft">
          {formatExact(applied)}
          {ended !== null && ended !== applied && ` to ${formatExact(ended)}`}
          {backups > 0 && ` · ${formatBytes(backups)} of backups`} · <code>{id}</code>
        </span>
      </p>
      <div className="plan-buttons">
        <GoOn entry={entry} opened={() => undefined} />
        {(state === 'interrupted' || state === 'unsettled') && (
          <>
            <button type="button" className="button primary" onClick={() => openPlan({ kind: 'settle', entry: id, go: 'back' })}>
              Go back…
            </button>
            <button type="button" className="button" onClick={() => openPlan({ kind: 'settle', entry: id, go: 'on' })}>
              Go on…
            </button>
          </>
        )}
        {noUndo === null && (
          <button type="button" className="button" onClick={() => openPlan({ kind: 'undo', entry: id })}>
            {kind === 'trash' ? 'Bring back…' : 'Undo…'}
          </button>
        )}
      </div>
      {noUndo !== null && <p className="soft">{visibleControls(noUndo)}</p>}
      {because.map((sentence) => (
        <p key={sentence} data-tone="attention">
          {visibleControls(sentence)}
        </p>
      ))}
      {undoneBy !== null && <Other says="Taken back by" entry={undoneBy} />}
      {undoes !== null && <Other says="It is about" entry={undoes} />}
      <p className="soft">{visibleControls(way)}</p>
      <Written entry={entry} />
      <Steps key={`${id} ${state}`} id={id} />
    </section>
  );
}

function Other({ says, entry }: { says: string; entry: string }) {
  return (
    <p>
      {says}{' '}
      <button type="button" className="text-button" onClick={() => show({ kind: 'journal', entry })}>
        {entry}
      </button>
    </p>
  );
}

function Written({ entry: { written } }: { entry: JournalEntry }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  if (written.length === 0) return null;
  return (
    <details className="journal-written">
      <summary>{countOf(written.length, 'file')} written</summary>
      <ul className="plan-written">
        {written.slice(0, pathsNamed).map((path) => (
          <li key={path}>
            <code className="break">{visibleControls(tildePath(path, home))}</code>
          </li>
        ))}
        {written.length > pathsNamed && <li className="soft">and {written.length - pathsNamed} more: the steps below name all</li>}
      </ul>
    </details>
  );
}

function Steps({ id }: { id: string }) {
  const [found, setFound] = useState<PlanSteps | string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    call('plan.steps', { plan: id, from: 0, count: stepsAsked }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setFound(answer ?? 'The journal has its steps no more.'))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setFound(reasonOf(error));
      });
    return () => abort.abort();
  }, [id]);
  if (found === null) return <p className="soft" role="status">Reading its steps.</p>;
  if (typeof found === 'string') return <p role="alert">{visibleControls(found)}</p>;
  return <StepList plan={id} first={found.steps} total={found.total} isDone />;
}
