import type { ChangeHunk, ChangeKind } from '@shared/model';
import { quoted } from './patch-names';

export interface PatchToWrite {
  /** Relative to where the patch is applied, with `/`. */
  path: string;
  oldPath: string | null;
  kind: ChangeKind;
  mode: { before: string; after: string } | null;
  hunks: readonly ChangeHunk[];
}

/** A file's change in git's form. */
export function writePatch({ path, oldPath, kind, mode, hunks }: PatchToWrite): string {
  const from = oldPath ?? path;
  const isEmpty = hunks.length === 0;
  const lines = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${path}`)}`];
  if (kind === 'create') lines.push(`new file mode ${mode?.after ?? '100644'}`);
  else if (kind === 'delete') lines.push(`deleted file mode ${mode?.before ?? '100644'}`);
  else if (mode) lines.push(`old mode ${mode.before}`, `new mode ${mode.after}`);
  if (oldPath !== null) lines.push(`rename from ${quoted(from)}`, `rename to ${quoted(path)}`);
  // An empty file has no lines to show; git knows it by the name of the empty blob.
  if (isEmpty && kind === 'create') lines.push(`index ${noBlob}..${emptyBlob}`);
  if (isEmpty && kind === 'delete') lines.push(`index ${emptyBlob}..${noBlob}`);
  if (!isEmpty) lines.push(`--- ${kind === 'create' ? '/dev/null' : named(`a/${from}`)}`, `+++ ${kind === 'delete' ? '/dev/null' : named(`b/${path}`)}`);
  for (const hunk of hunks) {
    lines.push(`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@${hunk.heading === null ? '' : ` ${hunk.heading}`}`);
    for (const line of hunk.lines) lines.push(line);
  }
  return `${lines.join('\n')}\n`;
}

const noBlob = '0000000';
const emptyBlob = 'e69de29';

/** A name with blanks ends with a tab, so that it is seen where it ends. */
function named(name: string): string {
  const text = quoted(name);
  return text.startsWith('"') || !text.includes(' ') ? text : `${text}\t`;
}

const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`);

/** False for a path that `git apply` refuses: absolute, out of the folder, or inside a `.git`. */
export function isSafePath(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !/^[a-z]:/i.test(path) && !path.includes('\0') && path.split(/[/\\]/).every((step) => step !== '' && step !== '.' && step !== '..' && !isGitFolder(step));
}

/** `.git` as file systems that do not tell case, dots or Windows' short names apart would take it. */
const isGitFolder = (step: string): boolean => /^(?:\.git|git~1)[. ]*$/i.test(step.replace(/[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, ''));
