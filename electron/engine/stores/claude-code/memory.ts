import type { Damage } from '@shared/model';
import type { LoadedLines, MemoryFileName, MemoryInStore, MemoryKeeper, MemoryTouch, PartFact, ProjectInput, Projection, TextChange, TextStep } from '../store';
import { cursorOf } from './cursor';
import { type Entry, entryOf, isEntry, listOf, nameOf, textOf } from './entry';
import { inputOf } from './chain-line';
import { memoryFolder, placeOf } from './places';
import { entryIn } from './readable';

/** Lines and bytes of the index that the program loads at start (FORMAT.md, "Memory and instructions"). */
const loadedLines = 200;
const loadedBytes = 25_000;

/** Auto memory (FORMAT.md, "Memory and instructions"). */
export const memoryFiles: MemoryInStore = {
  in: 'store',
  fileOf(key: string): MemoryFileName | null {
    if (placeOf(key)?.kind !== 'memory') return null;
    const [, folder = '', , ...name] = key.split('/');
    return { folder, name: name.join('/') };
  },
  allPrefix: 'projects/',
  pathOf: (folder) => `projects/${folder}/${memoryFolder}`,
  prefixOf: (folder) => `projects/${folder}/`,
  stateOf(value) {
    const cursor = cursorOf(value);
    return cursor && { bytes: cursor.size, changed: cursor.mtimeMs };
  },
};

export const memory: MemoryKeeper = {
  kept: memoryFiles,
  isIndex: (name) => name === 'MEMORY.md',
  loaded,
  change,
};

/** A memory file holds no records: its text is read from the log when it is shown. */
export function projectMemoryFile(input: ProjectInput): Projection {
  return { records: [], evidence: [], removed: [], damage: misspelt(input), unknown: {}, carry: null };
}

function misspelt({ source, at, bytes }: ProjectInput): Damage[] {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return [];
  } catch {
    return [{ place: source, line: null, at, bytes: bytes.length, reason: 'not UTF-8 text: what is none is shown as �' }];
  }
}

/** Lines first, then bytes, cut at a line end. White space at both ends does not count. */
function loaded(text: string): LoadedLines {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const isBlank = (line: string | undefined) => line !== undefined && line.trim() === '';
  while (isBlank(lines.at(-1))) lines.pop();
  let begin = 0;
  while (isBlank(lines[begin])) begin++;
  const end = Math.min(lines.length, begin + loadedLines);
  let bytes = 0;
  for (let at = begin; at < end; at++) {
    bytes += Buffer.byteLength(lines[at] ?? '') + (at > begin ? 1 : 0);
    if (bytes > loadedBytes) return { lines: at, limit: 'bytes' };
  }
  return { lines: end, limit: end < lines.length ? 'lines' : null };
}

/** A recorded path of a memory file, wherever the store lies now. */
const memoryPath = /(?:^|\/)projects\/([^/]+)\/memory\/(.+)$/;
/** The folder of memory named somewhere in a command. */
const memoryInCommand = /projects[\\/]([^\\/\s'"`]+)[\\/]memory(?![\w-])/;

const acts: Readonly<Record<string, MemoryTouch['act']>> = { Write: 'write', Edit: 'edit', MultiEdit: 'edit', Read: 'read' };

/** What a tool call means for memory: a file tool that names a file of it, or a shell command that names its folder. */
export function memoryTouch(part: PartFact, input: Entry, key: string | null, at: number): MemoryTouch | null {
  if (!part.tool) return null;
  const place = { key, at, block: part.block, call: part.tool.callId };
  if (part.tool.family === 'shell') {
    const [, folder] = memoryInCommand.exec((textOf(input['command']) ?? '').slice(0, 100_000)) ?? [];
    return folder === undefined ? null : { folder, file: null, act: 'shell', ...place };
  }
  const act = acts[part.tool.name];
  if (act === undefined) return null;
  const [, folder, file] = memoryPath.exec((textOf(input['file_path']) ?? '').replaceAll('\\', '/')) ?? [];
  return folder === undefined || file === undefined ? null : { folder, file, act, ...place };
}

/** What a Write, Edit or MultiEdit did. The result's words win: a person may have changed what was proposed. */
function change(record: Uint8Array, block: number, result: Uint8Array | null): TextChange | null {
  const entry = entryIn(record);
  if (!entry) return null;
  const input = inputOf(entry, block);
  const outcome = result && entryOf(entryIn(result)?.['toolUseResult']);
  const before = outcome?.['type'] === 'create' ? '' : textOf(outcome?.['originalFile']);
  const whole = textOf(outcome?.['content']) ?? textOf(input['content']);
  if (whole !== null) return { before, steps: [{ whole }] };
  const edits = listOf(outcome?.['edits'] ?? input['edits']).filter(isEntry);
  const steps = edits.length > 0 ? edits.map(stepOf) : [stepOf({ ...input, ...(outcome && outcomeStep(outcome)) })];
  const known = steps.filter((step): step is TextStep => step !== null);
  return known.length === steps.length ? { before, steps: known } : null;
}

function outcomeStep(outcome: Entry): Entry {
  const [old, put] = [textOf(outcome['oldString']), textOf(outcome['newString'])];
  return old === null || put === null ? {} : { old_string: old, new_string: put };
}

function stepOf(edit: Entry): TextStep | null {
  const [old, put] = [textOf(edit['old_string']), textOf(edit['new_string'])];
  return old === null || put === null ? null : { old, put, everywhere: edit['replace_all'] === true || nameOf(edit['replace_all']) === 'true' };
}
