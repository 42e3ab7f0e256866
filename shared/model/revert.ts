import type { ChangeCertainty, ChangeHunk, ChangePlace, ContentKnowledge } from './changes';
import type { MessageId, PartId, SessionId } from './ids';
import type { Agent } from './words';

/**
 * What going back in a session would do to its conversation and to files (docs/reverts.md). A preview: nothing of it
 * is written.
 */

/** A message one can go back to: its prompt, and what followed it, would be taken back. */
export interface RevertPoint {
  message: MessageId;
  /** Its first part, and where that stands on the timeline. */
  part: PartId;
  index: number;
  /** From 1. */
  turn: number;
  /** The beginning of the prompt, one line. */
  title: string;
  time: string | null;
  /** Where it stands now; what is `taken back` cannot be taken back again. */
  on: 'current branch' | 'other branch' | 'taken back';
  /** The agent kept a state of files that belongs to it. */
  checkpoint: boolean;
}

/** A window of the points of a session, in the order of the timeline. */
export interface RevertPoints {
  session: SessionId;
  total: number;
  from: number;
  points: RevertPoint[];
}

/**
 * What would become of a file.
 * - `restorable`: it is as the session left it, and what it held before is known
 * - `deleted`: the session made it after the point; it would go
 * - `recreated`: the session deleted it after the point; it would come back
 * - `unchanged`: it is already as it was before the point
 * - `conflict`: it was changed since the session last wrote it, or that cannot be told
 * - `left alone`: the session did not change it after the point, somebody else did; the agent's own revert would write over it
 * - `memory`: outlives sessions; no revert of the agent takes it back
 * - `cannot`: see `reason`
 */
export const revertFileStates = ['conflict', 'restorable', 'deleted', 'recreated', 'memory', 'cannot', 'left alone', 'unchanged'] as const;
export type RevertFileState = (typeof revertFileStates)[number];

/** Why a file is a conflict, or cannot be gone back with. */
export const revertReasons = [
  'changed since', 'deleted since', 'made again since', 'left unknown',
  'not recorded', 'backup gone', 'trees gone', 'existed before', 'too large', 'too many',
  'no folder', 'folder gone', 'folder not looked at', 'outside', 'unsafe', 'link', 'no file', 'not readable',
] as const;
export type RevertReason = (typeof revertReasons)[number];

/** What the content to go back to is taken from. */
export const revertOrigins = ['checkpoint', 'snapshot tree', 'commit', 'records', 'patch'] as const;
export type RevertOrigin = (typeof revertOrigins)[number];

/** What is left of a file that is a conflict: as it is, as it was before the point, or what others changed kept and disputed places marked. */
export const revertTakes = ['mine', 'checkpoint', 'merge'] as const;
export type RevertTake = (typeof revertTakes)[number];

/** How long the agent keeps what the content is taken from. */
export interface RevertRetention {
  /** Day, as `2026-12-24`. */
  day: string;
  state: 'passed' | 'soon' | 'later';
  /** What says so, one sentence. */
  from: string;
}

/** One file of a preview, without its lines. */
export interface RevertFile {
  /** As recorded. */
  path: string;
  /** Inside the session's folder, with `/`; null for a file that lies elsewhere. */
  relative: string | null;
  state: RevertFileState;
  reason: RevertReason | null;
  /** One sentence: why the state is what it is. */
  because: string;
  /** From the disk now to what the revert would leave. `none`: nothing would change. */
  kind: 'create' | 'edit' | 'delete' | 'binary' | 'none';
  /** Lines of that difference; null where it is not known. */
  added: number | null;
  removed: number | null;
  /** Of what is known of its changes after the point. */
  certainty: ChangeCertainty;
  evidence: string[];
  gaps: string[];
  /** Null where there is nothing to go back to. */
  origin: RevertOrigin | null;
  keptUntil: RevertRetention | null;
  /** What the agent's own revert does to it. */
  agent: { restores: boolean; because: string };
  /** Before the point, as the session left it, and on the disk. */
  before: ContentKnowledge;
  left: ContentKnowledge;
  now: ContentKnowledge;
  /** Others changed it between changes of the session. */
  changedOutside: boolean;
  places: ChangePlace[];
}

/** A text of a file at one of its three moments. */
export interface RevertText {
  state: ContentKnowledge;
  /** Null unless it is a text; cut at its limit. */
  text: string | null;
  /** Characters of the whole; bytes where it is no text. */
  size: number | null;
  cut: boolean;
}

/** A stretch of a merge: lines without dispute, or the three versions of a stretch that both sides changed. */
export type MergePiece =
  | { kind: 'settled'; lines: string[] }
  | { kind: 'disputed'; now: string[]; left: string[]; before: string[] };

/** The session's change taken out of the file as it is now, what others changed kept. */
export interface RevertMerge {
  disputed: number;
  pieces: MergePiece[];
}

/** One file of a preview with its lines. */
export interface RevertFileView {
  file: RevertFile;
  /** From the disk now to what the revert would leave. Null when not known, or over the limit (then `large`). */
  hunks: ChangeHunk[] | null;
  patch: string | null;
  large: { chars: number } | null;
  /** The three moments; null for a file that is no conflict. */
  texts: { before: RevertText; left: RevertText; now: RevertText } | null;
  /** Null where there are not three texts, or they are too long. */
  merge: RevertMerge | null;
}

/** A way to go back. */
export const revertActionKinds = ['code and conversation', 'conversation', 'code', 'summarise from here', 'conversation and files', 'undo commits', 'history file', 'files'] as const;
export type RevertActionKind = (typeof revertActionKinds)[number];

export interface RevertAction {
  kind: RevertActionKind;
  /** Who would do it: the agent's own way, or a plan of Retrace, file by file. */
  by: 'agent' | 'retrace';
  available: boolean;
  /** Why not, and what would make it possible; null when it is available. */
  refused: string | null;
  /** What it would do, one sentence each. */
  conversation: string;
  files: string;
  /** How many of the files it would take back, and how many it would leave. */
  restores: number;
  leaves: number;
}

/** A revert that the agent has done and that is not final yet. */
export interface PendingRevert {
  message: MessageId | null;
  part: PartId | null;
  hiddenMessages: number;
  files: { path: string; added: number; removed: number }[];
  /** As the agent stored it, from the work to its undoing; cut at its limit. */
  diff: string | null;
  diffCut: boolean;
}

/** What of the conversation would be taken back. */
export interface RevertConversation {
  turns: number;
  messages: number;
  parts: number;
  /** The prompts, the first ones. */
  prompts: RevertPoint[];
  /** What the model would still get; null where it is not known. */
  kept: { parts: number; tokens: number; estimated: boolean } | null;
}

/** What going back to before a message would do. Files are a window, the ones to decide on first. */
export interface RevertPreview {
  session: SessionId;
  agent: Agent;
  point: RevertPoint;
  /** Set when another message was asked for: agents go back to prompts. */
  moved: string | null;
  conversation: RevertConversation;
  pending: PendingRevert | null;
  actions: RevertAction[];
  /** Where the files were looked for, after `--map`. */
  folder: { recorded: string | null; looked: string | null; state: 'present' | 'missing' | 'not looked at'; reason: string | null };
  total: number;
  counts: Record<RevertFileState, number>;
  from: number;
  files: RevertFile[];
  /** What cannot be known or could not be looked at, one sentence each. */
  notes: string[];
}

/** A point that is not there, or cannot be gone back to, said in one sentence. */
export interface RevertRefusal {
  refused: string;
}
