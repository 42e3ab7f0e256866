import type { SessionId } from './ids';
import type { Agent } from './words';

/** What can be left out of the library: a project, an agent with all its stores, or one store of an agent that has several. */
export interface ExclusionTarget {
  kind: 'project' | 'agent' | 'store';
  /** Key of the project (`Facets.projects`), name of the agent, or id of the store. */
  key: string;
}

/** Something that is not indexed any more. */
export interface Exclusion extends ExclusionTarget {
  name: string;
  folder: string | null;
  since: string;
  /** Sessions that were read before and not forgotten: kept, and in no list. */
  sessions: number;
  /** Bytes of theirs in the raw log, compressed. */
  stored: number;
}

/** Room in the library's file. `log` is exact; `words` (the search index) and `rows` are shares by what was searched and by rows: estimates. */
export interface Room {
  log: number;
  words: number;
  rows: number;
}

/** What the library keeps of one agent or one project. */
export interface KeptOf extends Room {
  name: string;
  /** Key of the project, or name of the agent; null for what no project could be told of. */
  key: string | null;
  folder: string | null;
  /** Agents the sessions are of. */
  agents: Agent[];
  sessions: number;
  /** Of these, sessions that only the library has. */
  gone: number;
  /** What was read, before it was compressed. */
  read: number;
  excluded: boolean;
}

/** A session that the keep rule, or an act of forgetting, is about. */
export interface KeptSession {
  id: SessionId;
  title: string | null;
  project: string;
  updated: string | null;
  gone: boolean;
  /** When its source was first seen to be gone. */
  goneSince: string | null;
}

/** How long sessions are kept whose source is gone. */
export interface KeepRule {
  /** Null: for ever. */
  days: number | null;
  /** Sessions whose time is over: they stay until somebody drops them. */
  due: { sessions: number; stored: number; named: KeptSession[] };
  /** Sessions whose time is over and that stay, since another session descends from them or lies in the same file. */
  held: number;
}

/** Whether the file can be made smaller now. */
export interface CompactionView {
  /** Bytes of the file that hold nothing. What was forgotten may stand in them until then. */
  free: number;
  /** Room that is needed beside the file while it is done. */
  needed: number;
  /** Room that is there; null where the system does not say. */
  available: number | null;
  /** Why it cannot be done, in one sentence; null when it can. */
  refusal: string | null;
  /** It runs now. */
  running: CompactionProgress | null;
}

export interface CompactionProgress {
  phase: 'words' | 'copy' | 'write';
  /** Bytes done and in all; 0 in all while that is not known. */
  done: number;
  total: number;
}

/** The library's settings and what it keeps. */
export interface LibraryKeep {
  path: string;
  /** The file and its write-ahead log. */
  bytes: number;
  room: Room & { free: number; other: number };
  /** Raw streams of the log. */
  streams: { total: number; gone: number; read: number };
  sessions: { total: number; gone: number; excluded: number };
  agents: KeptOf[];
  /** Most room first. */
  projects: KeptOf[];
  projectsTotal: number;
  exclusions: Exclusion[];
  rule: KeepRule;
  compaction: CompactionView;
  /** Copies of the library beside it: they still hold what was forgotten since. */
  copies: { file: string; bytes: number }[];
}

export type ForgetTarget = { kind: 'sessions'; sessions: string[] } | ExclusionTarget | { kind: 'due' };

/** What forgetting would take out of the library. Stores are never touched. */
export interface ForgetPlan {
  /** Names the state the plan was made from. */
  token: string;
  sessions: number;
  /** Sessions that only the library has: nothing will be left of them. */
  onlyCopies: number;
  /** Subagents that go with the sessions that started them. */
  along: number;
  /** The first ones. */
  named: KeptSession[];
  streams: number;
  /** Files of a plugin about them. */
  overlays: number;
  frees: Room;
  /** Sessions that descend from one that goes: they keep all they have, and their origin is not known any more. */
  descendants: KeptSession[];
  descendantsTotal: number;
  /** Why it is not done. Empty: it can be. */
  refusals: ForgetRefusal[];
}

export interface ForgetRefusal {
  reason: 'nothing' | 'still there' | 'not excluded' | 'shared' | 'changed';
  /** One sentence. */
  text: string;
  /** The first sessions it is about. */
  sessions: KeptSession[];
  total: number;
}

export interface ForgetOutcome {
  applied: boolean;
  plan: ForgetPlan;
}

export interface CompactionOutcome {
  done: boolean;
  cancelled: boolean;
  /** Why it was not done. */
  refusal: string | null;
  before: number;
  after: number;
}

/** What excluding would do: sessions that leave the lists. */
export interface ExclusionOutcome {
  applied: boolean;
  exclusion: Exclusion;
  /** It was so before. */
  already: boolean;
}

export interface InclusionOutcome {
  applied: boolean;
  exclusion: Exclusion | null;
  /** Sources that will be read again from their beginning, as far as they are there. */
  again: number;
}
