/** What records add up to: the spine that `settle`, `summarise` and `lineage` get, and what they say. */
import type { Certainty, Checkpoint, ContextState, Diagnosis, EdgeKind, NativeId, Notice, PartKind, PullRequest, Role, SessionKind, Todo, Tokens, ToolStatus, Worktree } from '@shared/model';
import type { JsonObject } from './reading';

/** A session's records without their bodies, in stream order over its sources. */
export interface SpineRecord {
  /** Dense, from 0, in stream order. */
  index: number;
  key: string | null;
  /** Index of the parent; -1 a root or not in a chain; -2 it names a parent that is not here. */
  parent: number;
  inChain: boolean;
  /** Key of the named parent when `parent` is -2. */
  missing: string | null;
  joins: number;
  type: string;
  time: number | null;
  order: number | null;
  /** Number of its message inside this session, -1 for none. Records of one message share it. */
  message: number;
  messageKey: string | null;
  role: Role | null;
  prompt: boolean;
  injected: boolean;
  note: JsonObject | null;
  source: string;
  gone: boolean;
}

export interface Spine {
  session: NativeId;
  records: SpineRecord[];
  evidence: { source: string; slot: string; data: JsonObject }[];
  /** ms since 1970; passed in so that the rule stays pure. */
  now: number;
}

export interface SettledRecord {
  state: ContextState;
  /** One sentence: why. Null for live that is seen. */
  reason: string | null;
  /** Index of the record that caused it, -1 for none. */
  cause: number;
  seen: boolean;
}

export interface SettledBranch {
  current: boolean;
  /** Indexes of the records from the root to the tip. */
  path: number[];
}

export interface Settled {
  /** One a record of the spine, same order. */
  records: SettledRecord[];
  /** Indexes in the order to show; null when stream order is right. */
  order: number[] | null;
  branches: SettledBranch[];
  /** Completed ones in this session's own records. */
  compactions: number;
  reverted: boolean;
  notices: (Omit<Notice, 'message'> & { record: number })[];
  condition: 'finished' | 'interrupted' | 'recovered';
  /** Parts of records that are seen which are not sent all the same. */
  unsent?: { record: number; block: number }[];
  /** Records whose messages are left out of the counts: a store may count what was taken back apart. */
  uncounted?: number[];
  /** Status of tool calls that never got a result, by record index and block: overrides what the record says. */
  tools: { record: number; block: number; status: ToolStatus; note: string }[];
  /** What is wrong at a part: `block` of the record, or the last part shown up to that record where it is null or not there. */
  diagnoses?: (Diagnosis & { record: number; block: number | null })[];
  /** Times of messages that no record of theirs tells and another source does (ms since 1970), by a record of the message. */
  times?: { record: number; time: number }[];
}

/** What is shown of a session beside its parts, made from its evidence. */
export interface SessionFacts {
  kind: SessionKind;
  title: string | null;
  directory: string | null;
  /** Folder to group by where it is not `directory`: the repository of a worktree, the new place of a moved project. */
  projectFolder?: string | null;
  gitBranch: string | null;
  model: string | null;
  models: string[];
  agentName: string | null;
  agentVersion: string | null;
  created: number | null;
  updated: number | null;
  archived: number | null;
  /** All times of the session are local ones without a zone, counted as if they were UTC: shown without `Z`. */
  localTime?: true;
  /** The store keeps the session out of lists for good (a warm-up run, a file with no conversation). */
  ignored: boolean;
  todos: Todo[];
  checkpoints: Checkpoint[];
  pullRequests: PullRequest[];
  worktree: Worktree | null;
  permissions: { permission: string; pattern: string; action: string }[];
  /** Native keys: message and part a pending revert goes back to. */
  revert: { message: string | null; part: string | null; snapshot: string | null; diff: string | null; files: { path: string; added: number; removed: number }[] } | null;
  alsoIn: string[];
  /** Own totals where the store keeps no usage by message. */
  tokens: Tokens | null;
  /** Edges the session's own records tell. */
  edges: EdgeFact[];
  notices: Omit<Notice, 'message'>[];
  /** What only the store itself needs, to compare sessions in `lineage`. */
  own?: JsonObject;
}

export interface EdgeFact {
  child: NativeId;
  parent: NativeId;
  kind: EdgeKind;
  certainty: Certainty;
  evidence: string;
  /** Key of the parent's message after which the child departs. */
  after: string | null;
  /** Tool call of the parent that started the child. */
  callId: string | null;
  /** Keys of the child's messages that came with the fork; their tokens are not the child's own. */
  inherited: string[];
}

/** What a store may ask of the library to find lineage that no record tells. */
export interface LineageView {
  /** The same object while one library is open: what a store remembers of its comparisons belongs to that library. Left out: nothing is remembered. */
  readonly library?: object;
  /** All sessions of the store. `facts` is what `summarise` said. */
  sessions(): { native: NativeId; facts: SessionFacts }[];
  /** What `summarise` said of one session; undefined when the store does not have it. */
  facts(session: NativeId): SessionFacts | undefined;
  messages(session: NativeId): LineageMessage[];
  /** Sessions that have a message with this key. */
  holders(messageKey: string): NativeId[];
  /** Sessions that have a prompt, or one of the first messages, of this one. */
  relatives(session: NativeId): NativeId[];
}

export interface LineageMessage {
  key: string;
  role: Role;
  time: number | null;
  /** Time of its first record as the store filed it (for rows: the row's creation), when the note of that record gives `filed`. */
  filed: number | null;
  /** Parts in order: equal content has an equal digest. */
  parts: { kind: PartKind; callId: string | null; digest: number }[];
}
