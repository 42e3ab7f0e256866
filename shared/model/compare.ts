import type { PartId, SessionId } from './ids';
import type { LostItem } from './context';
import type { SessionDetail, Tokens } from './session';
import type { Agent, EdgeKind } from './words';

/** A part by its id and its place on the session's timeline, from 0. */
export interface PartPointer {
  part: PartId;
  index: number;
}

/** The first line of something that was said, and where. */
export interface Said extends PartPointer {
  text: string;
}

/** What is left of a stretch's changes of one file, with the last of them. What a shell command changed is known where something later shows it. */
export interface ChangedFile extends PartPointer {
  path: string;
  /** Null where no record tells, or where comparing it is more than is done for a list. */
  added: number | null;
  removed: number | null;
}

/** What was done on a stretch of a session. Parts that were taken back are left out. */
export interface Deeds {
  /** Messages of person and model; what the agent put in for itself is not counted. */
  messages: number;
  turns: number;
  toolCalls: number;
  /** Of these: failed, denied or interrupted. */
  failed: number;
  firstPrompt: Said | null;
  lastPrompt: Said | null;
  lastWords: Said | null;
  /** ISO 8601 UTC of its first and last message; null when unknown. */
  began: string | null;
  ended: string | null;
  /** Of its own requests; null where the store does not tell. */
  tokens: Tokens | null;
}

/** A branch with what it did after it departed; for the current branch: after the tree first divides. */
export interface BranchDeeds extends Deeds {
  /** As in `Branch.id`. */
  id: string;
  current: boolean;
  /** The last part it shares with the current branch; null when it departs before the first. */
  departs: PartPointer | null;
  /** The first part of its own; null when it has none. */
  first: PartPointer | null;
  tip: PartPointer | null;
}

/** One way on from a place where the tree divides. */
export interface BranchWay {
  /** The branches that go this way, as in `Branch.id`; the current one last. */
  branches: string[];
  current: boolean;
  /** The first part of this way; null when the branch ends here. */
  first: PartPointer | null;
  /** Turns on it until its end, of the current or the last of its branches. */
  turns: number;
  /** What the person said first on it. */
  prompt: string | null;
}

/** A place where the tree of a session divides. */
export interface BranchFork {
  /** The last part before the ways part; null: they part before the first. */
  at: PartPointer | null;
  ways: BranchWay[];
}

export interface SessionBranches {
  revision: number;
  session: SessionId;
  /** In the order of `SessionDetail.branches`; beyond a limit the first others are left out. */
  branches: BranchDeeds[];
  branchesLeftOut: number;
  /** In the order of the timeline. */
  forks: BranchFork[];
  forksLeftOut: number;
}

/** By what a common beginning was found; `recorded`: a store's records say that one was forked from the other, or both from a third. */
export type CommonFound = 'same session' | 'recorded' | 'equal ids' | 'equal content' | 'none';

/** What two sessions or branches have in common before they part. */
export interface CommonBeginning {
  found: CommonFound;
  /** One sentence: what shows it. */
  evidence: string;
  /** Messages of person and model that both have, and how many of them were recognised by their ids and by their content. */
  messages: number;
  byIds: number;
  byContent: number;
  turns: number;
  /** Edges that connect the two sessions, from the first up and down to the second. */
  edges: { child: SessionId; parent: SessionId; kind: EdgeKind; certainty: 'recorded' | 'inferred' }[];
}

/** Something one side tells of and the other does not: files its tools touched, commands it ran, decisions its model told. */
export interface KnownItem extends PartPointer {
  kind: LostItem['kind'];
  text: string;
  times: number;
}

/** One of the two that are compared, from where they part. */
export interface ComparedSide extends Deeds {
  session: SessionId;
  title: string | null;
  agent: Agent;
  /** As in `Branch.id`. */
  branch: string;
  current: boolean;
  /** How many branches the session has. */
  branches: number;
  /** The last part of the common beginning, and the first part of its own. */
  departs: PartPointer | null;
  first: PartPointer | null;
  compactions: number;
  /** Parts that were taken back: not compared. */
  reverted: number;
  /** How it stands; `left`: the person went back and took another branch. */
  condition: SessionDetail['condition'] | 'left';
  /** Files that differ from where the two part, and lines over all of them; null where comparing them is more than is done for a list. */
  filesChanged: number;
  added: number | null;
  removed: number | null;
  /** What the other does not know, with what was left out of the list. */
  knows: KnownItem[];
  knowsLeftOut: number;
  /** Parts whose content was read for files, commands and decisions; the earliest beyond the limit were not. */
  looked: number;
  notLooked: number;
}

/** A turn as the comparison shows it. */
export interface ComparedTurn extends PartPointer {
  /** First line of the prompt; null when the turn began before the two part. */
  prompt: string | null;
  time: string | null;
  parts: number;
  toolCalls: number;
  failed: number;
  /** Files changed, the first few named. */
  files: string[];
  filesLeftOut: number;
  lastWords: string | null;
}

/** A file changed on at least one side. */
export interface ComparedFile {
  path: string;
  a: ChangedFile | null;
  b: ChangedFile | null;
}

/** Two sessions or branches side by side from the place where they part. */
export interface Comparison {
  revision: number;
  common: CommonBeginning;
  a: ComparedSide;
  b: ComparedSide;
  /** Turns in order: the first of one beside the first of the other. */
  turns: { a: ComparedTurn | null; b: ComparedTurn | null }[];
  turnsLeftOut: number;
  /** Those that both changed first. */
  files: ComparedFile[];
  filesLeftOut: number;
  /** How it was found, in sentences. */
  how: string[];
}

/** A session or branch that is not there, said in one sentence. */
export interface ComparisonRefusal {
  refused: string;
}
