import { create } from 'zustand';
import type { SearchAnswer, SearchHit } from '@shared/contract';
import type { SessionId } from '@shared/model';
import { call, isAbandoned, onLinked, reasonOf } from '../../rpc';

export interface Results {
  query: string;
  /** Waits for the answer to what was typed last. */
  busy: boolean;
  error: string | null;
  answer: Omit<SearchAnswer, 'hits'> | null;
  hits: SearchHit[];
  /** The hit that Enter opens. */
  current: number;
}

export const noResults: Results = { query: '', busy: false, error: null, answer: null, hits: [], current: 0 };

/** Said instead of "Searching" while there is no link: the search is asked as soon as there is one. */
export const waitingForLink = 'Waiting for Retrace to answer';

/** Time without a key before the engine is asked, ms. */
const pause = 140;
/** Hits asked for at once by the results view. */
const page = 50;

/** One search of the page: typed text in, hits out; an answer that is overtaken is dropped and its work cancelled. */
export function makeSearch(sessionOf: () => SessionId | null, count: number) {
  const use = create<Results>(() => noResults);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = new AbortController();

  const ask = async (query: string, from: number) => {
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    const session = sessionOf();
    try {
      const { hits, ...answer } = await call('search.query', { query, from, count, ...(session ? { session } : {}) }, { signal });
      if (!signal.aborted) use.setState((before) => ({ busy: false, error: null, answer, hits: from === 0 ? hits : [...before.hits, ...hits], current: from === 0 ? 0 : before.current }));
    } catch (error) {
      if (!signal.aborted && !isAbandoned(error)) use.setState({ busy: false, error: reasonOf(error), answer: null, hits: [] });
    }
  };

  // What was asked when the link went has no answer to come.
  onLinked(() => {
    const { busy, query } = use.getState();
    if (busy && query.trim() !== '') void ask(query, 0);
  });

  return {
    use,
    type(query: string) {
      clearTimeout(timer);
      if (query.trim() === '') {
        abort.abort();
        use.setState({ ...noResults, query });
        return;
      }
      use.setState({ query, busy: true });
      timer = setTimeout(() => void ask(query, 0), pause);
    },
    /** Asks the same again: after the index went on, or the link came back. */
    again() {
      const { query } = use.getState();
      if (query.trim() !== '') void ask(query, 0);
    },
    more() {
      const { query, hits, answer, busy } = use.getState();
      if (busy || !answer || hits.length >= answer.total) return;
      use.setState({ busy: true });
      void ask(query, hits.length);
    },
    walk(direction: 1 | -1) {
      use.setState(({ current, hits }) => ({ current: Math.max(0, Math.min(hits.length - 1, current + direction)) }));
    },
    choose(index: number) {
      use.setState({ current: index });
    },
  };
}

export const search = makeSearch(() => null, page);
