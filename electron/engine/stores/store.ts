/**
 * What a store has to offer. Reading bytes (`survey`, `read`), understanding them (`project`, `settle`, `summarise`,
 * `body`: pure) and keeping them (the library) are three things; a store does the first two.
 *
 * The raw log keeps, for every source, one append-only stream of bytes. For a transcript the stream is the file
 * itself; for rows of a database it is one JSON line a row version. Every fact points at the record it came from by
 * (source, offset in the stream, bytes), so that bodies are read from the log later and a changed reader can project
 * the log again without the store.
 */
import type { Agent, Certainty, Checkpoint, ContextState, Damage, Diagnosis, EdgeKind, NativeId, Notice, PartKind, PullRequest, Role, SentOutput, SessionKind, Todo, Tokens, ToolFamily, ToolStatus, Worktree } from '@shared/model';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Where to look. With a home given by hand `variables` is empty, so that nothing outside that home is read. */
export interface Environment {
  home: string;
  platform: NodeJS.Platform;
  variables: Record<string, string | undefined>;
  /** Folders the person added. */
  added: string[];
  /** The home was given by hand: nothing outside it, and outside what was added, is looked at. */
  confined?: boolean;
  /** Recorded paths under `from` are looked for under `to`. */
  maps?: { from: string; to: string }[];
  /** Folders known as projects from other stores: where an agent that keeps its history in the project (Aider) may have been. */
  projects?: string[];
  /** Folders of this agent's stores that the library has sources of: looked at again, so that what went away is seen to be gone. */
  known?: string[];
}

export interface StoreLocation {
  agent: Agent;
  /** Absolute folder. Everything a store reads lies in it. */
  folder: string;
  origin: 'default' | 'environment' | 'added';
  /** Names of the files in the folder that hold the sessions, where a person may choose them. */
  files?: string[];
}

/** What the library remembers of a source between passes. */
export interface KnownSource {
  key: string;
  /** Bytes in its stream. */
  length: number;
  /** As the last batch of the last pass left it; what a store needs to see that nothing changed and to go on. */
  cursor: Json;
  /** As the last `project` left it. */
  carry: Json;
  /** Keys of its records that are not gone. Asked only when rows are seen to be missing, to say which; without it the source restarts. */
  keys?(): Iterable<string>;
}

export interface KnownSources {
  get(key: string): KnownSource | undefined;
  keys(): Iterable<string>;
}

/** A source with something new. */
export interface SourceChange {
  /** Stable inside the store: a path relative to its folder, with `/`. A database's rows of one session may be a source of their own. */
  key: string;
  /** When it last changed, ms since 1970: newest are read first. */
  changed: number;
  /** Bytes that have to be read, as far as known, for the progress bar. */
  bytes: number;
  /** What `read` needs; never stored. */
  handle: unknown;
  /** The session of `heads` that only this source tells of: should the source be gone before it is read, nothing is known of it. */
  head?: NativeId;
}

/** A session as far as it can be told without reading it whole, so that a list stands before the index. */
export interface SessionHead {
  native: NativeId;
  kind: SessionKind;
  /** Native id of the parent when the place of the file says it. */
  parent: NativeId | null;
  title: string | null;
  directory: string | null;
  gitBranch: string | null;
  model: string | null;
  /** ms since 1970. */
  created: number | null;
  updated: number | null;
  archived: number | null;
}

export interface Survey {
  changes: SourceChange[];
  heads: SessionHead[];
  /** Keys of known sources that are not there any more. */
  gone: string[];
  /** Places that could not be looked at. */
  damage: Damage[];
  /** What is wrong with the store as a whole, in one sentence; its sessions keep what the library has. */
  problem: string | null;
}

/** New bytes of one source: whole records only, bounded in size (see `batchBytes`). */
export interface RawBatch {
  source: string;
  /** True when the source was truncated or replaced: its stream starts again, what was projected from it goes. */
  restarts: boolean;
  /** Offset in the stream of the first byte: the stream's length (0 when `restarts`), or more where a record over the limit was left out. */
  at: number;
  bytes: Uint8Array;
  /** What `changes` must see to know all this was read. */
  cursor: Json;
  /** Places in this source that could not be taken into the stream (a record over the limit, a torn tail). Replaces what was reported for this source at or after `at`. */
  damage: Damage[];
}

/** A batch holds about this many bytes, and one record more at the most. */
export const batchBytes = 4 * 1024 * 1024;
/** A record over this is not parsed: it becomes damage that names its size, and the stream skips it. */
export const recordLimit = 64 * 1024 * 1024;

export interface ToolFact {
  name: string;
  family: ToolFamily;
  callId: string | null;
  status: ToolStatus;
}

