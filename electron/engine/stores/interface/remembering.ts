/** Memory that outlives sessions, as a store keeps it. */
import type { Json } from './reading';

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
