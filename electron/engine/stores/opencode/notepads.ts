import { parsePatch } from 'diff';
import type { MemoryKeeper, MemoryTouch, PartFact, TextChange, TextStep } from '../store';
import { asList, asObject, asObjects, asText, asJsonObject, type Fields } from '../foreign/fields';
import { copiedFrom, notesFile, notesFolder, notesInCommand, placedIn, planOfNotes, pluginPath, scaffoldOf } from '../omo/notepads';
import { type Edit, editsOf } from './edits';
import { type Line, readLine } from './lines';
import { familyOf, statusOf } from './tools';

/** Notepads of the plugin beside OpenCode's sessions (FORMAT.md, "Notepads of a plugin"). */
export const notepads: MemoryKeeper = {
  kept: {
    in: 'overlay', kinds: ['notepad', 'draft'], fileOf: notesFile, filedUnder: pluginPath, placedIn, copiedFrom, scaffoldOf,
    ownerOf: (folder) => notesFolder(folder)?.root ?? folder,
    about(folder) {
      const notes = notesFolder(folder);
      return notes && { layout: notes.layout, kind: notes.kind, planOf: (name) => planOfNotes(notes, name) };
    },
  },
  // The plugin loads none by itself: it tells agents to read them.
  isIndex: () => false,
  loaded: () => ({ lines: 0, limit: null }),
  change(record, block, _result, { folder, name }) {
    const call = callIn(readLine(record, 0), block);
    return call && changeBy(call, (path) => isSame(path, folder, name));
  },
};

/** A call as both generations keep it. */
interface Call {
  tool: string;
  input: Fields | null;
  metadata: Fields | null;
  done: boolean;
  start: unknown;
}

/** The call that a record holds at a block; null for anything else. */
function callIn(line: Line | null, block: number): Call | null {
  const data = asJsonObject(line?.row['data']);
  if (!line || !data) return null;
  if (line.kind === 'part') return callOf(asText(data['tool']), asObject(data['state']), asObject(asObject(data['state'])?.['time'])?.['start'], 'metadata');
  const content = asObject(asList(data['content'])[block]);
  return callOf(asText(content?.['name']), asObject(content?.['state']), asObject(content?.['time'])?.['created'], 'structured');
}

function callOf(tool: string | null, state: Fields | null, start: unknown, kept: 'metadata' | 'structured'): Call | null {
  return tool === null ? null : { tool, input: asObject(state?.['input']), metadata: asObject(state?.[kept]), done: statusOf(state).status === 'completed', start };
}

/** What the calls of a record mean for notes: their files are named, or a shell command names their folder. */
export function notesTouched(line: Line, key: string, parts: readonly PartFact[]): MemoryTouch[] {
  return parts.flatMap(({ block, tool }): MemoryTouch[] => {
    const call = tool ? callIn(line, block) : null;
    if (!tool || !call) return [];
    // Models count their calls anew in every session: with its time one is told from another, and a copy is still a copy.
    const place = { key, at: line.at, block, call: tool.callId === null ? null : `${tool.callId} ${typeof call.start === 'number' ? call.start : ''}` };
    if (tool.family === 'shell') {
      const folder = notesInCommand((asText(call.input?.['command']) ?? '').slice(0, 100_000));
      return folder === null ? [] : [{ folder: placedIn(folder, asText(call.input?.['workdir'])), file: null, act: 'shell', ...place }];
    }
    const act = tool.family === 'write' || tool.family === 'edit' || tool.family === 'read' ? tool.family : null;
    if (act === null) return [];
    const files = pathsOf(call).flatMap((path) => notesFile(path) ?? []);
    return files.map(({ folder, name }) => ({ folder, file: name, act, ...place }));
  });
}

const patched = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

/** The result names files by their whole paths, the call may name them from the session's folder. */
function pathsOf({ tool, input, metadata, done }: Call): string[] {
  const told = done ? editsOf(familyOf(tool), input, metadata).map(({ path }) => path) : [];
  if (told.length > 0) return [...new Set(told)];
  const named = asText(input?.['filePath']) ?? asText(input?.['path']);
  return named === null ? [...new Set([...(asText(input?.['patchText']) ?? '').matchAll(patched)].map(([, path = '']) => path.trim()))] : [named];
}

function isSame(path: string, folder: string, name: string): boolean {
  const file = notesFile(path);
  return file?.name === name && (file.folder === folder || folder.endsWith(`/${file.folder}`));
}

/** What a call did to one file: by its result where there is one, else as it was asked for. */
function changeBy({ tool, input, metadata, done }: Call, isMeant: (path: string) => boolean): TextChange | null {
  const edit = done ? editsOf(familyOf(tool), input, metadata).find(({ path }) => isMeant(path)) : undefined;
  const recorded = edit && changeOf(edit);
  return recorded ?? asked(input);
}

function changeOf({ patch, recorded }: Edit): TextChange | null {
  const before = recorded?.before === undefined ? null : (recorded.before ?? '');
  if (typeof recorded?.after === 'string') return { before, steps: [{ whole: recorded.after }] };
  const steps = patch === null ? [] : stepsOf(patch);
  return steps.length === 0 ? null : { before, steps };
}

/** The stretches of a patch, each with the lines around it: more exact than the words that were asked for, which the tool may have taken loosely. */
function stepsOf(patch: string): TextStep[] {
  try {
    return parsePatch(patch).flatMap(({ hunks }) => hunks.map(({ lines }) => {
      const side = (other: string) => lines.filter((line) => !line.startsWith(other) && !line.startsWith('\\')).map((line) => line.slice(1)).join('\n');
      return { old: side('+'), put: side('-'), everywhere: false };
    }));
  } catch {
    return [];
  }
}

function asked(input: Fields | null): TextChange | null {
  const content = asText(input?.['content']);
  if (content !== null) return { before: null, steps: [{ whole: content }] };
  const edits = asObjects(input?.['edits']);
  const steps = (edits.length > 0 ? edits : input ? [input] : []).map((edit): TextStep | null => {
    const [old, put] = [asText(edit['oldString']), asText(edit['newString'])];
    return old === null || put === null ? null : { old, put, everywhere: edit['replaceAll'] === true };
  });
  const known = steps.filter((step) => step !== null);
  return known.length > 0 && known.length === steps.length ? { before: null, steps: known } : null;
}
