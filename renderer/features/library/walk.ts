import type { LibraryRow } from '@shared/contract';

/** What a key does in the tree, after the WAI-ARIA tree view pattern. */
export type TreeStep = { to: 'focus'; index: number } | { to: 'toggle'; index: number } | { to: 'open'; index: number } | null;

export interface TreeRows {
  total: number;
  /** Undefined while the row has not been loaded. */
  at(index: number): LibraryRow | undefined;
}

const hasChildren = (row: LibraryRow): boolean => row.type === 'group' || row.children > 0;
/** Index of the row it lies in, -1 for none. */
export const parentOf = (row: LibraryRow): number => (row.type === 'group' ? -1 : row.parentIndex);

const focus = (index: number, rows: TreeRows): TreeStep => (rows.total === 0 ? null : { to: 'focus', index: Math.max(0, Math.min(rows.total - 1, index)) });

/** Where a key leads from a row; null when the tree has no use for it. */
export function stepInTree(key: string, index: number, rows: TreeRows, page: number): TreeStep {
  const row = rows.at(index);
  switch (key) {
    case 'ArrowDown':
      return focus(index + 1, rows);
    case 'ArrowUp':
      return focus(index - 1, rows);
    case 'Home':
      return focus(0, rows);
    case 'End':
      return focus(rows.total - 1, rows);
    case 'PageDown':
      return focus(index + page, rows);
    case 'PageUp':
      return focus(index - page, rows);
    case 'ArrowRight':
      if (!row || !hasChildren(row)) return null;
      return row.open ? focus(index + 1, rows) : { to: 'toggle', index };
    case 'ArrowLeft': {
      if (!row) return null;
      if (row.open && hasChildren(row)) return { to: 'toggle', index };
      const parent = parentOf(row);
      return parent < 0 ? null : focus(parent, rows);
    }
    case 'Enter':
    case ' ':
      if (!row) return null;
      return { to: row.type === 'group' ? 'toggle' : 'open', index };
    default:
      return null;
  }
}

/** Rows looked at to find a row's place among its siblings; a place further from its parent or from the last of them is not announced. */
const siblingReach = 1_000;

/** Place among siblings, from 1, and their number. Null when rows between, or those that end the siblings, are not loaded. */
export function placeOf(index: number, rows: TreeRows): { position: number; size: number } | null {
  const row = rows.at(index);
  if (!row) return null;
  const parent = parentOf(row);
  let position = 1;
  for (let at = index - 1; at > parent; at -= 1) {
    const other = rows.at(at);
    if (!other || index - at > siblingReach) return null;
    if (parentOf(other) === parent) position += 1;
  }
  const above = parent < 0 ? undefined : rows.at(parent);
  if (above?.type === 'session') return { position, size: above.children };
  let size = position;
  for (let at = index + 1; at < rows.total; at += 1) {
    const other = rows.at(at);
    if (!other || at - index > siblingReach) return null;
    if (parentOf(other) < parent) break;
    if (parentOf(other) === parent) size += 1;
  }
  return { position, size };
}
