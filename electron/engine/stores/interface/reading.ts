/** Where a store lies, what of it is new, and its bytes: what `survey` and `read` give. */
import type { Agent, Damage, NativeId, SessionKind, StoreId } from '@shared/model';

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
  /** Folder of the library's imported sessions. */
  imports?: string;
  /** Folders of this agent's stores that the library has sources of: looked at again, so that what went away is seen to be gone. */
  known?: string[];
}

export interface StoreLocation {
  agent: Agent;
  /** Absolute folder. Everything a store reads lies in it. */
  folder: string;
  origin: 'default' | 'environment' | 'added' | 'import';
  /** Name of the store where it is not made of agent and folder. */
  key?: StoreId;
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

/** When the agent itself deletes its transcripts: so many days after a file's last change. */
export interface Retention {
  days: number;
  /** What says so: `default`, or the file whose setting it is. */
  from: string;
}

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

/** Whose a file is that lies beside sessions: see `SessionStore.companionOf`. */
export type Companion = { beside: string } | { named: string };
