import type { Engine } from '@shared/link';
import type { SessionSummary } from '@shared/model';
import type { Output } from './output';
import type { Paint } from './paint';

/** What every command gets to do its work with. */
export interface CommandContext {
  engine: Engine;
  out: Output;
  /** One sentence on stderr. */
  warn(text: string): void;
  json: boolean;
  paint: Paint;
  /** Calls the listener when the person presses Ctrl-C; returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
  /** stdout is a terminal: a person reads it as it comes. */
  isTerminal: boolean;
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
