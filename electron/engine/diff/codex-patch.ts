import type { Hunk, HunkLine } from './hunks';
import type { ParsedPatch, PatchFile } from './patch-text';

/** Lines of one patch that are read. */
const lineLimit = 2_000_000;

/** True when a text has a patch as Codex's models write them. */
export const hasCodexPatch = (text: string): boolean => text.includes('*** Begin Patch');

/**
 * Reads `*** Begin Patch` text. Its hunks carry no line numbers: each stands somewhere behind the one before, and
 * `@@ heading` names a line above it. What a deleted file held is not in it.
 */
export function parseCodexPatch(text: string): ParsedPatch {
  const files: PatchFile[] = [];
  const problems: string[] = [];
  const start = text.indexOf('*** Begin Patch');
  const lines = (start < 0 ? '' : text.slice(start)).split('\n', lineLimit);
  let isEnded = false;
  let file: PatchFile | null = null;
  let hunk: Hunk | null = null;
  for (const line of lines.slice(1).map((each) => each.replace(/\r$/, ''))) {
    const [, verb, name = ''] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/.exec(line) ?? [];
    if (line.startsWith('*** End Patch')) {
      isEnded = true;
      break;
    }
    if (verb === 'Move to') {
      if (file) Object.assign(file, { newPath: name, kind: 'rename' });
    } else if (verb !== undefined) {
      file = { oldPath: verb === 'Add File' ? null : name, newPath: verb === 'Delete File' ? null : name, kind: verb === 'Add File' ? 'create' : verb === 'Delete File' ? 'delete' : 'edit', modes: { before: null, after: null }, hunks: [] };
      files.push(file);
      hunk = null;
    } else if (line.startsWith('*** ') || file === null) continue;
    else if (line.startsWith('@@')) hunk = opened(file, line.slice(2).trim());
    else {
      const read = hunkLine(line);
      if (read) (hunk ??= opened(file, '')).lines.push(read);
      else if (problems.length < 20) problems.push(`A line of ${file.newPath ?? file.oldPath ?? 'a file'} is no part of a patch.`);
    }
  }
  if (!isEnded && start >= 0) problems.push('The patch has no end.');
  for (const each of files) each.hunks = each.hunks.filter(({ lines: own }) => own.length > 0).map((own) => (each.kind === 'create' ? { ...own, oldStart: 0 } : own));
  return { files, problems };
}

function opened(file: PatchFile, heading: string): Hunk {
  const hunk: Hunk = { oldStart: 1, newStart: 1, heading: heading === '' ? null : heading, lines: [] };
  file.hunks.push(hunk);
  return hunk;
}

function hunkLine(line: string): HunkLine | null {
  const mark = line[0];
  if (line === '') return { mark: ' ', text: '\n' };
  return mark === ' ' || mark === '+' || mark === '-' ? { mark, text: `${line.slice(1)}\n` } : null;
}
