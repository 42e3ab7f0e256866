import { create } from 'zustand';
import type { PartView, SessionId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../rpc';

/** Parts of a subagent drawn at once inside the step that started it. */
export const inlineCount = 30;

export interface InlineWindow {
  open: boolean;
  /** First part asked for. */
  from: number;
  /** Null while they are asked for. */
  parts: PartView[] | null;
  error: string | null;
}

/** Subagents opened in place. Kept here, not in their rows: a row that leaves the screen is dropped, and must come back as high as it was. */
export const useInline = create<{ windows: ReadonlyMap<SessionId, InlineWindow> }>(() => ({ windows: new Map() }));

function put(session: SessionId, window: InlineWindow): void {
  useInline.setState(({ windows }) => ({ windows: new Map(windows).set(session, window) }));
}

/** Shows a window of a subagent's parts in place. */
export async function openInline(session: SessionId, from: number): Promise<void> {
  put(session, { open: true, from, parts: useInline.getState().windows.get(session)?.parts ?? null, error: null });
  try {
    const answer = await call('session.parts', { session, from, count: inlineCount });
    if (useInline.getState().windows.get(session)?.from !== from) return;
    put(session, { open: true, from, parts: answer?.parts ?? [], error: answer === null ? 'The library does not have this session.' : null });
  } catch (error) {
    if (!isAbandoned(error)) put(session, { open: true, from, parts: null, error: reasonOf(error) });
  }
}

export function closeInline(session: SessionId): void {
  const window = useInline.getState().windows.get(session);
  if (window) put(session, { ...window, open: false });
}
