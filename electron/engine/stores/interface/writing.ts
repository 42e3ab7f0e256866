/**
 * What a store's planners get and give: drafts of guarded writes. A draft is made without any side effect; the plans
 * (engine/plans) show it, check it, apply it, journal it and take it back. Nothing of a store is written any other way.
 */
import type { Agent, NativeId } from '@shared/model';
import type { JsonObject, StoreLocation } from './reading';
import type { SessionFacts, Settled, Spine } from './settling';

/** What a file holds, told in pieces so that no file need be in memory whole. Asked more than once; gives the same bytes each time. */
export interface FileContent {
  /** Bytes; null where only going through the pieces would tell. */
  size: number | null;
  pieces(): Iterable<Uint8Array>;
}

/**
 * What must be on the disk for the plan to hold. `sha256` in hex, of the whole file. `made`: an earlier step of the same
 * plan makes the place (a new worktree), so that nobody's work can be there; undo leaves the file to what takes the place away.
 */
export type ExpectedFile = { state: 'absent' } | { state: 'present'; sha256: string; bytes: number } | { state: 'made' };

/**
 * One file. `within` is the folder it may not leave: the path from there to the file is gone through without following
 * links. Missing folders between are made (0700 inside a store) and taken away again by undo when they are empty.
 */
export interface FileStep {
  kind: 'file';
  /** Absolute. */
  path: string;
  within: string;
  before: ExpectedFile;
  /** Null: the file goes. `append` adds to what is there in one write, and keeps the file (its inode, its open readers). */
  after: { content: FileContent } | { append: Uint8Array } | null;
  /** Permission bits of a new file; left out: 0600 in a store, else as the file has them (0644 for a new one). */
  mode?: number;
  /** ms since 1970 the file's time is set to; left out: now. */
  modified?: number;
  /** One sentence: what this file is for. */
  why: string;
}

export type RowValue = string | number | bigint | null | Uint8Array;

/** New rows in a SQLite database of the store, all in one transaction. Nothing there is changed or deleted. */
export interface RowsStep {
  kind: 'rows';
  /** Absolute path of the database file. */
  database: string;
  within: string;
  /** Columns by table, in name order, as the planner found them: another schema refuses. */
  schema: Record<string, string[]>;
  /** Single values that must still be what they were, asked inside the transaction. */
  expects: { sql: string; parameters: RowValue[]; value: RowValue }[];
  inserts: RowsInsert[];
  why: string;
}

export interface RowsInsert {
  table: string;
  /** Columns of the primary key, for undo. */
  key: string[];
  count: number;
  rows(): Iterable<Record<string, RowValue>>;
  /** Columns elsewhere that name such a row (by its one key column) without a foreign key: while others do, undo refuses. */
  references?: { table: string; column: string }[];
}

/** Something another program does on its own data: an agent's server, its command line, git. */
export interface ProgramStep {
  kind: 'program';
  /** Who does it: names the performer (`StoreWriter.perform`, or `git`). */
  program: Agent | 'git';
  /** What is asked of it, as plain JSON, so that the journal can keep it. */
  call: JsonObject;
  /** The command line a person would use for the same, or the request, for the plan to show. */
  shown: string;
  /** One sentence each: what it does, and what stays of it after undo. */
  does: string;
  remains: string[];
  /** What takes it back; null: nothing can. `from` is what `call` gave. */
  inverse: { call: JsonObject; shown: string; does: string } | null;
}

/** A fact that only the library keeps. */
export interface LibraryStep {
  kind: 'library';
  /** An edge the agent's store has no place for. `child` null: the session that the program step before it gave. `after`: key of the parent's message after which the child departs. */
  fact: { type: 'lineage'; child: NativeId | null; parent: NativeId; after: string | null };
  does: string;
}

export type DraftStep = FileStep | RowsStep | ProgramStep | LibraryStep;

export interface ExpectedBeginning {
  /** Absolute, and inside `within`. */
  path: string;
  within: string;
  bytes: number;
  sha256: string;
}

/** A guarded write as a store's planner drew it. Steps are done in this order. */
export interface Draft {
  /** Which way was taken, and why it is open: one sentence. */
  way: string;
  steps: DraftStep[];
  /** Files that are only read, or that the result goes on leaning on: their first `bytes` bytes must still be these (`sha256` in hex). */
  expects?: ExpectedBeginning[];
  /** What it can not do, and what will not be as before: one sentence each. */
  limits: string[];
  /** The session that is there afterwards; null: none, or its name is known only when it is done (then `perform` gives `session`). */
  session: NativeId | null;
}

