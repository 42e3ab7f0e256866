import type { Counts, Tokens } from './session';
import type { SessionId } from './ids';
import type { Agent } from './words';

/** What an import would bring, as a plan shows it: read by the agent's own reader, kept nowhere yet. */
export interface ImportPreview {
  kind: string;
  /** The address or path it comes from. */
  from: string;
  /** Whose transcript it is. */
  agent: Agent;
  title: string | null;
  directory: string | null;
  models: string[];
  /** ISO 8601. */
  created: string | null;
  updated: string | null;
  counts: Counts | null;
  tokens: Tokens | null;
  compactions: number;
  /** Subagents, or other runs of the same history, that come along. */
  others: number;
  /** Files it tells to have changed; null where that could not be told. */
  files: number | null;
  damage: number;
  bytes: number;
  /** What was said about it. */
  notes: string[];
  /** The library has an import of this session already: the same, or another state of it. */
  known: { session: SessionId; equal: boolean } | null;
  /** The agent's own store here has the session, too. */
  live: SessionId | null;
}

/** Share servers of the person's own, after they were asked for or set; with one that is refused none was set. */
export interface ShareServers {
  servers: string[];
  refused: { server: string; reason: string }[];
}

/** A file that is sent up from the machine of the page, piece by piece. */
export type UploadAnswer = { upload: string; received: number } | { refused: string };
