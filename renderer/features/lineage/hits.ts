import { useEffect, useState } from 'react';
import type { SessionId } from '@shared/model';
import { call, isAbandoned } from '../../rpc';
import { search } from '../search/results';

export interface MapHits {
  query: string;
  counts: ReadonlyMap<SessionId, number>;
  /** Matching parts in all. */
  parts: number;
  capped: boolean;
}

export const noHits: MapHits = { query: '', counts: new Map(), parts: 0, capped: false };

/** How the last search of the page matches the sessions of a family; `version` asks again. */
export function useMapHits(session: SessionId, version: unknown): MapHits {
  const query = search.use((results) => results.query.trim());
  const [hits, setHits] = useState(noHits);
  useEffect(() => {
    if (query === '') {
      setHits(noHits);
      return undefined;
    }
    const abort = new AbortController();
    call('lineage.hits', { session, query }, { signal: abort.signal })
      .then((answer) => setHits({ query, counts: new Map(answer.hits.map((hit) => [hit.session, hit.count])), parts: answer.hits.reduce((sum, { count }) => sum + count, 0), capped: answer.capped }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) console.error('The hits of this family could not be counted.', error);
      });
    return () => abort.abort();
  }, [session, query, version]);
  return hits;
}
