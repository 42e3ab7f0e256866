import type { Todo } from '@shared/model';
import type { ImageBody, ToolBody } from '../store';
import { type Entry, entryOf, isEntry, listOf, nameOf, numberOf, textOf } from './entry';
import { editOf, editOfInput } from './patch';
import { agentNative } from './places';
import { readable } from './readable';
import { ownerOf, resultStatus, resultText, startedAgent } from './results';
import { savedOutput } from './saved-output';
import { familyOf, targetOf } from './tools';

/**
 * A tool's card: what was asked, what came back, what it did to files. `call` is null when only the result is there;
 * `result` and `resultBlock` are null when none came.
 */
export function toolBody(call: Entry | null, result: Entry | null, resultBlock: Entry | null, entry: Entry, file: (key: string) => Uint8Array | null): ToolBody {
  const name = nameOf(call?.['name']) ?? 'unknown';
  const input = entryOf(call?.['input']);
  const rich = entryOf(result?.['toolUseResult']);
  const text = resultBlock ? resultText(resultBlock) : null;
  const status = result && resultBlock ? resultStatus(result, resultBlock, text ?? '') : null;
  const saved = text === null || !result ? null : savedOutput(text, result, file);
  const edit = editFrom(name, input, rich, status, text?.startsWith('File created') === true);
  return {
    target: input && targetOf(name, input),
    input: input && inputShown(name, input),
    output: saved?.text ?? outputShown(text, rich),
    exitCode: exitCodeIn(text, status),
    durationMs: numberOf(rich?.['totalDurationMs']) ?? numberOf(rich?.['durationMs']),
    edits: edit ? [edit.edit] : [],
    todos: todosIn(input, rich),
    images: resultBlock ? imagesIn(resultBlock) : [],
    child: childOf(name, result, text),
    note: noteOf(saved, edit?.guessed === true, status, rich, entry),
  };
}

/** The command itself for a shell; for all others their fields. */
function inputShown(name: string, input: Entry): string {
  const command = familyOf(name) === 'shell' ? nameOf(input['command']) : null;
  return command ?? readable(input);
}

/** The text the model got. Where it got none (a picture, a reference), what the program kept is shown. */
function outputShown(text: string | null, rich: Entry | null): string | null {
  if (text !== null && text !== '') return text;
  const kept = [textOf(rich?.['stdout']), textOf(rich?.['stderr'])].filter((piece): piece is string => piece !== null && piece !== '').join('\n');
  return kept === '' ? text : kept;
}

/** A failed command's result begins with its exit code; a command that went well states none. */
function exitCodeIn(text: string | null, status: string | null): number | null {
  if (text === null || status !== 'error') return null;
  const found = /^(?:Error: )?Exit code (\d{1,5})\b/.exec(text.slice(0, 40));
  return found ? Number(found[1]) : null;
}

function editFrom(name: string, input: Entry | null, rich: Entry | null, status: string | null, created: boolean): { edit: ToolBody['edits'][number]; guessed: boolean } | null {
  // A refused or failed call changed nothing.
  if (status !== 'completed') return null;
  const recorded = rich && editOf(rich);
  if (recorded) return { edit: recorded, guessed: false };
  const family = familyOf(name);
  const drawn = input && (family === 'edit' || family === 'write') ? editOfInput(input, created) : null;
  return drawn && { edit: drawn, guessed: true };
}

function todosIn(input: Entry | null, rich: Entry | null): Todo[] {
  const list = Array.isArray(rich?.['newTodos']) ? rich['newTodos'] : input?.['todos'];
  return listOf(list).filter(isEntry).map((todo) => ({ content: textOf(todo['content']) ?? '', status: textOf(todo['status']) ?? 'pending', priority: textOf(todo['priority']) }));
}

function imagesIn(block: Entry): ImageBody[] {
  const images: ImageBody[] = [];
  for (const inner of listOf(block['content'])) {
    const source = isEntry(inner) && inner['type'] === 'image' ? entryOf(inner['source']) : null;
    const mime = nameOf(source?.['media_type']);
    const data = textOf(source?.['data']);
    if (mime !== null && data !== null && source?.['type'] === 'base64') images.push({ mime, data });
  }
  return images;
}

function childOf(name: string, result: Entry | null, text: string | null): ToolBody['child'] {
  if (!result || familyOf(name) !== 'subagent') return null;
  const agent = startedAgent(result, text);
  const owner = ownerOf(result);
  return agent === null || owner === null ? null : agentNative(owner, agent);
}

function noteOf(saved: ReturnType<typeof savedOutput>, guessed: boolean, status: string | null, rich: Entry | null, entry: Entry): string | null {
  if (saved?.text === null) return `The whole output was saved to ${saved.name}, which is not there any more; this is the beginning that was kept.`;
  if (guessed) return 'This copy of the session has no recorded patch: the change is drawn from the call, its line numbers are not the file\'s.';
  if (status === 'denied') return 'The person refused this call; it did not run.';
  if (status === 'interrupted') return 'The call was interrupted; what it did until then is not known.';
  if (rich?.['status'] === 'async_launched') return 'The subagent was started in the background; its report came later.';
  const task = nameOf(rich?.['backgroundTaskId']);
  if (task !== null) return `The command went on in the background as ${task}.`;
  return entry['isAbortedMidStream'] === true ? 'The answer was broken off.' : null;
}
