import type { Readable } from 'node:stream';
import type { Engine } from '@shared/link';
import type { SessionSummary } from '@shared/model';
import type { Output } from './output';
import type { Paint } from './paint';

/** Work that takes a while: how it is done, followed and stopped. */
export interface LongWork<T> {
  work(): Promise<T>;
  /** Shows lines of progress; returns how to stop that. */
  follow(show: (line: string) => void): () => void;
  stop(): void;
}

/** What every command gets to do its work with. */
export interface CommandContext {
  engine: Engine;
  stdin: Readable;
  out: Output;
  /** One sentence on stderr. */
  warn(text: string): void;
  json: boolean;
  paint: Paint;
  /** Calls the listener when the person presses Ctrl-C; returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
  /** stdout is a terminal: a person reads it as it comes. */
  isTerminal: boolean;
  /** Long work, with a line of progress where stderr is a terminal. The first Ctrl-C asks it to stop. */
  wait<T>(long: LongWork<T>): Promise<T>;
  /** Columns of the terminal; Infinity when stdout is none, so that nothing is cut. */
  width: number;
}

/** A command that cannot be done as asked: the reason, and the sessions that might have been meant. */
export class Refusal extends Error {
  override name = 'Refusal';
  constructor(
    reason: string,
    readonly candidates: Pick<SessionSummary, 'id' | 'title'>[] = [],
  ) {
    super(reason);
  }
}
