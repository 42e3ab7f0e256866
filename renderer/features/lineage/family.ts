import { useEffect } from 'react';
import { create } from 'zustand';
import type { Family, SessionId } from '@shared/model';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../../rpc';

interface FamilyState {
  /** Session whose family was asked for. */
  id: SessionId | null;
  phase: 'loading' | 'ready' | 'unknown' | 'failed';
  error: string | null;
  family: Family | null;
}

/** The family of the open session: for the map, and for figures that only the whole family tells. */
export const useFamilyState = create<FamilyState>(() => ({ id: null, phase: 'loading', error: null, family: null }));

let abort = new AbortController();
let following = false;

async function load(id: SessionId): Promise<void> {
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  try {
    const family = await call('lineage.family', { session: id }, { signal });
    if (!signal.aborted) useFamilyState.setState({ phase: family ? 'ready' : 'unknown', error: null, family });
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) useFamilyState.setState({ phase: 'failed', error: reasonOf(error) });
  }
}

/** Asks for a family; that of a relative who is shown already stays until the answer is there. */
export function openFamily(id: SessionId): void {
  follow();
  const before = useFamilyState.getState();
  if (before.id === id && before.phase === 'loading') return;
  const kept = before.family?.sessions.some((session) => session.id === id) ? before.family : null;
  useFamilyState.setState({ id, phase: kept ? 'ready' : 'loading', error: null, family: kept });
  void load(id);
}

export function reloadFamily(): void {
  const { id } = useFamilyState.getState();
  if (id !== null) void load(id);
}

/** While an index runs the library changes many times a second; a family is asked for again at most this often, ms. */
const changePause = 1_000;
let soon: ReturnType<typeof setTimeout> | undefined;
/** Views that show the family now; without any it is not kept up to date. */
let shownBy = 0;

/** The family follows the library and the link, from the first time that one is asked for. */
function follow(): void {
  if (following) return;
  following = true;
  // Any change may be a new relative: only the engine knows.
  onEngine('library.changed', () => {
    if (shownBy === 0) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      reloadFamily();
    }, changePause);
  });
  onLinked(() => {
    if (shownBy > 0) reloadFamily();
  });
}

/** The family of a session as soon as it is known; kept up to date while it is shown. */
export function useFamily(id: SessionId): Family | null {
  useEffect(() => {
    openFamily(id);
    shownBy += 1;
    return () => {
      shownBy -= 1;
    };
  }, [id]);
  return useFamilyState(({ family }) => (family?.sessions.some((session) => session.id === id) ? family : null));
}
