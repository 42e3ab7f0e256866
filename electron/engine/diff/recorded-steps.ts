import type { ChangePlace } from '@shared/model';
import type { ToolBody } from '../stores/store';
import { hasCodexPatch, parseCodexPatch } from './codex-patch';
import { absent, type Content, textContent, unknown } from './content';
import type { ChangeStep } from './change-step';
import { newLines, oldLines } from './hunks';
import { parsePatch, type PatchFile } from './patch-text';

type Edit = ToolBody['edits'][number];

/** Characters of a patch text that are read; what a larger one says is not known. */
const patchLimit = 64_000_000;

/** What a tool call did to files, from what its card tells and what its record keeps beyond that. `mayBePatch`: its input is looked at where the record has no edits. */
export function stepsOf(tool: ToolBody, mayBePatch: boolean, place: ChangePlace): ChangeStep[] {
  if (tool.edits.length > 0 || !mayBePatch) return tool.edits.map((edit) => stepOf(edit, place, tool.note));
  // Any tool may be given patch text: what it says is what was asked for.
  const input = tool.input ?? '';
  if (input.length > patchLimit || !hasCodexPatch(input)) return [];
  return parseCodexPatch(readable(input)).files.flatMap((file) => askedFor(file, place));
}

/** A patch inside an input that is shown as JSON has its line ends escaped. */
function readable(input: string): string {
  try {
    const value: unknown = JSON.parse(input);
    const texts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    return texts.find((text): text is string => typeof text === 'string' && hasCodexPatch(text)) ?? input;
  } catch {
    return input;
  }
}

function stepOf(edit: Edit, place: ChangePlace, note: string | null): ChangeStep {
  const { recorded = {}, patch } = edit;
  const isRead = patch !== null && patch.length <= patchLimit;
  const parsed = isRead ? parsePatch(patch) : null;
  const file = parsed?.files[0];
  const hunks = patch === null ? null : file ? file.hunks : isRead ? [] : null;
  const [before, after] = [contentOf(recorded.before), contentOf(recorded.after)];
  const isTold = hunks !== null || before.state !== 'unknown' || after.state !== 'unknown';
  return {
    path: edit.path, oldPath: recorded.oldPath ?? renamedFrom(file, edit), kind: edit.kind, before, after,
    hunks, placed: !recorded.unplaced, added: hunks === null ? null : edit.added, removed: hunks === null ? null : edit.removed,
    mode: modeOf(file), source: recorded.asked ? 'tool input' : 'tool result', certainty: recorded.asked ? 'inferred' : 'recorded',
    evidence: recorded.asked ? (note ?? 'Only what the model asked for is recorded, not what came of it.') : null,
    gap: parsed?.problems[0] ?? (isTold ? null : 'The record names the file and has no lines of the change.'), place,
  };
}

const contentOf = (text: string | null | undefined): Content => (text === undefined ? unknown : text === null ? absent : textContent(text));

/** A rename as the patch tells it. */
const renamedFrom = (file: PatchFile | undefined, edit: Edit): string | null =>
  edit.kind === 'rename' && file && file.oldPath !== null && file.oldPath !== '' && file.oldPath !== file.newPath ? file.oldPath : null;

const modeOf = (file: PatchFile | undefined): ChangeStep['mode'] => {
  const { before = null, after = null } = file?.modes ?? {};
  return before === null || after === null ? null : { before, after };
};

function askedFor(file: PatchFile, place: ChangePlace): ChangeStep[] {
  const path = file.newPath ?? file.oldPath;
  if (path === null || path === '') return [];
  const after = file.kind === 'create' ? textContent(file.hunks.flatMap(newLines).join('')) : file.kind === 'delete' ? absent : unknown;
  return [{
    path, oldPath: file.kind === 'rename' ? file.oldPath : null, kind: file.kind, before: unknown, after, hunks: file.kind === 'delete' ? null : file.hunks, placed: false,
    added: null, removed: null, mode: null, source: 'tool input', certainty: 'inferred', evidence: 'The change is read from the patch the model gave to the tool.', gap: null, place,
  }];
}

/** A file over a turn as the agent's own summary has it: its patch shows the whole file. */
export function wholeFiles(edit: Edit): { path: string; before: Content; after: Content } {
  const { recorded = {} } = edit;
  const [file] = edit.patch === null || edit.patch.length > patchLimit ? [] : parsePatch(edit.patch).files;
  const [hunk, ...more] = file?.hunks ?? [];
  const isWhole = hunk !== undefined && more.length === 0 && hunk.oldStart <= 1 && hunk.newStart <= 1;
  const told = (known: string | null | undefined, lines: () => string[]): Content => (known !== undefined ? contentOf(known) : isWhole ? textContent(lines().join('')) : unknown);
  return { path: edit.path, before: told(recorded.before, () => (hunk ? oldLines(hunk) : [])), after: told(recorded.after, () => (hunk ? newLines(hunk) : [])) };
}