/** Why there is no plan, in one sentence, and what would make one possible. */
export interface WriteRefusal {
  refused: string;
  /** Ways that are open instead; the person may choose one of them. */
  instead?: { way: string; says: string }[];
}

/** Whether the agent is at work on what would be written: asked when a plan is made and again when it is applied. */
export interface BusyReport {
  /** Who is at work and how it was seen; null: nobody was seen. */
  busy: string | null;
  /** What was looked at, and what can not be known: one sentence each. */
  checked: string[];
}

/** A session as a planner gets it: from a live store, a library that outlived its store, or an import. */
export interface SessionToWrite {
  /** Where the agent's store lies, or would lie. */
  location: StoreLocation;
  native: NativeId;
  facts: SessionFacts;
  /** The session’s folder as it lies on this machine, after `--map`; null when none is recorded. A program of the agent works there. */
  folder: string | null;
  spine: Spine;
  settled: Settled;
  /** The bytes of a record, by its index, as the log keeps them. */
  record(index: number): Uint8Array;
  /** Another file of the session by its key (a subagent's transcript, a saved output, a backup), from the store or the log; null when it is gone. */
  file(key: string): Uint8Array | null;
  /** The session lives in that store now; false for an import, and for one the agent deleted. */
  isLive: boolean;
}

/** A place in a session: a branch, and the point before which everything is kept. */
export interface WritePoint {
  /** Index in `settled.branches`; the records from the root to the tip. */
  branch: number;
  path: readonly number[];
  /** Index of the record the point lies before; null: after everything. */
  before: number | null;
  /** Indexes of `path` that are kept: those before the point, unfinished replies left out. */
  kept: readonly number[];
}

export interface Making {
  /** ms since 1970. */
  now: number;
  /** Random bytes, for new ids: given from outside so that tests know them. */
  random(bytes: number): Uint8Array;
}

export interface ForkChoices {
  /** One of `ForkWay.id`; left out: the first that is open. */
  way?: string;
  /** Null or left out: the agent's own rule. */
  title?: string | null;
  /** Aider: tool output goes along. */
  toolOutput?: boolean;
  /** Where the fork runs, when it is not the original's folder: a new git worktree. */
  directory?: string;
}

export interface RevertChoices {
  way?: string;
}

/** A way a session can be forked, or a conversation taken back, as the page offers it. */
export interface WriteWay {
  id: string;
  /** Two or three words. */
  name: string;
  says: string;
  /** Null: open. */
  refused: string | null;
}

export type SessionAct = { act: 'rename'; title: string } | { act: 'archive' } | { act: 'unarchive' } | { act: 'trash'; /** Native ids of subagents that go along. */ children: NativeId[] };

/** What a store offers beyond reading. A method left out is something the agent has no notion of. */
export interface StoreWriter {
  forkWays(session: SessionToWrite, point: WritePoint): WriteWay[];
  planFork(session: SessionToWrite, point: WritePoint, choices: ForkChoices, making: Making): Draft | WriteRefusal | Promise<Draft | WriteRefusal>;
  /** Takes the conversation back to the point. Files are planned apart, by the plans (engine/plans/files). */
  revertWays?(session: SessionToWrite, point: WritePoint): WriteWay[];
  planRevert?(session: SessionToWrite, point: WritePoint, choices: RevertChoices, making: Making): Draft | WriteRefusal | Promise<Draft | WriteRefusal>;
  planAct?(session: SessionToWrite, act: SessionAct, making: Making): Draft | WriteRefusal | Promise<Draft | WriteRefusal>;
  /** `database`s and files of the draft are in it. Bounded in time: at most a second or two. */
  busy(location: StoreLocation, native: NativeId, draft: Draft): BusyReport | Promise<BusyReport>;
  /** Does a program step. What it gives is kept in the journal, and handed to the inverse; `session` in it is the native id of a session it made. Throws `PerformError` with a sentence. */
  perform?(location: StoreLocation, call: JsonObject, given: JsonObject | null, progress: (says: string) => void, signal: AbortSignal): Promise<JsonObject>;
}

/** A program that was asked did not do it; nothing is known to be changed unless `maybe`. */
export class PerformError extends Error {
  override name = 'PerformError';
  constructor(
    message: string,
    /** It may have done a part: the journal says so. */
    readonly maybe: boolean = false,
  ) {
    super(message);
  }
}
