import { TriangleAlert } from 'lucide-react';
import { useEngine } from '../../app/engine';
import { show, useRoute } from '../../app/route';
import { countOf, formatCount } from '../../ui/format';
import { Blank } from '../../ui/Blank';
import { clearFilters, Filters, filterSentence, isFiltered } from './Filters';
import { reloadRows, useLibrary } from './rows';
import { Tree } from './Tree';

/** The left pane: filters, how many sessions match, and the tree. */
export function LibraryPane() {
  const { loaded, error, total, sessions } = useLibrary();
  return (
    <section className="library" aria-label="Library">
      <Filters />
      <div className="library-count soft number">
        <span role="status" aria-live="polite">
          {loaded ? countOf(sessions, 'session') : 'Loading sessions'}
        </span>
        <WhatIsMissed />
      </div>
      {error !== null && (
        <div className="library-error" role="alert">
          The list could not be loaded: {error}{' '}
          <button type="button" className="text-button" onClick={() => void reloadRows()}>
            Try again
          </button>
        </div>
      )}
      {loaded && error === null && total === 0 ? <NothingListed /> : <Tree />}
    </section>
  );
}

/** What is missed here, because a store cannot be read or a place of one is damaged, and the way to all of it. */
function WhatIsMissed() {
  const stores = useEngine((engine) => engine.info?.stores) ?? [];
  const problems = stores.filter((store) => store.problem !== null);
  const damaged = stores.reduce((sum, store) => sum + store.damaged, 0);
  if (problems.length === 0 && damaged === 0) return null;
  const text = problems.length > 0 ? `${countOf(problems.length, 'store')} with a problem` : `${formatCount(damaged)} damaged`;
  const hint = [...problems.map((store) => `${store.folder}: ${store.problem}`), ...(damaged > 0 ? [`${countOf(damaged, 'place')} could not be read as ${damaged === 1 ? 'it stands' : 'they stand'}`] : [])].join('\n');
  return (
    <button type="button" className="text-button tree-hint" data-tone="attention" data-hint={hint} onClick={() => show({ kind: 'doctor' })}>
      <TriangleAlert size={12} aria-hidden /> {text}
    </button>
  );
}

function NothingListed() {
  const view = useRoute(({ library }) => library);
  const facets = useEngine((engine) => engine.facets);
  const running = useEngine((engine) => engine.progress?.running === true);
  if (isFiltered(view)) {
    const projectName = (key: string) => facets?.projects.find((project) => project.key === key)?.name ?? key;
    return (
      <Blank
        title="Nothing matches"
        action={
          <button type="button" className="button" onClick={clearFilters}>
            Clear filter
          </button>
        }
      >
        <p>Looked for {filterSentence(view, projectName)}.</p>
      </Blank>
    );
  }
  if (running) return <Blank title="Looking for sessions">The list fills as they are found.</Blank>;
  const archived = view.archived === 'hide' && (facets?.archived ?? 0) > 0;
  return <p className="soft library-none">{archived ? 'Every session is archived.' : 'There is no session to list.'}</p>;
}
