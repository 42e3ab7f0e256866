import type { LibrarySort } from '@shared/contract';
import type { Agent, ExportFormat, JournalState, RevertTake } from '@shared/model';
import type { EngineOptions } from '../engine/options';

export interface LsRequest {
  command: 'ls';
  agents: Agent[];
  /** Names or folders, as typed. */
  projects: string[];
  archived: 'include' | 'hide' | 'only';
  /** ISO 8601 UTC. */
  since: string | null;
  until: string | null;
  title: string | null;
  sort: LibrarySort;
  limit: number | null;
}

export interface TreeRequest {
  command: 'tree';
  session: string | null;
}

export interface ShowRequest {
  command: 'show';
  session: string;
  branch: string | null;
  /** The message before which to stop. */
  at: string | null;
  full: boolean;
}

export interface ContextCommand {
  command: 'context';
  session: string;
  branch: string | null;
  /** The message before which the point lies; null: now. */
  at: string | null;
}

export interface DiffRequest {
  command: 'diff';
  session: string;
  /** What was asked for; a part, a message and another session as typed. */
  scope: { kind: 'session' } | { kind: 'turn'; turn: number } | { kind: 'part'; part: string } | { kind: 'branch'; branch: string } | { kind: 'against'; session: string } | { kind: 'revert'; before: string };
  /** Print one patch instead of a list. */
  patch: boolean;
}

export interface SearchRequest {
  command: 'search';
  query: string;
  session: string | null;
  limit: number;
}

export interface CompareRequest {
  command: 'compare';
  /** Names of the two sessions, as typed. */
  a: string;
  b: string;
  /** Ids of branches, `current`, or null for the current one. */
  branchA: string | null;
  branchB: string | null;
}

export interface MemoryRequest {
  command: 'memory';
  /** A project's name, folder or key, as typed; null lists all. */
  project: string | null;
}

export interface ExportCommand {
  command: 'export';
  session: string;
  format: ExportFormat;
  /** Null: to stdout. */
  out: string | null;
  force: boolean;
  /** `current` or a number, as typed. */
  branch: string | null;
  turns: { from: number; to: number } | null;
  toolOutput: boolean;
  reasoning: boolean;
  subagents: boolean;
  redact: boolean;
  keep: string[];
  mask: string[];
}

export interface ImportCommand {
  command: 'import';
  /** A link as typed, a whole path, or `-` for standard input. */
  from: string;
  salvage: boolean;
  host: string | null;
  yes: boolean;
}

export interface LibraryRequest {
  command: 'library';
  act:
    | { kind: 'figures' }
    | { kind: 'exclude' | 'include'; what: string; dryRun: boolean }
    /** Names of sessions, or of one thing that is excluded. */
    | { kind: 'forget'; what: string[]; due: boolean; yes: boolean }
    /** Days undefined: the rule is only shown; null: for ever. */
    | { kind: 'keep'; days: number | null | undefined; dryRun: boolean }
    | { kind: 'compact'; dryRun: boolean }
    | { kind: 'servers'; add: string[]; remove: string[] };
}

export interface ForkRequest {
  command: 'fork';
  session: string;
  /** The message before which to fork; null: as the session is now. */
  at: string | null;
  branch: string | null;
  way: string | null;
  title: string | null;
  /** Null: not said. */
  toolOutput: boolean | null;
  /** A path is absolute; null: beside the repository, and on no branch. */
  worktree: { path: string | null; branch: string | null } | null;
  yes: boolean;
}

export interface RevertRequest {
  command: 'revert';
  session: string;
  /** The message that is taken back, with all after it. */
  at: string;
  scope: 'conversation' | 'files' | 'both';
  way: string | null;
  /** Paths as typed. */
  takes: { path: string; take: RevertTake }[];
  takeAll: RevertTake | null;
  yes: boolean;
}

export interface SessionActRequest {
  command: 'session';
  session: string;
  act: 'rename' | 'archive' | 'unarchive' | 'trash' | 'restore';
  title: string | null;
  yes: boolean;
}

export interface UndoRequest {
  command: 'undo';
  /** Name of an entry of the journal, or a beginning of it. */
  entry: string;
  yes: boolean;
  /** An interrupted write goes on to its end instead of back. */
  finish: boolean;
}

export interface JournalRequest {
  command: 'journal';
  /** Null: all entries. */
  entry: string | null;
  /** Of the list; none: whatever state. */
  states: JournalState[];
}

export type CommandRequest =
  | { command: 'index' } | { command: 'doctor' } | LsRequest | TreeRequest | ShowRequest | ContextCommand | CompareRequest | DiffRequest | SearchRequest | MemoryRequest | ForkRequest | RevertRequest | SessionActRequest | UndoRequest | JournalRequest | ExportCommand | ImportCommand | LibraryRequest;

/** What a command line asks for, understood but not yet looked at. */
export type Request =
  | { json: boolean; engine: EngineOptions; run: CommandRequest }
  /** Arguments for the server, which reads its own. */
  | { serve: string[] }
  | { help: string }
  | { problem: string };
