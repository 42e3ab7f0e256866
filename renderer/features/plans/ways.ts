import { useEffect, useState } from 'react';
import type { PlanWays } from '@shared/model';
import { call } from '../../rpc';
import { pointAtHand } from './acts';

/** What could be planned at the chosen part; null until it is known, and where it cannot be. */
export function usePointWays(): PlanWays | null {
  const [ways, setWays] = useState<PlanWays | null>(null);
  useEffect(() => {
    const point = pointAtHand();
    if (!point) return undefined;
    const abort = new AbortController();
    call('plan.ways', { session: point.session, at: point.at, ...(point.branch !== null && { branch: point.branch }) }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && answer && !('refused' in answer) && setWays(answer))
      // The plan says why.
      .catch(() => undefined);
    return () => abort.abort();
  }, []);
  return ways;
}
