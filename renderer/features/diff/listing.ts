import { useEffect } from 'react';
import { create } from 'zustand';
import type { DiffScope, FileChange, SessionId } from '@shared/model';
import { call, isAbandoned, onEngine, reasonOf } from '../../rpc';
import { parseScope, scopeText } from './scope';

/** The files of one scope, as far as they are here. */
export interface Listing {
  phase: 'loading' | 'ready' | 'none' | 'failed';
  error: string | null;
  total: number;
  /** Null until the lines of all files were counted. */
  added: number | null;
  removed: number | null;
  notes: string[];
  /** In the order of their paths. */
  files: FileChange[];
}

const nothing: Listing = { phase: 'loading', error: null, total: 0, added: null, removed: null, notes: [], files: [] };

/** Files asked for first: enough for any screen. */
const firstWindow = 100;
/** Files asked for at once, files of one scope that are listed, and scopes that are kept. */
const window = 500;
const listed = 20_000;
const kept = 4;
/** A session at work changes many times a second; its files are asked for anew at most this often, ms. */
const pause = 3_000;

interface Listings {
  listings: ReadonlyMap<string, Listing>;
  /** Grows when a session that is listed changed. */
  version: number;
}
export const useListings = create<Listings>(() => ({ listings: new Map(), version: 0 }));

const keyOf = (session: SessionId, scope: DiffScope): string => `${session} ${scopeText(scope)}`;

function put(key: string, listing: Listing): void {
  const listings = new Map(useListings.getState().listings);
  listings.delete(key);
  listings.set(key, listing);
  for (const oldest of listings.keys()) {
    if (listings.size <= kept) break;
    listings.delete(oldest);
  }
  useListings.setState({ listings });
}

/** Asks for all files, a window after the other; what was known stays until the first window is there. */
async function load(session: SessionId, scope: DiffScope, signal: AbortSignal): Promise<void> {
  const key = keyOf(session, scope);
  const files: FileChange[] = [];
  if (!useListings.getState().listings.has(key)) put(key, nothing);
  try {
    for (let total = 1; files.length < Math.min(total, listed); ) {
      const answer = await call('diff.files', { session, scope, from: files.length, count: files.length === 0 ? firstWindow : window }, { signal });
      if (signal.aborted) return;
      if (!answer || answer.files.length === 0) {
        put(key, { ...nothing, phase: answer ? 'ready' : 'none', notes: answer?.notes ?? [] });
        return;
      }
      files.push(...answer.files);
      total = answer.total;
      const { added, removed, notes } = answer;
      put(key, { phase: files.length < Math.min(total, listed) ? 'loading' : 'ready', error: null, total, added, removed, notes, files: [...files] });
    }
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) put(key, { ...nothing, phase: 'failed', error: reasonOf(error) });
  }
}

/** The files of a scope; null where none is asked for. */
export function useListing(session: SessionId | null, scope: DiffScope | null): Listing | null {
  const text = scope === null ? null : scopeText(scope);
  const version = useListings((state) => state.version);
  useEffect(() => {
    if (session === null || text === null) return undefined;
    const abort = new AbortController();
    void load(session, parseScope(text), abort.signal);
    return () => abort.abort();
  }, [session, text, version]);
  return useListings(({ listings }) => (session === null || scope === null ? null : (listings.get(keyOf(session, scope)) ?? nothing)));
}

/** The files of a scope that are here, for keys. */
export const filesOf = (session: SessionId, scope: DiffScope): readonly FileChange[] => useListings.getState().listings.get(keyOf(session, scope))?.files ?? [];

let soon: ReturnType<typeof setTimeout> | undefined;

/** Called once: lists follow the library. */
export function followFiles(): void {
  onEngine('library.changed', ({ sessions }) => {
    const keys = [...useListings.getState().listings.keys()];
    if (sessions !== null && !sessions.some((session) => keys.some((key) => key.startsWith(`${session} `)))) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      useListings.setState(({ version }) => ({ version: version + 1 }));
    }, pause);
  });
}
