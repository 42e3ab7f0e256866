import { TriangleAlert } from 'lucide-react';
import { useEngine } from '../../app/engine';
import { useRoute } from '../../app/route';
import { countOf } from '../../ui/format';
import { Blank } from '../../ui/Blank';
import { clearFilters, Filters, filterSentence, isFiltered } from './Filters';
import { NoAgents } from './NoAgents';
import { reloadRows, useLibrary } from './rows';
import { Tree } from './Tree';

/** The left pane: filters, how many sessions match, and the tree. */
export function LibraryPane() {
  const { loaded, error, total, sessions } = useLibrary();
  return (
    <section className="library" aria-label="Library">
      <Filters />
      <div className="library-count soft number" role="status" aria-live="polite">
        {loaded ? countOf(sessions, 'session') : 'Loading sessions'}
        <StoreProblems />
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

/** A store that is busy or cannot be read is named where its sessions are missed. */
function StoreProblems() {
  const stores = useEngine((engine) => engine.info?.stores);
  const problems = (stores ?? []).filter((store) => store.problem !== null);
  if (problems.length === 0) return null;
  return (
    <span className="tree-hint" data-tone="attention" data-hint={problems.map((store) => `${store.folder}: ${store.problem}`).join('\n')} tabIndex={0}>
      <TriangleAlert size={12} aria-hidden /> {countOf(problems.length, 'store')} with a problem
    </span>
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
  return <NoAgents />;
}
