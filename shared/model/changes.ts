import type { MessageId, PartId, SessionId } from './ids';

/** What happened to a file. `mode`: only its permissions; `binary`: its bytes, which are no text. */
export const changeKinds = ['create', 'edit', 'delete', 'rename', 'mode', 'binary'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/**
 * What recorded a change (docs/diffs.md).
 * - `tool result`: the result of the call has the change, with its place in the file
 * - `tool input`: only what the model asked for is there
 * - `snapshot tree`: git trees before and after a step differ
 * - `checkpoint`: a copy of the file that the agent made
 * - `turn diff`: the agent's own summary of a turn
 * - `commit`: a commit the agent made
 */
export const changeSources = ['tool result', 'tool input', 'snapshot tree', 'checkpoint', 'turn diff', 'commit'] as const;
export type ChangeSource = (typeof changeSources)[number];

/** From best to worst; of several steps the worst holds. */
export const changeCertainties = ['recorded', 'inferred', 'unknown'] as const;
export type ChangeCertainty = (typeof changeCertainties)[number];

/** What is known of a file's content at one end of a change. */
export type ContentKnowledge = 'text' | 'absent' | 'binary' | 'too large' | 'unknown';

/** Which changes are asked for. */
export type DiffScope =
  /** One tool call, or one step's patch part. */
  | { kind: 'part'; part: string }
  /** From 1, in the order of the timeline: a prompt and all that follows until the next one. */
  | { kind: 'turn'; turn: number }
  /** A branch by its id (`current`: the one that is), as its conversation has it: what was taken back is left out. */
  | { kind: 'branch'; branch: string }
  /** The end of a branch, from a part on: what it did since it departed. */
  | { kind: 'stretch'; branch: string; from: string }
  /** All the session itself did to files, in the order of time: every branch, nothing that came with a fork. */
  | { kind: 'session' }
  /** From the state another session left to the state this one left. */
  | { kind: 'against'; session: string };

/** Where in the session a change was made. */
export interface ChangePlace {
  part: PartId;
  message: MessageId;
  /** From 1; 0 before the first prompt. */
  turn: number;
  /** False for what stands on another branch than the current one. */
  current: boolean;
}

/** A change that no record of the session tells, seen because two known states of the file do not meet. */
export interface OutsideChange {
  /** The last change of this session before it; null when there was none. */
  after: ChangePlace | null;
  /** What shows it: the state after the change was seen here. */
  before: ChangePlace;
  evidence: string;
  added: number | null;
  removed: number | null;
  /** The file went back to a state it had earlier in this session (a rewind with files, an undo). */
  restored: boolean;
}

/** One file's change over a scope, without its lines. */
export interface FileChange {
  /** As recorded. */
  path: string;
  /** Inside the session's folder, with `/`; null for a file that lies elsewhere. */
  relative: string | null;
  /** As recorded; null unless the file was renamed. */
  oldPath: string | null;
  /** Like `relative`, of the old path. */
  oldRelative: string | null;
  kind: ChangeKind;
  /** Lines; null where no record tells. */
  added: number | null;
  removed: number | null;
  /** Octal, as git writes them; null where not known or not changed. */
  mode: { before: string; after: string } | null;
  before: ContentKnowledge;
  after: ContentKnowledge;
  certainty: ChangeCertainty;
  sources: ChangeSource[];
  /** Sentences: why the certainty is what it is. */
  evidence: string[];
  /** What is missing from this change, one sentence each; empty when it is whole. */
  gaps: string[];
  /** Changes by others in between: shell commands, the person, another program. */
  outside: OutsideChange[];
  /** How many recorded changes make up this one, and the first of their places. */
  steps: number;
  places: ChangePlace[];
}

/** The files of a scope; a window of them, ordered by path. */
export interface FileChanges {
  session: SessionId;
  scope: DiffScope;
  /** The session's folder as recorded; null when none is. */
  folder: string | null;
  total: number;
  /** Lines over all files whose counts are known; null until those of every file were looked for, window by window. */
  added: number | null;
  removed: number | null;
  from: number;
  /** May be fewer than asked for: comparing the lines of an answer is bounded. */
  files: FileChange[];
  /** What cannot be known of this scope or could not be looked at, one sentence each. */
  notes: string[];
}

/** How much a scope changed, without its files. */
export interface ChangeSum {
  files: number;
  /** Null where comparing all of them is more than is done for a sum. */
  added: number | null;
  removed: number | null;
}

/** A stretch of lines. Each line begins with its mark: blank, `+`, `-`; `\` for a missing line end. */
export interface ChangeHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** What the record says behind the `@@`. */
  heading: string | null;
  lines: string[];
}

/** One file's change with its lines. */
export interface FileDiff {
  file: FileChange;
  /** Null when the lines are not known or too large to send whole; see `large`. */
  hunks: ChangeHunk[] | null;
  /** In git's form; null like `hunks`. */
  patch: string | null;
  /** `git apply` takes the patch as it is: it has its context, its line numbers and a path inside the folder. */
  applies: boolean;
  /** Set when the patch is over the limit: it can be had in windows of characters. */
  large: { chars: number; lines: number; longestLine: number } | null;
  /** The window that was asked for. */
  window: { from: number; text: string } | null;
  /** Lines of the file before the change, where it is known whole: those that the patch leaves out can be had. Else null. */
  wholeLines: number | null;
}
