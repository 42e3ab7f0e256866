import type { Agent } from '@shared/model';
import type { ImportOrigin } from '../../stores/retrace/imports';

/** A stream of records as the agent's reader takes it, told in pieces as often as asked. */
export interface TakenStream {
  key: string;
  role: 'records' | 'file';
  /** Native ids. */
  sessions: string[];
  content(): Iterable<{ at: number; bytes: Uint8Array }>;
}

/** What a file or link turned out to be: records of an agent, on the disk already, not in the library yet. */
export interface TakenIn {
  kind: ImportOrigin['kind'];
  agent: Exclude<Agent, 'retrace'>;
  /** Native id of the session that was meant; others (subagents, other runs of a history) come along. */
  root: string;
  title: string | null;
  /** Native ids of all sessions, as far as the form tells before it is read. */
  sessions: { nativeId: string; title: string | null }[];
  streams: TakenStream[];
  /** Path of a bundle that is kept as it is; null: one is made of the streams. */
  bundle: string | null;
  damage: { place: string; reason: string; source: string | null }[];
  /** What a person should know: text that was skipped, values that are masked, roles out of order. */
  notes: string[];
}

/** It is not taken in, and why. */
export interface NotTaken {
  refused: string;
  /** What could be saved of it all the same, if the person wants that. */
  salvage: { messages: number } | null;
}

export const notTaken = (refused: string): NotTaken => ({ refused, salvage: null });
