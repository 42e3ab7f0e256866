import type { MessageId, PartId, SessionId } from './ids';
import type { Counts, Edge, Tokens } from './session';
import type { Agent, SessionKind, SourceState } from './words';

/** A branch that is not the current one, as the lineage map draws it. */
export interface FamilyBranch {
  /** As in `Branch.id`. */
  id: string;
  /** Its last part. */
  tip: PartId;
  /** Messages of its own, after it departs. */
  count: number;
  /** Last message it shares with the current branch; null when it departs before the first. */
  departs: MessageId | null;
  /** How far into the session it departs, by parts: from 0 (its beginning) to 1 (its end). */
  at: number;
}

/** A session of a family: what a node of the lineage map tells. Times are ISO 8601 UTC, null when unknown. */
export interface FamilySession {
  id: SessionId;
  /** False when an edge names it but no store has it: then all but id, agent and kind is empty. */
  known: boolean;
  title: string | null;
  agent: Agent;
  /** As in `SessionSummary`. */
  writtenBy: Agent;
  archived: string | null;
  kind: SessionKind;
  created: string | null;
  /** When its own work began: a fork's first messages may be as old as its source. */
  began: string | null;
  updated: string | null;
  /** Session it hangs under in the tree; null for a root. Loops are cut, so that walking up ends. */
  under: SessionId | null;
  /** Null until the session has been indexed. */
  counts: Counts | null;
  /** Of its own requests only. */
  tokens: Tokens | null;
  /** Its own and those of all subagents below it; null when none of them tells. */
  rolledUp: Tokens | null;
  /** Subagents below it, at any depth. */
  subagents: number;
  /** How many of these do not tell their tokens: what `rolledUp` leaves out. */
  untold: number;
  /** Somebody may be at work in it: something was written a short while ago. */
  live: boolean;
  reverted: boolean;
  source: SourceState;
  damage: number;
  /** Branches beside the current one. */
  branches: FamilyBranch[];
}

/** All sessions that edges of any kind connect with one session, nearest first. */
export interface Family {
  session: SessionId;
  sessions: FamilySession[];
  /** Only those of which both ends are in `sessions`. */
  edges: Edge[];
  /** Null when the family is whole. `more`: sessions left out, at least. */
  cut: { limit: number; more: number } | null;
}

/** How many parts of which session of a family match a search; sessions without any are left out. */
export interface FamilyHits {
  hits: { session: SessionId; count: number }[];
  /** True when only the first matches were counted. */
  capped: boolean;
}
