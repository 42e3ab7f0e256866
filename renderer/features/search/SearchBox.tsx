import { Search, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { leaveAside, show, useRoute } from '../../app/route';
import { onEngine } from '../../rpc';
import { openHit } from './open';
import { search } from './results';

/** The box at the top. Typing shows the hits in the middle, ↑↓ walk them, Enter opens, Esc leaves. */
export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const view = useRoute((route) => route.view);
  const searching = view.kind === 'search';
  const query = searching ? view.query : '';
  const { current, hits } = search.use();

  useEffect(() => {
    if (searching) search.type(query);
    else input.current?.blur();
  }, [searching, query]);
  // Hits come in while the first index runs.
  useEffect(
    () =>
      onEngine('index.progress', (progress) => {
        if (!progress.running && search.use.getState().answer?.indexing && useRoute.getState().view.kind === 'search') search.again();
      }),
    [],
  );

  return (
    <div className="search-box" role="search">
      <Search size={14} aria-hidden />
      <input
        ref={input}
        id="search"
        type="text"
        role="combobox"
        aria-label="Search every part of every session"
        aria-expanded={searching && hits.length > 0}
        aria-controls="hits"
        aria-activedescendant={searching && hits.length > 0 ? `hit-${current}` : undefined}
        aria-autocomplete="list"
        placeholder="Search everything"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onFocus={() => {
          if (!searching && search.use.getState().query) show({ kind: 'search', query: search.use.getState().query });
        }}
        onChange={(event) => show({ kind: 'search', query: event.target.value }, { replace: searching })}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            search.walk(event.key === 'ArrowDown' ? 1 : -1);
          } else if (event.key === 'Enter') {
            const hit = hits[current];
            if (hit && searching) openHit(hit);
          } else if (event.key === 'Escape') {
            event.stopPropagation();
            input.current?.blur();
            if (searching) leaveAside();
          }
        }}
      />
      {searching && query !== '' ? (
        <button type="button" className="bare-icon" aria-label="Leave the search" onClick={leaveAside}>
          <X size={13} aria-hidden />
        </button>
      ) : (
        <kbd aria-hidden>/</kbd>
      )}
    </div>
  );
}

export function focusSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#search');
  input?.focus();
  input?.select();
}
