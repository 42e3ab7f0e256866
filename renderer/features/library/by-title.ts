import { useEffect, useState } from 'react';
import type { SessionSummary } from '@shared/model';
import { call, isAbandoned } from '../../rpc';

/** Sessions whose titles hold what is typed, last update first; none while nothing is. */
export function useSessionsByTitle(typed: string, count: number): SessionSummary[] {
  const [sessions, setSessions] = useState<SessionSummary[]>([]);
  useEffect(() => {
    if (typed.trim() === '') {
      setSessions([]);
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      call('session.list', { filter: { title: typed.trim(), archived: 'include' }, sort: 'updated', from: 0, count }, { signal: abort.signal })
        .then((answer) => setSessions(answer.sessions))
        .catch((error: unknown) => {
          if (!abort.signal.aborted && !isAbandoned(error)) console.error('Sessions could not be listed.', error);
        });
    }, 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [typed, count]);
  return sessions;
}
