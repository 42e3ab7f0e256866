import { nativeId } from '@shared/model';
import type { JsonObject, PartFact, ProjectInput, Projection, RecordFact } from '../store';
import { asList, asNumber, asObject, asText, type Fields } from '../foreign/fields';
import { type LineReader, readLines } from '../foreign/json-lines';
import { isOddTime } from '../foreign/odd-time';
import { oneLine } from './fields';
import { rolloutLines } from './line-rules';
import { kindOf } from './names';
import { projectRollout } from './rollout';

const nothing: Projection = { records: [], evidence: [], removed: [], damage: [], unknown: {}, carry: null };

/** Understands a batch by what its source holds. Bytes in, facts out. */
export function project(input: ProjectInput): Projection {
  switch (kindOf(input.source)) {
    case 'rollout':
    case 'json':
      return projectRollout(input, false);
    case 'base':
      return projectRollout(input, true);
    case 'thread':
      return projectThread(input);
    case 'prompts':
      return projectPrompts(input);
    case 'index':
      return nothing;
  }
}

/** Each line replaces the one before: only the last says what is so. A thread without a file is gone from the store. */
function projectThread(input: ProjectInput): Projection {
  const lines: Fields[] = [];
  readEach(input, (fields) => lines.push(fields));
  const last = lines.at(-1);
  const thread = asText(last?.['thread']);
  if (!last || thread === null) return nothing;
  const session = nativeId(thread);
  // Written by our own survey as JSON, and parsed from it.
  const data = last as JsonObject;
  return { ...nothing, evidence: [{ session, slot: 'thread', data }], removed: asList(last['files']).length > 0 ? [] : [{ session, key: null }] };
}

/** Prompts of which nothing else is left: each is a message of its own. */
function projectPrompts(input: ProjectInput): Projection {
  const before = asObject(input.carry);
  let count = asNumber(before?.['count']) ?? 0;
  let first = asText(before?.['first']);
  let from = asNumber(before?.['from']);
  let to = asNumber(before?.['to']);
  let line = asNumber(before?.['line']) ?? 0;
  const session = nativeId(input.source.slice('prompts/'.length));
  const records: RecordFact[] = [];
  line = readEach(input, (fields, place) => {
    const text = asText(fields['text']) ?? '';
    const seconds = asNumber(fields['ts']);
    const time = seconds === null || isOddTime(seconds * 1000) ? null : seconds * 1000;
    const key = `@${place.at}`;
    const parts: PartFact[] = [{ block: 0, kind: 'text', title: null, text, size: text.length, injected: false }];
    records.push({
      session, key, parent: undefined, joins: null, type: 'history', time, at: place.at, bytes: place.bytes, results: [], note: null, order: place.at, parts,
      message: { key, role: 'user', time, model: null, agentName: null, counted: true, prompt: true, tokens: null },
    });
    count++;
    first ??= oneLine(text);
    from ??= time;
    to = time ?? to;
  }, line);
  const carry = { line, count, first, from, to };
  return { ...nothing, records, evidence: count > 0 ? [{ session, slot: 'prompts', data: { count, first, from, to } }] : [], carry };
}

/** Lines that the store itself wrote; another program cannot have damaged them. Returns the lines counted. */
function readEach(input: ProjectInput, take: (fields: Fields, place: { at: number; bytes: number }) => void, line = 0): number {
  const reader: LineReader = { rules: rolloutLines, record: take, damage: () => undefined };
  return readLines(input.bytes, input.at, line, false, reader).line;
}
