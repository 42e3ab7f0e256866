import type { Diagnosis, PlacedDiagnosis } from './diagnosis';
import type { MessageId, NativeId, PartId, SessionId, StoreId } from './ids';
import type { Agent, Certainty, ContextState, EdgeKind, PartKind, Role, SessionKind, SourceState, ToolFamily, ToolStatus } from './words';

/** Input without cache, output without reasoning where the store tells them apart. */
export interface Tokens {
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface Counts {
  messages: number;
  user: number;
  assistant: number;
  toolCalls: number;
  parts: number;
}

export interface ParentLink {
  id: SessionId;
  kind: EdgeKind;
  certainty: Certainty;
  /** One sentence: what in the store shows it. */
  evidence: string;
}

/** One session in a list; the stable shape of `retrace ls --json`. Times are ISO 8601 UTC, null when unknown. */
export interface SessionSummary {
  id: SessionId;
  agent: Agent;
  /** Whose transcript it is: the same, but for imported sessions, whose `agent` is `retrace`. */
  writtenBy: Agent;
  store: StoreId;
  nativeId: NativeId;
  title: string | null;
  directory: string | null;
  /** Name of the project the session is filed under. */
  project: string;
  gitBranch: string | null;
  model: string | null;
  /** Who works in it where the store says so: a helper's nickname and role, an agent of OpenCode or of a plugin. */
  agentName: string | null;
  created: string | null;
  updated: string | null;
  archived: string | null;
  kind: SessionKind;
  parent: ParentLink | null;
  /** Null until the session has been indexed. */
  counts: Counts | null;
  /** This session's own requests only, nothing inherited. Null when the store does not say or before the index knows. */
  tokens: Tokens | null;
  compactions: number;
  reverted: boolean;
  source: SourceState;
  /** How many places of it could not be read. */
  damage: number;
}

export interface Edge {
  child: SessionId;
  parent: SessionId;
  kind: EdgeKind;
  certainty: Certainty;
  evidence: string;
  /** False when the parent is named but no store has it. */
  parentKnown: boolean;
  /** Message of the parent after which the child departs, when known. */
  after: MessageId | null;
  /** Part of the parent that started the child (a subagent's tool call), when known. */
  part: PartId | null;
  /** Messages at the child's beginning that came with the fork. */
  inherited: number;
}

export interface Branch {
  id: string;
  current: boolean;
  /** Key of its last record. */
  tip: string;
  /** How many messages it has, shared ones included. */
  count: number;
  /** In order from the first message; empty unless asked for. */
  messages: MessageId[];
}

export interface Todo {
  content: string;
  status: string;
  priority: string | null;
}

/** A state of files that can be restored, as the store names it. */
export interface Checkpoint {
  id: string;
  /** The message the state comes before. */
  message: MessageId | null;
  time: string | null;
  /** Path → where the content is; null content means the file did not exist. */
  files: { path: string; content: string | null }[];
  note: string | null;
}

/** A place that could not be read. */
export interface Damage {
  /** File, database or table, relative to the store's folder. */
  place: string;
  /** Line of a file, from 1; null where lines do not apply. */
  line: number | null;
  /** First byte in the file, from 0; null where bytes do not apply. */
  at: number | null;
  bytes: number | null;
  reason: string;
}

/** A damaged place of a session, and where in its timeline it lies. */
export interface PlacedDamage extends Damage {
  /** Index of the part that follows it; the number of parts where it lies behind the last. 0 also where its place is not known. */
  before: number;
}

/** A fact worth telling that is neither conversation nor damage: a gap in a chain, a repaired order, an odd time, an unknown record type. */
export interface Notice {
  kind: 'gap' | 'order' | 'time' | 'unknown' | 'revert' | 'interrupted' | 'store' | 'other';
  text: string;
  message: MessageId | null;
}

export interface PullRequest {
  url: string;
  number: number | null;
  repository: string | null;
}

export interface Worktree {
  path: string;
  name: string | null;
  branch: string | null;
  originalDirectory: string | null;
}

/** A pending revert: recorded by the agent, not yet final. */
export interface RevertState {
  message: MessageId | null;
  part: PartId | null;
  snapshot: string | null;
  /** Unified diff as the agent stored it; its direction is from the work to its undoing. */
  diff: string | null;
  hiddenMessages: number;
  files: { path: string; added: number; removed: number }[];
}

/** Where an imported session came from. */
export interface ImportedFrom {
  kind: string;
  from: string;
  /** ISO 8601. */
  imported: string;
  notes: string[];
}

/** A session opened: everything but its parts. */
export interface SessionDetail {
  summary: SessionSummary;
  storeFolder: string;
  /** Where an imported session came from. */
  imported: ImportedFrom | null;
  /** The same session of the same agent: in its own store, for an import; as an import, for one of a store. */
  twins: SessionId[];
  /** Program version that wrote the session, when recorded. */
  agentVersion: string | null;
  agentName: string | null;
  models: string[];
  branches: Branch[];
  edges: Edge[];
  checkpoints: Checkpoint[];
  todos: Todo[];
  /** The first places, in the order of the timeline; `summary.damage` counts all of them. */
  damage: PlacedDamage[];
  /** The first ones, in the order of the timeline. */
  diagnoses: PlacedDiagnosis[];
  notices: Notice[];
  pullRequests: PullRequest[];
  worktree: Worktree | null;
  revert: RevertState | null;
  /** Permission rules as recorded with the session. */
  permissions: { permission: string; pattern: string; action: string }[];
  /** `finished`, or `interrupted` when the last reply has no end and nothing runs it, or `recovered` when damage or a gap was bridged. */
  condition: 'finished' | 'interrupted' | 'recovered';
  /** Where a copy of this session also lies (an older layout of the same store). */
  alsoIn: string[];
}

export interface MessageHead {
  id: MessageId;
  nativeId: string;
  role: Role;
  time: string | null;
  model: string | null;
  agentName: string | null;
}

/** Text of which only a part is carried over the link. */
export interface ClippedText {
  text: string;
  /** Characters of the whole. */
  total: number;
  /** Lines of the whole. */
  lines: number;
  /** True when `text` is head and tail with the middle left out; the middle is marked by `gap` characters. */
  gap: { at: number; chars: number; lines: number } | null;
}

export interface FileEdit {
  path: string;
  kind: 'create' | 'edit' | 'delete' | 'rename';
  added: number;
  removed: number;
  /** Unified diff with `---`/`+++` headers; null when the store kept none. */
  patch: string | null;
}

export interface ImageView {
  mime: string;
  /** Base64; null when too large to carry (see `bytes`). */
  data: string | null;
  bytes: number;
}

export interface ToolView {
  name: string;
  family: ToolFamily;
  callId: string | null;
  status: ToolStatus;
  /** The one thing acted on: a path, a command, a pattern, a description. */
  target: string | null;
  input: ClippedText | null;
  output: ClippedText | null;
  exitCode: number | null;
  durationMs: number | null;
  edits: FileEdit[];
  todos: Todo[];
  images: ImageView[];
  /** The session this call started. */
  child: SessionId | null;
  /** Why the status is what it is, when that is not plain (interrupted, never started, denied). */
  note: string | null;
}

/** A part as the timeline shows it: facts first, a bounded body. */
export interface PartView {
  id: PartId;
  nativeId: string;
  /** Place in the session's timeline, from 0. */
  index: number;
  message: MessageHead;
  /** True for the first part of its message on the timeline. */
  opensMessage: boolean;
  kind: PartKind;
  state: ContextState;
  /** One sentence: which record caused the state; null for `live`. */
  reason: string | null;
  /** The part of the record that caused the state, to go to; null for `live`, and where that record shows nothing. */
  cause: PartId | null;
  /** Put in by the agent, not by person or model. */
  injected: boolean;
  /** In what the model would get next. */
  seen: boolean;
  time: string | null;
  /** Bytes of its record in the store. */
  bytes: number;
  title: string | null;
  text: ClippedText | null;
  tool: ToolView | null;
  file: { name: string | null; mime: string | null; image: ImageView | null; source: string | null } | null;
  /** What is wrong at this part; empty for most. */
  diagnoses: Diagnosis[];
}
