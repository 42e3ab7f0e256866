import type { Agent, Certainty } from './words';
import type { PartId, SessionId, StoreId } from './ids';
import type { Damage } from './session';

/**
 * Memory that outlives sessions: files that an agent writes for itself in its store, one folder a project, notepads that a
 * plugin keeps in the project, and the instruction files that sessions recorded as put before the model. The rules are told in docs/memory.md.
 */

/** What happened to the turn that wrote, while what it wrote stays. */
export type MemoryMark = 'rewound' | 'session gone';

/** One recorded call that touched memory. */
export interface MemoryCall {
  part: PartId;
  session: SessionId;
  sessionTitle: string | null;
  agent: Agent;
  /** ISO 8601. */
  time: string | null;
  /** `shell`: a command that names the folder of memory; what it did is not recorded. */
  act: 'write' | 'edit' | 'read' | 'shell';
  /** Name of the file in the folder; null for a shell command. */
  file: string | null;
  /** The plan whose notepad or draft it is; null for other memory, and for a command that names a folder of drafts. */
  plan: string | null;
  /** `unknown`: no result is recorded, so it may have been done or not. */
  outcome: 'done' | 'failed' | 'unknown';
  marks: MemoryMark[];
}

/** A stretch of a file's text, as it was last read, with the call that wrote it. */
export interface MemoryPiece {
  /** Lines from 1, both included. */
  from: number;
  to: number;
  /** Null: no recorded call wrote it. */
  writer: MemoryCall | null;
  /** The plugin put it there when work on the plan began; inferred from the words. */
  scaffold: boolean;
  /** `recorded`: the recorded edits were done again one by one. `inferred`: a call that could not be done again holds the same lines, or wrote them into the file that this one was copied from. */
  certainty: Certainty | null;
}

/** What of an index is put before the model at start. Topic files are not, they are read when needed. */
export interface LoadedPart {
  lines: number;
  /** What ended it; null when the whole text is loaded. */
  limit: 'lines' | 'bytes' | null;
}

export interface MemoryFile {
  /** Names it in `memory.file`. */
  id: string;
  /** In the folder, with `/`. */
  name: string;
  role: 'index' | 'topic' | 'notepad' | 'draft';
  /** The plan that a notepad or draft belongs to, with its item of the view of works; null for other memory. */
  plan: { name: string; item: string | null } | null;
  /** `gone`: deleted since, the library keeps its last text. `never read`: calls wrote it, and it was not there when the library looked. */
  state: 'present' | 'gone' | 'never read';
  bytes: number;
  /** Null where no text was read. */
  lines: number | null;
  /** When the file last changed, as far as read; ISO 8601. */
  changed: string | null;
  /** Texts of it that the library has, the last one included. */
  versions: number;
  /** Null for all but an index, and where no text was read. */
  loaded: LoadedPart | null;
  /** Lines that a call wrote, that are marked, that the plugin put there, and that nobody is known to have written. */
  written: number;
  marked: number;
  scaffold: number;
  unrecorded: number;
  /** Calls that wrote or read it, newest first; the first ones. */
  calls: MemoryCall[];
  callsTotal: number;
  damage: Damage[];
}

export interface MemoryFolder {
  store: StoreId;
  agent: Agent;
  /** `notepads` of one plan and `drafts` of a project are a plugin's (OMO). */
  kind: 'auto memory' | 'notepads' | 'drafts';
  /** `frozen`: the plugin copied these files to a newer folder and left them; null for auto memory. */
  copy: 'live' | 'frozen' | null;
  /** Absolute; of notepads as sessions record it. */
  path: string;
  /** Other projects whose sessions lie in the same folder of the store, and so have the same memory. */
  sharedWith: { key: string; name: string }[];
  /** The index first, then by name; the first ones. */
  files: MemoryFile[];
  filesTotal: number;
  /** Commands that name the folder, newest first; the first ones. */
  shell: MemoryCall[];
  shellTotal: number;
}

/** An instruction file as sessions recorded it. */
export interface InstructionFile {
  path: string;
  /** What the record calls it: `Project`, `User`, `Local`, … or `AGENTS.md`. */
  kind: string;
  /** `inferred`: the record names a folder only. */
  certainty: Certainty;
  characters: number;
  sessions: number;
  /** Times it was recorded. */
  times: number;
  first: string | null;
  last: string | null;
  /** Newest first; the first ones. */
  loads: InstructionLoad[];
}

export interface InstructionLoad {
  session: SessionId;
  sessionTitle: string | null;
  agent: Agent;
  /** Null when the part that shows it is not known. */
  part: PartId | null;
  time: string | null;
}

/** A project with memory, as a list shows it. */
export interface MemoryProject {
  /** Project key as in `Facets.projects`; of a folder that belongs to no session: `memory:` and its place. */
  key: string;
  name: string;
  folder: string | null;
  files: number;
  gone: number;
  bytes: number;
  /** Calls that wrote, those whose turn was rewound, and those whose session is gone. */
  writes: number;
  rewound: number;
  sessionGone: number;
  instructions: number;
  /** Newest change of a file; ISO 8601. */
  changed: string | null;
}

export interface ProjectMemory {
  key: string;
  name: string;
  folder: string | null;
  folders: MemoryFolder[];
  /** Last recorded first; the first ones. */
  instructions: InstructionFile[];
  instructionsTotal: number;
}

/** A window of a file's text with who wrote it. */
export interface MemoryText {
  file: MemoryFile;
  /** First line of the window, from 1. */
  from: number;
  /** Lines without their ends; a very long one is cut. */
  lines: string[];
  total: number;
  /** Those that reach into the window. */
  pieces: MemoryPiece[];
}

/** What one session did to memory, and what it recorded as put before its model. */
export interface SessionMemory {
  /** Key of the project whose memory it is; null when the session has none. */
  project: string | null;
  calls: MemoryCall[];
  callsTotal: number;
  instructions: InstructionFile[];
  instructionsTotal: number;
}
