import type { Todo } from '@shared/model';
import type { Json } from '../store';
import { asObject } from '../foreign/fields';
import type { Meta } from './meta';

/** A call that has no result yet, or whose real end is recorded later than its output. */
export type OpenCall = {
  /** Of the record that shows it. */
  key: string;
  order: number;
  message: string;
  name: string;
  injected: boolean;
  /** It was to change files. */
  edits: boolean;
  /** Set when an output said that the command runs on, or was stopped. */
  late: 'running' | 'interrupted' | null;
};

/** The message that model output is added to. */
export type OpenMessage = { key: string; hasText: boolean; hasTokens: boolean; hasParts: boolean };

/** Running totals as `token_count` gives them. */
export type Totals = { input: number; cached: number; written: number; output: number; reasoning: number };

/** What a rollout's reader must remember from one batch to the next. Small; JSON by its shape. */
export type Carry = {
  version: 2;
  /** Line ends so far. */
  line: number;
  shape: 'envelope' | 'bare' | null;
  thread: string | null;
  /** The rollout whose lines these are; of a base that of its piece. */
  rollout: string | null;
  /** Set while a copy of another thread's lines is read: where the piece ends. */
  piece: { ordinal: number } | null;
  isBase: boolean;
  meta: Meta | null;
  /** A second session_meta: the thread whose lines were copied in front. */
  copiedFrom: string | null;
  /** True while the lines are copies of the parent's, as the ids of their turns tell. */
  copied: boolean;
  /** Copies have no turn ids: only comparing with the parent can tell them. */
  byContent: boolean;
  /** Ordinal before which stands only what a parent handed over. */
  prefixEnd: number | null;
  lastOrder: number;
  /** Line at which ordinals stopped rising. */
  disorder: number | null;
  hasTurns: boolean;
  turn: string | null;
  /** An error was told since it began. */
  failed: boolean;
  /** Messages of the turn so far; of the file where there are no turns. */
  messages: number;
  /** Turns that ended, newest last, with the order of their end. */
  ended: [string, number][];
  message: OpenMessage | null;
  /** Something new was said to the model: its next output is a new message. */
  fresh: boolean;
  /** The first message of all, without a mark: a fork has it as inherited. */
  firstMessage: string | null;
  /** A person's message of which the response item came first. */
  pending: { key: string; images: number } | null;
  lastPrompt: string | null;
  calls: Record<string, OpenCall>;
  /** Calls so far. */
  opened: number;
  /** Calls that were answered by an item; their output says less. */
  answered: string[];
  /** Texts of the assistant shown lately, to see that a response item repeats them: digest, and the record that shows it. */
  shown: [number, string][];
  /** Ids of their items. */
  shownIds: string[];
  /** A text of the assistant that no event has shown yet. */
  unshown: { digest: number; key: string } | null;
  searches: number;
  compacted: boolean;
  totals: Totals | null;
  usesRecords: boolean;
  responses: string[];
  model: string | null;
  models: string[];
  effort: string | null;
  cwd: string | null;
  /** Folder of the first command, for shapes that record no other. */
  workdir: string | null;
  first: number | null;
  last: number | null;
  /** Records with a time that cannot be true; left out where there are none. */
  odd?: number;
  prompt: string | null;
  name: string | null;
  plan: Todo[] | null;
  /** Threads that were spawned here, with the call that did it. */
  spawned: Record<string, string>;
};

const newCarry = (): Carry => ({
  version: 2, line: 0, shape: null, thread: null, rollout: null, piece: null, isBase: false, meta: null, copiedFrom: null, copied: false, byContent: false, prefixEnd: null,
  lastOrder: -1, disorder: null, hasTurns: false, turn: null, failed: false, messages: 0, ended: [], message: null, fresh: true, firstMessage: null, pending: null, lastPrompt: null, calls: {}, opened: 0, answered: [], shown: [], shownIds: [],
  unshown: null, searches: 0, compacted: false, totals: null, usesRecords: false, responses: [], model: null, models: [], effort: null, cwd: null, workdir: null,
  first: null, last: null, prompt: null, name: null, plan: null, spawned: {},
});

/** A carry of another version is not understood: its source is projected anew when the reader's version rises. */
export function readCarry(value: Json): Carry {
  // Written by this reader and kept as it was; only the version has to be looked at.
  return asObject(value)?.['version'] === 2 ? { ...newCarry(), ...(value as unknown as Carry) } : newCarry();
}

export const asCarry = (carry: Carry): Json => JSON.parse(JSON.stringify(carry)) as Json;

/** Adds to a list that forgets its oldest. */
export function remember<T>(list: T[], value: T, most: number): void {
  list.push(value);
  if (list.length > most) list.shift();
}