/** One thing the timeline draws. */
export interface PartFact {
  /** Which content block of its record. */
  block: number;
  kind: PartKind;
  /** One line, at most 200 characters: what the folded row says (a tool's target, a file's name, a notice). */
  title: string | null;
  /** What search finds, and what `size` measures. For a tool: its input. Not kept; the body comes from the log. Null: not searched. */
  text: string | null;
  /** Characters of the body. */
  size: number;
  injected: boolean;
  /** Lines a tool call added and removed, when the record says. */
  added?: number;
  removed?: number;
  tool?: ToolFact;
  /** A tool's output when it stands in the same record as its call. */
  output?: OutputFact;
}

export interface OutputFact {
  text: string | null;
  size: number;
}

/** The result of a tool call, found in a later record than the call. */
export interface ResultFact {
  callId: string;
  block: number;
  status: ToolStatus;
  text: string | null;
  size: number;
  added?: number;
  removed?: number;
}

/** A message as one record tells it; records with the same key make one message (largest figure wins for tokens). */
export interface MessageFact {
  key: string;
  role: Role;
  /** ms since 1970, null when not recorded. */
  time: number | null;
  model: string | null;
  agentName: string | null;
  /** Counts in `Counts`: false for what the agent put in. */
  counted: boolean;
  /** Typed by the person: opens a turn. */
  prompt: boolean;
  tokens: Tokens | null;
}

/** A native record: a line with an id, or a row. Comes in stream order. */
export interface RecordFact {
  session: NativeId;
  /** Its id in the store; a record with a known key replaces it. Null: it has none (then it is no link of a chain). */
  key: string | null;
  /** Key of the record before it. Undefined: it is not in a chain. Null: a root. */
  parent: string | null | undefined;
  /** Key of what came before a root, when recorded (a compaction boundary). */
  joins: string | null;
  /** The store's own type name, e.g. `system/compact_boundary` or `part/tool`. */
  type: string;
  time: number | null;
  /** Offset in the stream, and length without the line end. */
  at: number;
  bytes: number;
  message: MessageFact | null;
  parts: PartFact[];
  results: ResultFact[];
  /** Small: only what `settle` needs to know of this record beyond its type. */
  note: JsonObject | null;
  /** Sort key inside the session where the order of the stream is not the order to show; compared as a number, then by stream order. */
  order: number | null;
}

/** Something known of a session: replaces what the same slot of the same source said before. Small. */
export interface EvidenceFact {
  session: NativeId;
  slot: string;
  data: JsonObject;
}

export interface Projection {
  records: RecordFact[];
  evidence: EvidenceFact[];
  /** Record keys, or session ids, that the store does not have any more. What the library has of them stays, marked gone. */
  removed: { session: NativeId; key: string | null }[];
  damage: Damage[];
  /** Record types that no reader knows, counted. */
  unknown: Record<string, number>;
  carry: Json;
}

export interface ProjectInput {
  source: string;
  at: number;
  bytes: Uint8Array;
  carry: Json;
}

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

/** The bounded content of a part, from its record (and its result's record). */
export interface BodyRequest {
  record: Uint8Array;
  block: number;
  result: { record: Uint8Array; block: number } | null;
  /** Other files of the store by key (a saved long tool output); null when missing. Bounded by the reader. */
  file(key: string): Uint8Array | null;
}

/** What a record tells of a change of a file beyond what its card shows (docs/diffs.md). */
export interface RecordedEdit {
  oldPath?: string;
  /** The whole file before and after; null: it did not exist. Left out: not recorded. */
  before?: string | null;
  after?: string | null;
  /** The hunks do not say where in the file they stand. */
  unplaced?: true;
  /** Only what the model asked for is recorded, not what came of it. */
  asked?: true;
}

/** A state of all files that a part names: a snapshot tree before or after a step, the files a step changed, a commit. */
export type FilesState =
  | { kind: 'tree'; when: 'before' | 'after'; tree: string }
  | { kind: 'step'; before: string; after: string | null; files: string[] }
  | { kind: 'commit'; hash: string };

export interface PartBody {
  /** Only of parts that name a state of files. */
  state?: FilesState;
  /** Prose of a text, reasoning, summary, command or notice part. */
  text: string | null;
  tool: ToolBody | null;
  file: { name: string | null; mime: string | null; image: ImageBody | null; source: string | null } | null;
}

export interface ImageBody {
  mime: string;
  /** Base64 as stored. */
  data: string;
}

