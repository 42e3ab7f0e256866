import type { Json } from '../store';
import type { ForkedFrom } from './forked';
import { atBeginning, type SplitState } from './split';

/** What is known of the run that is being read. JSON by its shape, like all of the carry. */
export type RunState = {
  native: string;
  /** Local time as written; null for what stands before the first header. */
  started: string | null;
  previous: { native: string; started: string | null } | null;
  version: string | null;
  model: string | null;
  models: string[];
  format: string | null;
  gitFolder: string | null;
  restored: boolean;
  /** Left out for a run that Aider began. */
  forkedFrom?: ForkedFrom;
  /** First prompt, first command: the session is called after them. */
  prompt: string | null;
  command: string | null;
  /** Some usage figures were rounded by the program. */
  rounded: boolean;
  trimmed: boolean;
  /** Bytes that are not UTF-8. */
  foreign: number;
};

/** What is known of the turn: which message program messages belong to, and what they speak of. */
export type TurnState = {
  run: RunState | null;
  /** Key of the last prompt's message. */
  prompt: string | null;
  /** The answer's message, or that of messages that came before an answer. */
  message: { key: string; answered: boolean } | null;
  /** Edits of the answer of which nothing says yet what became of them. */
  calls: { id: string; path: string }[];
  /** Command word of the turn, without its mark. */
  command: string | null;
  /** A prompt that the program writes once more, without the command it came with. */
  echo: string | null;
  /** The next commit holds the person's own changes. */
  own: boolean;
  /** Commits since the last prompt: the state before the next one. */
  commits: { slot: string; hash: string; subject: string }[];
};

export type Carry = {
  version: 1;
  /** Where the last block begins: it may go on, so it is read again with what follows. */
  at: number;
  /** Bytes from there, base64. */
  held: string;
  /** Line ends before it. */
  line: number;
  split: SplitState;
  turn: TurnState;
};

const firstTurn: TurnState = { run: null, prompt: null, message: null, calls: [], command: null, echo: null, own: false, commits: [] };

/** The carry a batch goes on from. What comes back from the library is our own writing; a copy, since a batch must not change its input. */
export function carryOf(carry: Json): Carry {
  return isCarry(carry) ? structuredClone(carry) : { version: 1, at: 0, held: '', line: 0, split: atBeginning, turn: structuredClone(firstTurn) };
}

const isCarry = (carry: unknown): carry is Carry => typeof carry === 'object' && carry !== null && 'version' in carry && carry.version === 1;
