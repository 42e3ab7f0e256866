import type { ToolBody } from '../store';
import { asObject, asText, type Fields } from '../foreign/fields';

export type Edit = ToolBody['edits'][number];

/**
 * What was done to files, as FileChange items and patch_apply_end events record it: absolute path → change. Hunks have
 * little context and no file header; headers are added so that any reader of unified diffs takes them (FORMAT.md, "Patches").
 */
export function editsOfChanges(changes: unknown): Edit[] {
  return Object.entries(asObject(changes) ?? {}).map(([path, change]) => editOfChange(path, asObject(change))).filter((edit) => edit !== null);
}

function editOfChange(path: string, change: Fields | null): Edit | null {
  const content = asText(change?.['content']) ?? '';
  switch (change?.['type']) {
    case 'add':
      return { ...wholeFile(path, content, 'create'), recorded: { after: content } };
    case 'delete':
      return { ...wholeFile(path, content, 'delete'), recorded: { before: content, after: null } };
    case 'update': {
      const moved = asText(change['move_path']);
      const hunks = asText(change['unified_diff']) ?? '';
      const target = moved ?? path;
      return { path: target, kind: moved === null ? 'edit' : 'rename', ...countHunks(hunks), patch: `${headers(path, target)}${hunks}${hunks.endsWith('\n') || hunks === '' ? '' : '\n'}`, recorded: moved === null ? {} : { oldPath: path } };
    }
    default:
      return null;
  }
}

const headers = (from: string, to: string): string => `${from === to ? '' : `rename from ${from}\nrename to ${to}\n`}--- ${from}\n+++ ${to}\n`;

/** A file that came or went whole. */
function wholeFile(path: string, content: string, kind: 'create' | 'delete'): Edit {
  const ends = content.endsWith('\n');
  const lines = content === '' ? [] : (ends ? content.slice(0, -1) : content).split('\n');
  const sign = kind === 'create' ? '+' : '-';
  const range = lines.length === 1 ? '1' : `1,${lines.length}`;
  const hunk = lines.length === 0 ? '' : `@@ ${kind === 'create' ? `-0,0 +${range}` : `-${range} +0,0`} @@\n`;
  const body = lines.map((line) => `${sign}${line}\n`).join('') + (ends || lines.length === 0 ? '' : '\\ No newline at end of file\n');
  const head = kind === 'create' ? `--- /dev/null\n+++ ${path}\n` : `--- ${path}\n+++ /dev/null\n`;
  return { path, kind, added: kind === 'create' ? lines.length : 0, removed: kind === 'delete' ? lines.length : 0, patch: `${head}${hunk}${body}` };
}

/** Lines added and removed in hunks. A hunk's header says how many lines it has: a line `--- a` inside it is a line. */
function countHunks(hunks: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of hunks.split('\n')) {
    if (line.startsWith('+')) added++;
    else if (line.startsWith('-')) removed++;
  }
  return { added, removed };
}

export const isPatch = (text: string): boolean => text.trimStart().startsWith('*** Begin Patch');

/** The patch inside a shell command, `apply_patch <<'EOF' …`. */
export function patchInCommand(command: string): string | null {
  if (!/^\s*(?:cd\s+[^&;|]+&&\s*)?apply_patch\b/.test(command)) return null;
  const start = command.indexOf('*** Begin Patch');
  const end = command.indexOf('*** End Patch', start);
  return start < 0 || end < 0 ? null : command.slice(start, end + '*** End Patch'.length);
}

/**
 * The files of a patch as the model wrote it, for releases that recorded nothing better. Its hunks carry no line
 * numbers: those given here count from the hunk's own beginning. What a deleted file held is not known.
 */
export function editsOfPatch(patch: string): Edit[] {
  const edits: Edit[] = [];
  let file: PatchedFile | null = null;
  const close = () => {
    if (file) edits.push(file.edit());
    file = null;
  };
  for (const line of patch.split('\n')) {
    const head = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(line);
    const moved = /^\*\*\* Move to: (.+?)\s*$/.exec(line);
    if (head) {
      close();
      file = new PatchedFile(head[1] as 'Add' | 'Update' | 'Delete', head[2] as string);
    } else if (moved && file) {
      (file as PatchedFile).target = moved[1] as string;
    } else if (line.startsWith('*** End Patch')) {
      close();
    } else if (file && !line.startsWith('*** ')) {
      (file as PatchedFile).add(line);
    }
  }
  close();
  return edits;
}

class PatchedFile {
  target: string;
  readonly #hunks: { title: string; lines: string[] }[] = [];
  readonly #added: string[] = [];

  constructor(
    readonly action: 'Add' | 'Update' | 'Delete',
    readonly path: string,
  ) {
    this.target = path;
  }

  add(line: string): void {
    if (this.action === 'Add') {
      if (line.startsWith('+')) this.#added.push(line.slice(1));
    } else if (line.startsWith('@@')) {
      this.#hunks.push({ title: line.slice(2).trim(), lines: [] });
    } else if (line === '' || line.startsWith('+') || line.startsWith('-') || line.startsWith(' ')) {
      if (this.#hunks.length === 0) this.#hunks.push({ title: '', lines: [] });
      this.#hunks.at(-1)?.lines.push(line === '' ? ' ' : line);
    }
  }

  edit(): Edit {
    if (this.action === 'Add') {
      const content = this.#added.map((line) => `${line}\n`).join('');
      return { ...wholeFile(this.path, content, 'create'), recorded: { after: content, asked: true } };
    }
    if (this.action === 'Delete') return { path: this.path, kind: 'delete', added: 0, removed: 0, patch: null, recorded: { after: null, asked: true } };
    const hunks = this.#hunks.filter(({ lines }) => lines.length > 0).map(hunkText).join('');
    return { path: this.target, kind: this.target === this.path ? 'edit' : 'rename', ...countHunks(hunks), patch: `${headers(this.path, this.target)}${hunks}`, recorded: { unplaced: true, asked: true, ...(this.target === this.path ? {} : { oldPath: this.path }) } };
  }
}

function hunkText({ title, lines }: { title: string; lines: string[] }): string {
  const before = lines.filter((line) => !line.startsWith('+')).length;
  const after = lines.filter((line) => !line.startsWith('-')).length;
  return `@@ -1,${before} +1,${after} @@${title === '' ? '' : ` ${title}`}\n${lines.join('\n')}\n`;
}

export const linesOf = (edits: Edit[]): { added: number; removed: number } =>
  edits.reduce((sum, edit) => ({ added: sum.added + edit.added, removed: sum.removed + edit.removed }), { added: 0, removed: 0 });
