import type { Role } from '@shared/model';
import type { JsonObject, PartFact } from '../store';
import { childOf } from './calls';
import { editsOf } from './edits';
import type { Owner } from './lines';
import { messageOf } from './faults';
import { filePart, notice, patchPart, prose, step } from './part-facts';
import { asObject, asText, asTexts, type Fields } from '../foreign/fields';
import { asTime, clearedAt, oneLine } from './records';
import { errorOf, exitOf, familyOf, inputText, isOwnCall, statusOf, targetOf, titleOf } from './tools';

/** What a part row says. */
interface PartReading {
  parts: PartFact[];
  /** What settling needs to know of it. */
  note: JsonObject | null;
  /** When it began, as it says itself; a row's own times are those of the last copy. */
  time: number | null;
  /** False when no reader knows its type. */
  known: boolean;
}

/** Reads a part of the first generation (FORMAT.md, "Parts"). */
export function readPart(data: Fields, owner: Owner | null): PartReading {
  const type = asText(data['type']);
  const time = asTime(asObject(data['time'])?.['start']);
  const one = (part: Omit<PartFact, 'block'>, note: JsonObject | null = null): PartReading => ({ parts: [{ block: 0, ...part }], note, time, known: true });
  switch (type) {
    case 'text':
      return one(...textPart(data, owner));
    case 'reasoning':
      return one(prose('reasoning', asText(data['text']) ?? '', { title: oneLine(asText(data['text']) ?? '') }));
    case 'tool':
      return toolPart(data);
    case 'file':
      return one(filePart(asText(data['filename']), asText(data['mime']), asText(data['url']), asText(asObject(data['source'])?.['path'])), isInline(asText(data['mime'])) ? { inline: true } : null);
    case 'agent':
      return one(prose('command', `@${asText(data['name']) ?? ''}`, { title: `@${asText(data['name']) ?? ''}` }));
    case 'subtask':
      return one(prose('command', asText(data['prompt']) ?? '', { title: oneLine(subtaskTitle(data)) }));
    case 'step-start':
      return one(step('step'), asText(data['snapshot']) === null ? { bare: true } : null);
    case 'step-finish':
      return one(step(`step ended: ${asText(data['reason']) ?? 'unknown'}`));
    case 'snapshot':
      return one(step('snapshot'));
    case 'patch':
      return one(patchPart(asTexts(data['files'])));
    case 'compaction':
      return one({ kind: 'compaction', title: compactionTitle(data), text: null, size: 0, injected: false }, compactionNote(data));
    case 'retry':
      return one(notice(`tried again: ${messageOf(data['error']) ?? 'no reason recorded'}`));
    default:
      return { parts: [{ block: 0, ...notice(`a part of the unknown type ${JSON.stringify(type)}`) }], note: { unknown: type ?? 'no type' }, time, known: false };
  }
}

function textPart(data: Fields, owner: Owner | null): [Omit<PartFact, 'block'>, JsonObject | null] {
  const text = asText(data['text']) ?? '';
  if (owner?.summary) return [prose('summary', text), null];
  const synthetic = data['synthetic'] === true;
  const typed = owner?.role === 'user' && !synthetic;
  const note: JsonObject = { ...(typed ? { words: wordsOf(text) } : {}), ...(data['ignored'] === true ? { ignored: true } : {}), ...(text === '' ? { empty: true } : {}), ...(owner?.role === 'assistant' && text.trim() === '' ? { blank: true } : {}) };
  return [prose('text', text, { injected: synthetic }), Object.keys(note).length === 0 ? null : note];
}

/** A text file or folder: its content goes along as texts of the same message, the file itself does not. */
const isInline = (mime: string | null): boolean => mime === 'text/plain' || mime === 'application/x-directory';

/** A number for a text, to see that a prompt was sent again. */
function wordsOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function toolPart(data: Fields): PartReading {
  const state = asObject(data['state']);
  const tool = asText(data['tool']) ?? 'unknown';
  const callId = asText(data['callID']);
  const metadata = asObject(state?.['metadata']);
  const recorded = asText(state?.['status']);
  const input = asObject(state?.['input']);
  const cleared = clearedAt(asObject(state?.['time'])?.['compacted']);
  const child = familyOf(tool) === 'subagent' ? childOf(data) : null;
  const note: JsonObject = {
    ...(recorded === 'running' || recorded === 'pending' ? { open: recorded } : {}),
    ...(cleared === null ? {} : { cleared }),
    ...(child === null ? {} : { child }),
  };
  const output = asText(state?.['output']) ?? errorOf(state);
  // A `!command` of the person: the program runs it and files it as a call of its own.
  const own = tool === 'bash' && isOwnCall(callId);
  return {
    parts: [toolFact({ block: 0, tool, callId, state, input, metadata, output, own })],
    note: Object.keys(note).length === 0 ? null : note,
    time: asTime(asObject(state?.['time'])?.['start']),
    known: true,
  };
}

interface ToolReading {
  block: number;
  tool: string;
  callId: string | null;
  state: Fields | null;
  input: Fields | null;
  metadata: Fields | null;
  output: string | null;
  /** The person's own shell line. */
  own: boolean;
}

/** A call with its result, as both generations keep it: in one record. */
export function toolFact({ block, tool, callId, state, input, metadata, output, own }: ToolReading): PartFact {
  const family = familyOf(tool);
  const { status } = statusOf(state);
  const edits = status === 'completed' ? editsOf(family, input, metadata) : [];
  const called = asText(state?.['title']);
  // Of a file the program's title is its short path.
  const target = (named.has(family) && called) || targetOf(family, input, called);
  const text = inputText(input);
  return {
    block, kind: own ? 'command' : 'tool', title: titleOf(tool, target, exitOf(metadata)), text, size: text.length, injected: false,
    tool: { name: tool, family, callId, status },
    ...(edits.length === 0 ? {} : { added: sum(edits.map(({ added }) => added)), removed: sum(edits.map(({ removed }) => removed)) }),
    ...(output === null ? {} : { output: { text: output, size: output.length } }),
  };
}

const named = new Set(['read', 'write', 'edit']);

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

function subtaskTitle(data: Fields): string {
  const command = asText(data['command']);
  const description = asText(data['description']) ?? asText(data['agent']) ?? 'subtask';
  return command === null ? description : `/${command} ${description}`;
}

function compactionTitle(data: Fields): string {
  if (data['auto'] !== true) return 'compaction asked for by the person';
  return data['overflow'] === true ? 'compaction, because the request did not fit' : 'compaction, because the context was nearly full';
}

function compactionNote(data: Fields): JsonObject {
  return { auto: data['auto'] === true, overflow: data['overflow'] === true, tail: asText(data['tail_start_id']) };
}

/** A part whose message is not there: its type says whose it most likely was. */
export const likelyRole = (type: string | null): Role => (type === 'agent' || type === 'subtask' || type === 'compaction' || type === 'file' ? 'user' : 'assistant');
