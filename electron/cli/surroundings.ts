import type { Readable, Writable } from 'node:stream';
import type { Hub } from '../engine/hub/hub';
import type { EngineOptions } from '../engine/options';

/** A stream that may be a terminal. */
export type TextStream = Writable & { isTTY?: boolean; columns?: number };

/** What the command line is called with beside its arguments; tests give their own. */
export interface Surroundings {
  /** Read only by what is asked to. */
  stdin: Readable;
  stdout: TextStream;
  stderr: TextStream;
  /** Relative paths are taken from here. */
  folder: string;
  /** The home of this user, read when no other is named. */
  home: string;
  variables: Record<string, string | undefined>;
  /** The way to the library that the options name; nothing is read before it is asked for. */
  openHub(options: EngineOptions): Hub;
  /** Calls the listener when the person presses Ctrl-C; returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
}

/** 0 done, 1 refused or nothing found, 2 usage, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;