export interface ToolBody {
  target: string | null;
  /** Input as text: the command, or JSON with two spaces. */
  input: string | null;
  output: string | null;
  exitCode: number | null;
  durationMs: number | null;
  edits: { path: string; kind: 'create' | 'edit' | 'delete' | 'rename'; added: number; removed: number; patch: string | null; recorded?: RecordedEdit }[];
  todos: Todo[];
  images: ImageBody[];
  /** Native id of the session this call started. */
  child: NativeId | null;
  note: string | null;
}

/** A session at one point of one branch, as a context is asked for. */
export interface ContextRequest {
  spine: Spine;
  /** As `settle` said of the same spine. */
  settled: Settled;
  /** Place in `settled.branches`; null: the current one. */
  branch: number | null;
  /** Index of the record the point lies before; it and what comes after are left out. Null: now, after everything. */
  before: number | null;
  /** The parts of each record, by its index. */
  parts: readonly (readonly ContextBlock[])[];
}

/** A part as far as its place in the context depends on it. */
export interface ContextBlock {
  block: number;
  kind: PartKind;
  /** Characters of its body, and of its tool's output. */
  size: number;
  outputSize: number;
  status: ToolStatus | null;
  /** Index of the record its output stands in; -1 when there is none, or it stands in the same record. */
  result: number;
}

/** What the agent would send at that point, and what has become of every record until then. */
export interface ContextView {
  /** One a record of the spine; null for what comes after the point. */
  records: (SettledRecord | null)[];
  /** In the order in which it is sent. */
  sent: SentPiece[];
  /** Sentences: what goes along that no store keeps, and what could not be known. */
  notes: string[];
  /** Completed compactions on this branch until the point, oldest first. Left out: the engine takes the parts of kind `compaction`. */
  compactions?: CompactionMark[];
  /** What the agent sends in place of an output that is `cleared`, and of one that is `none`; null: nothing. */
  placeholders?: { cleared: string | null; none: string | null };
  /** Tokens the model can take, where it is recorded. */
  window?: number | null;
}

/** A compaction by its records. */
export interface CompactionMark {
  /** Index of the record that marks it. */
  marker: number;
  /** Indexes of the records that hold the summary. */
  summaries: number[];
  trigger: 'manual' | 'auto' | 'overflow' | null;
  /** Tokens before and after, where recorded. */
  before: number | null;
  after: number | null;
}

export type SentPiece =
  /** A part as it stands; of a tool's output only what `output` says. */
  | { type: 'part'; record: number; block: number; output: SentOutput; /** Characters to reckon with where the part's own size says nothing (a picture). */ size?: number; /** The role it is sent with, where that is not its message's. */ role?: Role }
  /** A message the agent makes when it sends: from a record, whose text `contextText` reads when `text` is null. */
  | { type: 'synthetic'; from: number; item: number; role: Role; state: ContextState; text: string | null; size: number };

/** When the agent itself deletes its transcripts: so many days after a file's last change. */
export interface Retention {
  days: number;
  /** What says so: `default`, or the file whose setting it is. */
  from: string;
}

/** A file that a program keeps for a project beyond its sessions: the folder of the store it belongs to, and its name inside the folder of memory. */
export interface MemoryFileName {
  folder: string;
  name: string;
}

/** How much of a text the program puts before the model when a session begins. */
export interface LoadedLines {
  /** Whole lines from the first. */
  lines: number;
  /** What ended it; null when all is loaded. */
  limit: 'lines' | 'bytes' | null;
}

/** What a recorded call did to a text, as far as its record tells. */
export interface TextChange {
  /** The text before it, where the record holds it. */
  before: string | null;
  steps: TextStep[];
}
export type TextStep = { whole: string } | { old: string; put: string; everywhere: boolean };

/** How an agent, or a plugin of it, keeps memory that outlives its sessions. */
export interface MemoryKeeper {
  kept: MemoryInStore | MemoryInOverlay;
  isIndex(name: string): boolean;
  /** Which lines of an index are loaded at start. */
  loaded(text: string): LoadedLines;
  /** What a recorded call did to one file. */
  change(record: Uint8Array, block: number, result: Uint8Array | null, file: MemoryFileName): TextChange | null;
}

/** Memory in files of the store, read as its sources are. */
export interface MemoryInStore {
  in: 'store';
  /** The memory file that a source is; null for any other source. */
  fileOf(key: string): MemoryFileName | null;
  /** Begin of the keys of all memory files, of every folder. */
  allPrefix: string;
  /** Folder of the memory, relative to the store's. */
  pathOf(folder: string): string;
  /** Begin of the keys of everything that belongs to a folder, sessions included. */
  prefixOf(folder: string): string;
  /** Size and last change (ms since 1970) of a file as its cursor tells them. */
  stateOf(cursor: Json): { bytes: number; changed: number } | null;
}

