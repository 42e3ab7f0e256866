import type { JsonObject, MessageFact, PartFact } from '../store';
import { timeOfId } from './ids';
import { notice, prose } from './part-facts';
import { asNumber, asObject, asText, type Fields } from '../foreign/fields';
import { faultNote, messageOf } from './faults';
import { isMarked } from './records';

/** A message before anything but its place is known. */
export const messageFact = (key: string, role: MessageFact['role'], time: number | null): MessageFact => ({
  key, role, time, model: null, agentName: null, counted: true, prompt: false, tokens: null,
});

/** What a message's own row has to show: how it failed, and an answer in a given form. */
export function messageParts(data: Fields): PartFact[] {
  const parts: PartFact[] = [];
  const error = data['error'] === undefined || data['error'] === null ? null : messageOf(data['error']);
  if (error !== null) parts.push({ block: 0, ...notice(error, error) });
  const structured = asObject(data['structured']);
  if (structured) parts.push({ block: 1, ...prose('text', JSON.stringify(structured, null, 2)) });
  return parts;
}

/** What settling needs to know of a message. `filed` is when its id was made: in a fork that is the time of the copy. */
export function messageNote(key: string, data: Fields, near: number | null): JsonObject {
  const times = asObject(data['time']);
  const error = data['error'] === undefined || data['error'] === null ? null : (asText(asObject(data['error'])?.['name']) ?? 'error');
  const filed = timeOfId(key, near ?? 0);
  return {
    ...(filed === null ? {} : { filed }),
    ...(data['role'] !== 'assistant' ? {} : {
      done: isMarked(times?.['completed']),
      ...(asText(data['finish']) === null ? {} : { finish: asText(data['finish']) }),
      ...(data['summary'] === true ? { summary: true } : {}),
      ...(asText(data['parentID']) === null ? {} : { parent: asText(data['parentID']) }),
      ...(asObject(data['structured']) ? { structured: true } : {}),
      ...(error === null ? {} : { error, ...faultNote(data['error']) }),
    }),
  };
}

/** Figures of a request as recorded: input without what came from the cache, output without reasoning. One below zero is no count. */
export function tokensOf(value: unknown) {
  const tokens = asObject(value);
  if (!tokens) return null;
  const cache = asObject(tokens['cache']);
  const figure = (number: unknown) => Math.max(0, asNumber(number) ?? 0);
  return {
    input: figure(tokens['input']), output: figure(tokens['output']), reasoning: figure(tokens['reasoning']),
    cacheRead: figure(cache?.['read']), cacheWrite: figure(cache?.['write']),
  };
}
