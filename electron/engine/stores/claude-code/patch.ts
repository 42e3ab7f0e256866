import type { RecordedEdit } from '../store';
import { type Entry, isEntry, listOf, nameOf, numberOf, textOf } from './entry';

export interface LineCount {
  added: number;
  removed: number;
}

/** Lines in a text; the empty one after a final line end does not count. */
export function lineCount(text: string): number {
  if (text === '') return 0;
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Lines a tool result added and removed, where it says so; null when it is no change of a file. */
export function changedLines(result: Entry): LineCount | null {
  const patch = result['structuredPatch'];
  if (!Array.isArray(patch)) return null;
  if (patch.length === 0) {
    const content = result['type'] === 'create' ? textOf(result['content']) : null;
    return content === null ? null : { added: lineCount(content), removed: 0 };
  }
  const count: LineCount = { added: 0, removed: 0 };
  for (const hunk of patch) {
    if (!isEntry(hunk)) continue;
    for (const line of listOf(hunk['lines'])) {
      if (typeof line !== 'string') continue;
      if (line.startsWith('+')) count.added++;
      else if (line.startsWith('-')) count.removed++;
    }
  }
  return count;
}

export interface DrawnEdit extends LineCount {
  path: string;
  kind: 'create' | 'edit';
  patch: string | null;
  recorded: RecordedEdit;
}

/** The change a tool result records, as a unified patch. The original file is not needed: large ones are not kept. */
export function editOf(result: Entry): DrawnEdit | null {
  const path = nameOf(result['filePath']) ?? nameOf(result['notebook_path']);
  if (path === null) return null;
  const count = changedLines(result);
  if (result['type'] === 'create') {
    const content = textOf(result['content']);
    return content === null ? null : { path, kind: 'create', added: lineCount(content), removed: 0, patch: createdPatch(path, content), recorded: { before: null, after: content } };
  }
  if (!count) return null;
  const hunks = listOf(result['structuredPatch']).filter(isEntry).map(hunkText);
  return { path, kind: 'edit', ...count, patch: `--- a/${headerPath(path)}\n+++ b/${headerPath(path)}\n${hunks.join('')}`, recorded: contentsOf(result) };
}

/**
 * A copy of a session may lack the recorded patch; then the texts of the call are all there is, without their place in
 * the file. What a whole file replaced is not known: only a created one is drawn.
 */
export function editOfInput(input: Entry, created: boolean): DrawnEdit | null {
  const path = nameOf(input['file_path']);
  if (path === null) return null;
  const content = textOf(input['content']);
  if (content !== null) return created ? { path, kind: 'create', added: lineCount(content), removed: 0, patch: createdPatch(path, content), recorded: { before: null, after: content, asked: true } } : null;
  const before = textOf(input['old_string']);
  const after = textOf(input['new_string']);
  if (before === null || after === null) return null;
  const removed = splitLines(before);
  const added = splitLines(after);
  const hunk = hunkText({ oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)] });
  return { path, kind: 'edit', added: added.length, removed: removed.length, patch: `--- a/${headerPath(path)}\n+++ b/${headerPath(path)}\n${hunk}`, recorded: { unplaced: true, asked: true } };
}

/**
 * The file before and after, where the result keeps it: the original is left out of large files. What an edit leaves is
 * the original with its strings replaced; the recorded patch is drawn for people and may have blanks for tabs.
 */
function contentsOf(result: Entry): RecordedEdit {
  const before = textOf(result['originalFile']) ?? textOf(result['originalFileContents']) ?? textOf(result['original_file']);
  const after = textOf(result['content']) ?? textOf(result['updated_file']) ?? (before === null || result['userModified'] === true ? null : replaced(before, result));
  return { ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) };
}

function replaced(original: string, result: Entry): string | null {
  const [old, now] = [textOf(result['oldString']), textOf(result['newString'])];
  if (old === null || now === null || old === '' || !original.includes(old)) return null;
  // A line that is taken out goes with its end.
  const sought = now === '' && !old.endsWith('\n') && original.includes(`${old}\n`) ? `${old}\n` : old;
  if (result['replaceAll'] === true) return original.split(sought).join(now);
  const at = original.indexOf(sought);
  return original.slice(0, at) + now + original.slice(at + sought.length);
}

function hunkText(hunk: Entry): string {
  const at = (field: string) => numberOf(hunk[field]) ?? 0;
  const lines = listOf(hunk['lines']).filter((line): line is string => typeof line === 'string');
  return `@@ -${at('oldStart')},${at('oldLines')} +${at('newStart')},${at('newLines')} @@\n${lines.map((line) => `${line}\n`).join('')}`;
}

function createdPatch(path: string, content: string): string {
  const lines = splitLines(content);
  const head = `--- /dev/null\n+++ b/${headerPath(path)}\n`;
  if (lines.length === 0) return head;
  const end = content.endsWith('\n') ? '' : '\\ No newline at end of file\n';
  return `${head}@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`;
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A path as a patch names it: no leading slash, forward slashes, one line. */
const headerPath = (path: string): string => path.replace(/\\/g, '/').replace(/^\/+/, '').replace(/[\r\n]/g, ' ');
