import type { MessageId, PartId, SessionId } from './ids';
import type { ClippedText } from './session';
import type { ContextState, PartKind, Role } from './words';

/** What is sent of a tool call: its output as it is, a placeholder in its place, or no output at all. */
export type SentOutput = 'whole' | 'cleared' | 'none';

/** One piece of what the agent would send: a part of the session, or (`id` null) a message the agent makes when it sends. */
export interface ContextPart {
  id: PartId | null;
  /** Place on the session's timeline; of a made one the place of the part it is made from, null where that record shows nothing. */
  index: number | null;
  message: MessageId;
  /** The role it is sent with. */
  role: Role;
  kind: PartKind;
  state: ContextState;
  /** Of a tool call only. */
  output: SentOutput | null;
  tokens: number;
  /** False: the provider counted it. True: reckoned from characters, or shared out of a figure for several parts. */
  estimated: boolean;
  title: string | null;
  /** When asked for: first words of a part without a title; null where its body has none. */
  words?: string | null;
  /** The part, or the record that shows nothing, a made message was made from. */
  from: PartId | null;
  /** Of a made message its text; of a call with a placeholder, the placeholder. */
  text: ClippedText | null;
}

/** The size of a request as its provider counted it: system prompt and tool schemas included. */
export interface RequestSize {
  tokens: number;
  message: MessageId;
  time: string | null;
}

/** A window of what the agent would send to the model next. */
export interface ContextAnswer {
  revision: number;
  session: SessionId;
  /** As in `Branch.id`. */
  branch: string;
  /** The message the point lies before; null: now, after everything. */
  at: MessageId | null;
  from: number;
  parts: ContextPart[];
  /** How many parts there are in all. */
  count: number;
  /** Tokens of all parts; `estimated` when at least one is an estimate. */
  tokens: number;
  estimated: boolean;
  /** The last request on this branch before the point, where the store kept its figure. Says more than `tokens`: what is left out is in it. */
  request: RequestSize | null;
  /** Tokens the model can take, where a store recorded it. */
  window: number | null;
  /** What goes along and is not in `parts`. */
  leftOut: string[];
  /** What could not be known, and how the agent treats some of these parts. */
  notes: string[];
}

/** A branch or point that is not there, said in one sentence. */
export interface ContextRefusal {
  refused: string;
}

/** What has become of every part at a branch or point, one character a part in timeline order. */
export interface ContextStates {
  revision: number;
  branch: string;
  at: MessageId | null;
  total: number;
  /** See `stateCodes`; `laterCode` for what comes after the point. */
  states: string;
  /** `1`: it is sent. */
  seen: string;
}

/** Why the size is told at this place: a request with its figure, a compaction, another model, a part that takes much room. */
export type PointCause = 'request' | 'compaction' | 'model' | 'large';

/** The size of the context at one place of the timeline. */
export interface ContextPoint {
  index: number;
  part: PartId;
  message: MessageId;
  time: string | null;
  /** Size of the context there; for a `large` part its own size. */
  tokens: number;
  estimated: boolean;
  cause: PointCause;
  /** The models of a switch, the title of a large part. */
  label: string | null;
}

/** A figure that is recorded or an estimate; null when nothing tells it. */
export interface ContextSize {
  tokens: number;
  estimated: boolean;
}

/** A compaction on the branch, with what it did. */
export interface ContextCompaction {
  /** The part that marks it. */
  part: PartId;
  index: number;
  /** The parts that hold its summary. */
  summaries: { part: PartId; index: number }[];
  trigger: 'manual' | 'auto' | 'overflow' | null;
  before: ContextSize | null;
  after: ContextSize | null;
}

/** The stretch between two compactions: places on the timeline from `from` up to, and not including, `to`. */
export interface ContextEpoch {
  from: number;
  to: number;
  /** Size at its beginning and at its end. */
  begins: ContextSize | null;
  ends: ContextSize | null;
  /** The compaction that ended it; null for the present one. */
  compaction: ContextCompaction | null;
}

/** The size of the context over time on one branch. */
export interface ContextHistory {
  revision: number;
  session: SessionId;
  branch: string;
  window: number | null;
  points: ContextPoint[];
  /** Points left out since there were more than one can draw. */
  pointsLeftOut: number;
  /** Oldest first; the oldest are left out where there are too many. */
  epochs: ContextEpoch[];
  epochsLeftOut: number;
}

/** Something of the compacted stretch that its summary does not name. */
export interface LostItem {
  kind: 'file' | 'command' | 'decision';
  /** The path, the command's line, or the sentence. */
  text: string;
  /** The last part that tells of it, and how many do. */
  part: PartId;
  index: number;
  times: number;
}

/** What a summary lost of the stretch it stands for, and how that was looked for. */
export interface ContextLosses {
  revision: number;
  compaction: PartId;
  summaries: PartId[];
  /** Parts of the stretch that were looked at, and those beyond the limit that were not. */
  looked: number;
  notLooked: number;
  /** How many were found of each kind, and how many of them the summary names. */
  found: Record<LostItem['kind'], { total: number; kept: number }>;
  lost: LostItem[];
  /** Items found beyond those listed. */
  lostLeftOut: number;
  /** How it was found, in sentences. */
  how: string[];
}
