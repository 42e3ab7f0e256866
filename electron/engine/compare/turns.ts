import type { Tokens } from '@shared/model';
import { isSaid, isTold, type WalkedMessage, type WalkedPart } from './walk';

/** A prompt and what follows until the next; `prompt` is null for what goes on with a turn begun earlier. */
export interface WalkedTurn {
  prompt: WalkedMessage | null;
  messages: WalkedMessage[];
}

/** The turns of a stretch. What was taken back, and what says nothing, is in none. */
export function turnsOf(messages: readonly WalkedMessage[]): WalkedTurn[] {
  const turns: WalkedTurn[] = [];
  for (const message of messages.filter(isTold)) {
    const last = turns.at(-1);
    if (message.prompt || !last) turns.push({ prompt: message.prompt ? message : null, messages: [message] });
    else last.messages.push(message);
  }
  return turns;
}

/** What was said and done on a stretch, and stands. */
export const toldParts = (messages: readonly WalkedMessage[]): WalkedPart[] => messages.flatMap(({ parts }) => parts.filter((part) => isSaid(part) && !part.reverted));

const failures: ReadonlySet<WalkedPart['status']> = new Set<WalkedPart['status']>(['error', 'denied', 'interrupted']);

export interface Figures {
  messages: number;
  turns: number;
  toolCalls: number;
  failed: number;
}

/** Counts what was done on a stretch. */
export function figuresOf(messages: readonly WalkedMessage[]): Figures {
  const told = messages.filter(isTold);
  const calls = toldParts(messages).filter(({ kind }) => kind === 'tool');
  return {
    messages: told.length, turns: told.filter(({ prompt }) => prompt).length, toolCalls: calls.length, failed: calls.filter(({ status }) => failures.has(status)).length,
  };
}

const nothing: Tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/** The tokens of a stretch's own requests; null where there were some and none of them tells. */
export function tokensOf(messages: readonly WalkedMessage[]): Tokens | null {
  const counted = messages.filter(({ inherited, input, output }) => !inherited && (input !== null || output !== null));
  if (counted.length === 0) return messages.some(({ inherited, role }) => !inherited && role === 'assistant') ? null : nothing;
  const sum = (of: (message: WalkedMessage) => number | null) => counted.reduce((total, message) => total + (of(message) ?? 0), 0);
  return { input: sum((m) => m.input), output: sum((m) => m.output), reasoning: sum((m) => m.reasoning), cacheRead: sum((m) => m.cacheRead), cacheWrite: sum((m) => m.cacheWrite) };
}

/** First and last known time, ms since 1970. */
export function spanOf(messages: readonly WalkedMessage[]): { began: number | null; ended: number | null } {
  const times = messages.filter(isTold).flatMap(({ time }) => (time === null ? [] : [time]));
  return times.length === 0 ? { began: null, ended: null } : { began: times.reduce((least, time) => Math.min(least, time)), ended: times.reduce((most, time) => Math.max(most, time)) };
}
