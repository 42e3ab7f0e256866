import type { Tokens } from '@shared/model';
import type { JsonObject, PartFact } from '../store';
import { type Entry, entryOf, isEntry, listOf, nameOf, numberOf, oneLine, textOf } from './entry';
import { resultFact } from './results';
import type { Shown } from './shown';
import { modelName } from './tally';
import { shapeOf, strangePart } from './strange';
import { familyOf, inputText, titleOf } from './tools';

/** The figures of one line. Every line of a message repeats them, early ones with less output; the largest is the message's. */
export function tokensOf(usage: Entry | null): Tokens | null {
  if (!usage) return null;
  // A count below zero is no count.
  const figure = (field: string) => Math.max(0, numberOf(usage[field]) ?? 0);
  return {
    input: figure('input_tokens'), cacheWrite: figure('cache_creation_input_tokens'), cacheRead: figure('cache_read_input_tokens'), output: figure('output_tokens'), reasoning: 0,
  };
}

/** An assistant line: one content block of an API message, or something the program said in the model's place. */
export function showAssistant(entry: Entry, key: string, time: number | null): Shown {
  const message = entryOf(entry['message']);
  const content = message?.['content'];
  const model = modelName(message?.['model']);
  const synthetic = message?.['model'] === '<synthetic>';
  const shown: Shown = {
    message: {
      key: nameOf(message?.['id']) ?? key, role: 'assistant', time, model, agentName: null, counted: !synthetic, prompt: false,
      tokens: synthetic ? null : tokensOf(entryOf(message?.['usage'])),
    },
    parts: [], results: [], note: null,
  };
  const calls: [number, string][] = [];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  if (typeof content !== 'string' && !Array.isArray(content)) shown.parts.push(strangePart(0, shapeOf(content)));
  blocks.forEach((block, index) => {
    if (!isEntry(block)) return void shown.parts.push(strangePart(index, shapeOf(block)));
    const part = synthetic ? spokenByProgram(block, index, entry) : assistantPart(block, index);
    if (part) shown.parts.push(part);
    if (part?.tool?.callId) calls.push([index, part.tool.callId]);
    const type = block['type'];
    if (typeof type === 'string' && type.endsWith('_tool_result')) {
      const result = resultFact(entry, block, index);
      if (result) shown.results.push(result);
    }
  });
  shown.note = assistantNote(entry, synthetic, calls, shown);
  return shown;
}

function assistantNote(entry: Entry, synthetic: boolean, calls: [number, string][], shown: Shown): JsonObject | null {
  const note: JsonObject = {};
  if (calls.length > 0) note['calls'] = calls;
  if (shown.results.length > 0) note['results'] = shown.results.map((result) => result.callId);
  if (synthetic) note['synthetic'] = true;
  if (entry['isApiErrorMessage'] === true) note['unsent'] = true;
  if (entry['isAbortedMidStream'] === true) note['aborted'] = true;
  return Object.keys(note).length > 0 ? note : null;
}

function assistantPart(block: Entry, index: number): PartFact | null {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? prose('text', block['text'], index) : strangePart(index, 'text that is none');
    case 'thinking':
      return typeof (block['thinking'] ?? '') === 'string' ? prose('reasoning', textOf(block['thinking']), index) : strangePart(index, 'thinking that is no text');
    case 'redacted_thinking':
      return { block: index, kind: 'reasoning', title: 'Reasoning that the model keeps to itself', text: null, size: 0, injected: false };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const name = nameOf(block['name']) ?? 'unknown';
      const input = entryOf(block['input']) ?? {};
      const text = inputText(input);
      return {
        block: index, kind: 'tool', title: titleOf(name, input), text, size: text.length, injected: false,
        // Until a result says otherwise; `settle` knows when none can come any more.
        tool: { name, family: familyOf(name), callId: nameOf(block['id']), status: 'running' },
      };
    }
    case 'image':
      return { block: index, kind: 'file', title: 'Image', text: null, size: 0, injected: false };
    default: {
      const type = textOf(block['type']) ?? 'without a type';
      if (!type.endsWith('_tool_result')) return strangePart(index, shapeOf(block));
      return nameOf(block['tool_use_id']) === null ? strangePart(index, 'a result that names no call') : null;
    }
  }
}

/** Empty text says nothing: thinking is left out of some answers on request. */
function prose(kind: 'text' | 'reasoning', text: string | null, block: number): PartFact | null {
  return text === null || text === '' ? null : { block, kind, title: null, text, size: text.length, injected: false };
}

/** An API error, or a filler that keeps roles in turn: drawn as a notice, never as an answer. */
function spokenByProgram(block: Entry, index: number, entry: Entry): PartFact | null {
  const text = textOf(block['text']);
  if (text === null) return strangePart(index, shapeOf(block));
  if (text === '') return null;
  const isError = entry['isApiErrorMessage'] === true || text.startsWith('API Error');
  return { block: index, kind: 'notice', title: oneLine(text), text, size: text.length, injected: !isError };
}

/**
 * Names a block's content well enough to see that a later line of the same message repeats it (FORMAT.md, "Repeated
 * lines"). A tool call has an id; of a text, its length and both ends are looked at.
 */
export function blockMark(entry: Entry): string | null {
  const content = entryOf(entry['message'])?.['content'];
  const block = listOf(content)[0];
  if (!isEntry(block) || listOf(content).length !== 1) return null;
  const id = nameOf(block['id']);
  if (id !== null) return `call ${id}`;
  const text = textOf(block['text']) ?? textOf(block['thinking']);
  if (text === null || text === '') return null;
  const at = numberOf(entry['apiBlockIndex']);
  return `${at ?? ''}:${String(block['type'])}:${text.length}:${text.slice(0, 24)}:${text.slice(-24)}`;
}
