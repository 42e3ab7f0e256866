import type { Json } from '../store';
import { isEntry } from './entry';
import { newTally, type Tally } from './tally';

/** A subagent that release 1.0.x writes into its session's own file. */
export type Sidechain = {
  root: string;
  /** Its records, while the call that started it has no result: later ones name them as parents. */
  keys: string[];
  tally: Tally;
};

/** A call that may start a subagent: what its prompt looks like, so that the sidechain can be told by its first text. */
export type OpenTask = { call: string; length: number; begins: string; description: string | null };

/** What a transcript's reader must remember from one batch to the next. Small; JSON by its shape. */
export type TranscriptState = {
  version: 1;
  /** Line ends so far, and whether the last batch ended inside a line. */
  line: number;
  open: boolean;
  /** Native id of the file's session; null until a line says whose a subagent file is. */
  native: string | null;
  tally: Tally;
  sidechains: Sidechain[];
  tasks: OpenTask[];
  /** Id of the last prompt, command, summary or compaction: checkpoints and todos belong to it. */
  turn: string | null;
  /** Blocks of the last messages, to see lines that are repeated: message id, mark, id of the line. */
  marks: [string, string, string][];
  /** A line that is not of the conversation came since the last one that is. */
  interleaved: boolean;
  /** Lines of the session's own chain so far. */
  links: number;
  /** `summary` lines whose leaf has not been seen in this file: leaf, title. */
  pendingTitles: [string, string][];
  /** Ends of the chain so far: a `summary` line after them names one of these. */
  leaves: string[];
};

export function newState(): TranscriptState {
  return {
    version: 1, line: 0, open: false, native: null, tally: newTally(), sidechains: [], tasks: [], turn: null, marks: [], interleaved: false, links: 0, pendingTitles: [], leaves: [],
  };
}

/** The state a batch goes on from. What comes back is our own writing; a copy, since a batch must not change its input. */
export function stateOf(carry: Json): TranscriptState {
  return isEntry(carry) && carry['version'] === 1 ? (structuredClone(carry) as TranscriptState) : newState();
}
