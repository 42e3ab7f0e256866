import type { Diagnosis, DiagnosisClass } from '@shared/model';
import type { JsonObject } from '../store';
import { asObject, asText } from '../foreign/fields';
import { oneLine } from './records';

/** Characters of an error that are looked at: a provider may send a whole page. */
const lookedAt = 20_000;

type Rule = readonly [DiagnosisClass, (text: string) => boolean];
const has = (...words: string[]) => (text: string): boolean => words.some((word) => text.includes(word));

/** The words of providers, as Oh-My-OpenCode told them apart: the first that fits wins (FORMAT.md, "Failed requests"). */
const rules: readonly Rule[] = [
  ['assistant_prefill_unsupported', has('assistant message prefill', 'conversation must end with a user message')],
  ['thinking_block_modified', (text) => text.includes('thinking') && text.includes('cannot be modified')],
  ['thinking_block_order', (text) => text.includes('thinking') && (has('first block', 'must start with', 'preceeding', 'final block', 'cannot be thinking')(text) || /expected.*found/s.test(text))],
  ['thinking_disabled_violation', (text) => text.includes('thinking is disabled') && text.includes('cannot contain')],
  ['tool_result_missing', (text) => text.includes('tool_use') && text.includes('tool_result')],
  ['unavailable_tool', has('dummy_tool', 'unavailable tool', 'nosuchtoolerror', 'no such tool')],
  ['empty_content', has('non-empty content')],
  ['context_limit', (text) => has('prompt is too long', 'context_length_exceeded', 'too many tokens', 'contextoverflowerror')(text) || /\d tokens > \d+ maximum/.test(text)],
];

/** What an error of a message says: its name, and its words. */
export function messageOf(error: unknown): string | null {
  const fields = asObject(error);
  if (!fields) return asText(error);
  const name = asText(fields['name']) ?? asText(fields['type']);
  const words = asText(asObject(fields['data'])?.['message']) ?? asText(fields['message']);
  return [name, words].filter((text) => text !== null).join(': ') || 'an error without words';
}

/** Which known fault the error of a message is, with its words; null for any other error, such as a wrong key. */
export function faultOf(error: unknown): { class: DiagnosisClass; said: string } | null {
  if (error === undefined || error === null) return null;
  const name = asText(asObject(error)?.['name']) ?? asText(asObject(error)?.['type']) ?? '';
  const said = messageOf(error) ?? name;
  if (name === 'MessageAbortedError') return { class: 'aborted', said: oneLine(said) };
  const text = said.slice(0, lookedAt).toLowerCase();
  const found = rules.find(([, fits]) => fits(text));
  return found ? { class: found[0], said: oneLine(said) } : null;
}

/** The same as settling finds it in a message's note. */
export function faultNote(error: unknown): JsonObject {
  const fault = faultOf(error);
  return fault ? { fault: fault.class, said: fault.said } : {};
}

/** What each class means, and what would help. */
export const faultWords: Record<DiagnosisClass, Pick<Diagnosis, 'text' | 'help'>> = {
  assistant_prefill_unsupported: {
    text: 'The provider refused the request: it ends with a reply, and this model wants the person to have the last word.',
    help: 'A new prompt: then the person has the last word.',
  },
  thinking_block_modified: {
    text: 'The provider refused the request: thinking in the last reply is not as the provider wrote it.',
    help: 'A fork from before that reply; its thinking cannot be put back.',
  },
  thinking_block_order: {
    text: 'The provider refused the request: a reply in the history does not begin with its thinking, though thinking is on.',
    help: 'A model without thinking, or a fork from before the reply that the error names.',
  },
  thinking_disabled_violation: {
    text: 'The provider refused the request: the history holds thinking, and thinking is off for this model.',
    help: 'A model with thinking, or a compaction: a summary holds no thinking.',
  },
  tool_result_missing: {
    text: 'The provider refused the request: a tool call in the history has no result.',
    help: 'A fork from before that call; the same prompt sent again fails again.',
  },
  unavailable_tool: {
    text: 'The request failed: the model called a tool that is not there.',
    help: 'The agent, plugin or server that offers the tool, or a prompt that names one that is there.',
  },
  empty_content: {
    text: 'The provider refused the request: a message in the history is empty.',
    help: 'A compaction, or a fork from before the empty message.',
  },
  context_limit: {
    text: 'The request did not fit into what the model takes.',
    help: 'A compaction, or a model that takes more.',
  },
  empty_reply: {
    text: 'The model ended its reply without a word and without a tool call.',
    help: 'Asking again. Some providers refuse a history with an empty reply.',
  },
  interrupted_tool: {
    text: 'The program ended while this tool ran: it will not get a result any more.',
    help: 'A new prompt goes on; look first at what the tool had done by then.',
  },
  interrupted_message: {
    text: 'The program ended while this reply was written: what was on the screen last is lost.',
    help: 'Asking again with a new prompt.',
  },
  aborted: {
    text: 'The person stopped this reply.',
    help: 'Nothing has to be mended: the next prompt goes on from here.',
  },
};
