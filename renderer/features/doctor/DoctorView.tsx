import { useCallback, useEffect, useState } from 'react';
import type { Examination } from '@shared/model';
import { useEngine } from '../../app/engine';
import { leaveAside } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { Blank } from '../../ui/Blank';
import { Failed } from '../../ui/Failed';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes, formatCount } from '../../ui/format';
import { AgentMark } from '../../ui/marks';
import { StoreReport } from './StoreReport';

/** The middle of the page while one asks what was read and what was not. */
export function DoctorView() {
  const { examination, error, busy, again } = useExamination();
  if (error !== null) {
    return (
      <Failed title="The stores could not be examined" again={again}>
        {error}
      </Failed>
    );
  }
  if (examination === null) return <Blank title="Looking at what was read" />;
  const { library, stores } = examination;
  const present = stores.filter((store) => store.found || store.sessions > 0 || store.problem !== null);
  const absent = stores.filter((store) => !present.includes(store));
  return (
    <section className="doctor" aria-label="Doctor">
      <header className="doctor-head">
        <div>
          <h1>What was read and what was not</h1>
          <p role="status">{outcomeOf(examination)}</p>
        </div>
        <span className="doctor-acts">
          <button type="button" className="button" disabled={busy} onClick={again}>
            Look again
          </button>
          <button type="button" className="button" onClick={leaveAside}>
            Close
          </button>
        </span>
      </header>
      {present.map((store) => (
        <StoreReport key={store.id} store={store} />
      ))}
      {absent.length > 0 && (
        <section className="doctor-store" aria-label="Not found">
          <h2>Not found</h2>
          <ul className="notice-list">
            {absent.map((store) => (
              <li key={store.id}>
                <span className="edge-title">
                  <AgentMark agent={store.agent} />
                  <code className="break">{visibleControls(store.location)}</code>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="doctor-store" aria-label="Retrace’s own library">
        <h2>Library</h2>
        <p>
          <code className="break">{visibleControls(library.path)}</code>
        </p>
        <p className="soft number">
          {formatBytes(library.bytes)}. {formatBytes(library.log.bytes)} of what was read {library.log.bytes > 0 ? `is kept in ${formatBytes(library.log.stored)}, ${countOf(library.chunks, 'chunk')}` : 'is kept'}; the rest is the index.
        </p>
      </section>
    </section>
  );
}

/** The result in one sentence: stores that cannot be read first, then places. */
function outcomeOf({ stores }: Examination): string {
  const problems = stores.filter((store) => store.problem !== null).length;
  const skipped = stores.reduce((sum, store) => sum + store.skippedTotal, 0);
  const found = stores.filter((store) => store.found).length;
  if (found === 0) return 'No store was found on this machine.';
  const records = `${formatCount(stores.reduce((sum, store) => sum + store.read.records, 0))} records of ${countOf(found, 'store')} were read`;
  if (problems === 0 && skipped === 0) return `Nothing is wrong: ${records}, and no place was skipped.`;
  return `${records}. ${[...(problems > 0 ? [`${countOf(problems, 'store')} ${problems === 1 ? 'has' : 'have'} a problem`] : []), ...(skipped > 0 ? [`${countOf(skipped, 'place')} could not be read as ${skipped === 1 ? 'it stands' : 'they stand'}`] : [])].join('; ')}.`;
}

/** Asks when the view opens and after each pass that changed the library; not while a pass runs, for it counts every record. */
function useExamination() {
  const [state, setState] = useState<{ examination: Examination | null; error: string | null; busy: boolean }>({ examination: null, error: null, busy: false });
  const [asked, setAsked] = useState(0);
  const running = useEngine((engine) => engine.progress?.running === true);
  const revision = useEngine((engine) => engine.info?.revision ?? null);
  const known = state.examination !== null;
  // The first answer is not kept waiting for a pass; later ones follow its end.
  const due = running ? (known ? 'later' : 'now') : `${revision}`;
  useEffect(() => {
    if (due === 'later') return undefined;
    const abort = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    call('doctor', {}, { signal: abort.signal })
      .then((examination) => !abort.signal.aborted && setState({ examination, error: null, busy: false }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setState({ examination: null, error: reasonOf(error), busy: false });
      });
    return () => abort.abort();
  }, [due, asked]);
  return { ...state, again: useCallback(() => setAsked((times) => times + 1), []) };
}
