import type { FileChange } from '@shared/model';
import { nameOf } from './scope';

/** A row of the file tree. */
export type FileRow =
  | { type: 'folder'; path: string; name: string; depth: number; open: boolean; files: number; added: number; removed: number }
  /** `index`: among the files of the listing. */
  | { type: 'file'; file: FileChange; index: number; name: string; depth: number };

interface Folder {
  path: string;
  name: string;
  folders: Map<string, Folder>;
  files: { file: FileChange; index: number; name: string }[];
}

/** The tree of some files: folders first, as an editor shows them; a folder with nothing but one folder in it is one row with that. */
export function treeOf(files: readonly FileChange[], closed: ReadonlySet<string>): FileRow[] {
  const root: Folder = { path: '', name: '', folders: new Map(), files: [] };
  files.forEach((file, index) => {
    const steps = nameOf(file).split(/[/\\]/);
    const name = steps.pop() ?? '';
    let at = root;
    for (const step of steps) {
      const known = at.folders.get(step);
      const next = known ?? { path: `${at.path}${step}/`, name: step, folders: new Map<string, Folder>(), files: [] };
      if (!known) at.folders.set(step, next);
      at = next;
    }
    at.files.push({ file, index, name });
  });
  const rows: FileRow[] = [];
  drawFolder(root, 0, closed, rows);
  return rows;
}

function drawFolder(folder: Folder, depth: number, closed: ReadonlySet<string>, rows: FileRow[]): void {
  for (const child of folder.folders.values()) {
    let last = child;
    let name = child.name;
    while (last.files.length === 0 && last.folders.size === 1) {
      last = [...last.folders.values()][0] as Folder;
      name += `/${last.name}`;
    }
    const open = !closed.has(last.path);
    rows.push({ type: 'folder', path: last.path, name: name === '' ? '/' : name, depth, open, ...sumOf(last) });
    if (open) drawFolder(last, depth + 1, closed, rows);
  }
  for (const each of folder.files) rows.push({ type: 'file', ...each, depth });
}

function sumOf(folder: Folder): { files: number; added: number; removed: number } {
  const sum = { files: folder.files.length, added: 0, removed: 0 };
  for (const { file } of folder.files) {
    sum.added += file.added ?? 0;
    sum.removed += file.removed ?? 0;
  }
  for (const child of folder.folders.values()) {
    const own = sumOf(child);
    sum.files += own.files;
    sum.added += own.added;
    sum.removed += own.removed;
  }
  return sum;
}
