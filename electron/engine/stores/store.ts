/**
 * What a store has to offer. Reading bytes (`survey`, `read`), understanding them (`project`, `settle`, `summarise`,
 * `body`: pure) and keeping them (the library) are three things; a store does the first two.
 *
 * The raw log keeps, for every source, one append-only stream of bytes. For a transcript the stream is the file
 * itself; for rows of a database it is one JSON line a row version. Every fact points at the record it came from by
 * (source, offset in the stream, bytes), so that bodies are read from the log later and a changed reader can project
 * the log again without the store.
 */
import type { Agent, NativeId } from '@shared/model';
import type { CheckedSession, Environment, Companion, KnownSource, KnownSources, RawBatch, Retention, SourceChange, StoreLocation, Survey, WatchSpec } from './interface/reading';
import type { ProjectInput, Projection } from './interface/projection';
import type { EdgeFact, LineageView, SessionFacts, Settled, Spine } from './interface/settling';
import type { BodyRequest, PartBody, ToolBody } from './interface/bodies';
import type { ContextRequest, ContextView } from './interface/sending';
import type { MemoryKeeper } from './interface/remembering';
import type { StoreWriter } from './interface/writing';

export * from './interface/reading';
export * from './interface/projection';
export * from './interface/settling';
export * from './interface/bodies';
export * from './interface/sending';
export * from './interface/remembering';
export * from './interface/writing';

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
  /** True of a source that only remembers how far others were looked through. Left out: there are none. */
  remembersOthers?(key: string): boolean;
  /**
   * Whose a source is that no session's records are in: of the sessions whose keys begin so (`beside`), or of those whose
   * words name it (`named`). Null for any other source. Left out: there are none.
   */
  companionOf?(key: string): Companion | null;
  /** Where in the store's folder the file lies that a source's stream is byte for byte: what the agent deleted is written back there. Null for any other source; left out: nothing can be. */
  restoredAt?(key: string): string | null;
  /** Left out by a store whose agent keeps no memory beside its sessions. */
  readonly memory?: MemoryKeeper;
  /** Folders beside its own in which its databases lie, where they were moved. */
  databaseFolders?(location: StoreLocation): string[];
  /**
   * What does not fit together in the store, and what lies there unused, in sentences: indexes against files, for example.
   * Looks at the store anew, without opening a session's file; what it walks is bounded. For a person who asks.
   */
  check?(location: StoreLocation, sessions: () => Iterable<CheckedSession>): string[];
  /** Plans of forks and reverts in the agent's own way; left out by a store that is only read. */
  readonly writer?: StoreWriter;
  /** How long the agent keeps these transcripts; left out by a store whose agent keeps everything. */
  retention?(location: StoreLocation): Retention;
}