/** Memory in files of an overlay: a folder is named by its whole path, with `/`, as sessions record it. */
export interface MemoryInOverlay {
  in: 'overlay';
  /** Kinds of the overlay's files that are memory. */
  kinds: readonly string[];
  /** The memory file that a path names; null for any other file. */
  fileOf(path: string): MemoryFileName | null;
  /** The folder of the sessions that a folder of memory belongs to. */
  ownerOf(folder: string): string;
  /** How slots name a folder: calls may name it by its whole path or from the folder they ran in. */
  filedUnder(folder: string): string;
  /** The whole path of a folder that a call named from the folder of its session. */
  placedIn(folder: string, directory: string | null): string;
  /** The folder that this one was copied from, whose writers are those of what was copied. */
  copiedFrom(folder: string): string | null;
  /** The head of a text that the plugin itself put there; empty where there is none. */
  scaffoldOf(text: string): string;
  about(folder: string): { layout: '.omo' | '.sisyphus'; kind: 'notepads' | 'drafts'; planOf(name: string | null): string | null } | null;
}

/**
 * Slots of what calls did to memory files: this, the folder (as its keeper files it), and the place of the call. The library finds them over all
 * sessions (library/schema.ts), so what `project` writes there is a `MemoryTouch`.
 */
export const memorySlot = 'memory ';
/** A type, not an interface, so that it is JSON by its shape. */
export type MemoryTouch = {
  /** In an overlay it may be told from the folder of the session. */
  folder: string;
  /** Null where only the folder is named: a shell command. */
  file: string | null;
  act: 'write' | 'edit' | 'read' | 'shell';
  /** Of the call's record: its key where it has one, else where it begins in the stream. */
  key: string | null;
  at: number;
  block: number;
  /** Names the call over its copies. */
  call: string | null;
};

/** Slots of instruction files that a session recorded as put before the model; what stands there is a `RecordedInstructions`. */
export const instructionsSlot = 'instructions ';
export type RecordedInstructions = {
  key: string | null;
  at: number;
  block: number;
  files: { path: string; kind: string; characters: number; inferred: boolean }[];
};

/** What the library knows of a session of the store that is checked. */
export interface CheckedSession {
  native: NativeId;
  /** Only the library has it. */
  gone: boolean;
  own: JsonObject;
}

export interface WatchSpec {
  /** Folders whose changes mean something new; watched recursively where the system can. */
  folders: string[];
  /** Names that never matter (a database's `-shm`, which our own reading may touch). */
  ignore: RegExp;
}

export interface Command {
  argv: string[];
  cwd: string | null;
}

export interface SessionStore {
  readonly agent: Agent;
  /** Version of the reader: a higher one projects the raw log anew. */
  readonly reader: number;
  locate(environment: Environment): StoreLocation[];
  survey(location: StoreLocation, known: KnownSources): Survey;
  read(location: StoreLocation, change: SourceChange, known: KnownSource | undefined): Iterable<RawBatch>;
  project(input: ProjectInput): Projection;
  settle(spine: Spine): Settled;
  summarise(session: NativeId, evidence: Spine['evidence']): SessionFacts;
  /** Edges between sessions of which one changed, found by comparing them. */
  lineage(view: LineageView, changed: Set<NativeId>): EdgeFact[];
  /** Key that a copied message has where it comes from; null: such a key says nothing in another session. Left out: keys are unique and copied as they are. */
  originalKey?(key: string): string | null;
  body(request: BodyRequest): PartBody;
  /** Changes over a whole turn as the record of its prompt keeps them; left out by stores that keep none. */
  turnDiff?(record: Uint8Array): ToolBody['edits'];
  watch(location: StoreLocation): WatchSpec;
  resumeCommand(native: NativeId, facts: SessionFacts): Command | null;
  /** What the model would get next. Pure; reads no body. */
  context?(request: ContextRequest): ContextView;
  /** Text of a synthetic piece, from the record it is made of. */
  contextText?(record: Uint8Array, item: number): string;
  /** The transcript that a source's stream is byte for byte, relative to the store's folder; null for any other source. Left out: there are none. */
  transcriptOf?(key: string): string | null;
  /** Left out by a store whose agent keeps no memory beside its sessions. */
  readonly memory?: MemoryKeeper;
  /** Folders beside its own in which its databases lie, where they were moved. */
  databaseFolders?(location: StoreLocation): string[];
  /**
   * What does not fit together in the store, and what lies there unused, in sentences: indexes against files, for example.
   * Looks at the store anew, without opening a session's file; what it walks is bounded. For a person who asks.
   */
  check?(location: StoreLocation, sessions: () => Iterable<CheckedSession>): string[];
  /** How long the agent keeps these transcripts; left out by a store whose agent keeps everything. */
  retention?(location: StoreLocation): Retention;
}
