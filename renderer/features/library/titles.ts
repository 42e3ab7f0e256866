import { useEffect } from 'react';
import { create } from 'zustand';
import type { SessionId, SessionSummary } from '@shared/model';
import { call, isAbandoned } from '../../rpc';
import { useLibrary } from './rows';

/** Sessions that are named by an edge only; asked for one by one and kept. Null: no store has it. */
const useNamed = create<{ named: Map<SessionId, SessionSummary | null> }>(() => ({ named: new Map() }));
const asked = new Set<SessionId>();

async function ask(id: SessionId): Promise<void> {
  if (asked.has(id)) return;
  asked.add(id);
  try {
    const detail = await call('session.get', { session: id });
    useNamed.setState(({ named }) => ({ named: new Map(named).set(id, detail?.summary ?? null) }));
  } catch (error) {
    asked.delete(id);
    if (!isAbandoned(error)) console.error('A session could not be named.', error);
  }
}

/** The summary of a session that another one points to; undefined until it is known. */
export function useSummary(id: SessionId): SessionSummary | null | undefined {
  const listed = useLibrary(({ rows }) => {
    for (const row of rows.values()) if (row.id === id && row.type === 'session') return row.summary;
    return undefined;
  });
  const named = useNamed(({ named: known }) => known.get(id));
  const missing = listed === undefined && named === undefined;
  useEffect(() => {
    if (missing) void ask(id);
  }, [missing, id]);
  return listed ?? named;
}
