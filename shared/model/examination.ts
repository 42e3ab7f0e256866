import type { PartId, SessionId } from './ids';
import type { Agent } from './words';

/** A place of a store that could not be read as it stands; the reason says when something of it is shown all the same. */
export interface SkippedPlace {
  /** File, or database and table, relative to the store's folder. */
  file: string;
  /** From 1; null where lines do not apply. */
  line: number | null;
  /** First byte in the file, from 0; null where bytes do not apply. */
  at: number | null;
  bytes: number | null;
  reason: string;
  /** The session it stands in, when that is known. */
  session: SessionId | null;
  /** The part of the timeline beside which it is drawn; null where its place in the session is not known. */
  part: PartId | null;
}

/** Transcripts that their agent deletes by itself once they are old enough. */
export interface Deletions {
  /** Days after the last change of the file. */
  days: number;
  /** What said so: the agent's default, or a file of its own. */
  from: string;
  transcripts: number;
  /** Those whose time is over: the agent deletes them when it next cleans up. */
  due: number;
  /** Soonest first, those that are due left out. */
  next: { file: string; time: string }[];
}

/** One store examined: what was found, what was read, what was not and why. */
export interface StoreExamination {
  id: string;
  agent: Agent;
  /** Its folder. */
  location: string;
  origin: 'default' | 'environment' | 'added' | 'import';
  found: boolean;
  problem: string | null;
  sessions: number;
  /** `bytes` are those in the raw log, before they are compressed. */
  read: { sources: number; bytes: number; records: number };
  /** The first places; `skippedTotal` counts all of them. */
  skipped: SkippedPlace[];
  skippedTotal: number;
  /** Sentences worth knowing that are no damage. */
  notices: string[];
  /** The record types that take the most room, largest first. */
  sizes: { type: string; records: number; bytes: number }[];
  /** Record types that no reader knows, most frequent first. */
  unknown: { type: string; count: number }[];
  /** Sessions that only the library has; the first are named. */
  gone: { total: number; sessions: SessionId[] };
  deletions: Deletions | null;
}

export interface Examination {
  /** `bytes`: the file and its write-ahead log. `log`: what was read, and what it takes compressed. */
  library: { path: string; bytes: number; chunks: number; log: { bytes: number; stored: number } };
  stores: StoreExamination[];
}
