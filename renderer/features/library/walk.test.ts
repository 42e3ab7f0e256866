import { describe, expect, it } from 'vitest';
import type { LibraryRow } from '@shared/contract';
import { placeOf, stepInTree, type TreeRows } from './walk';

type Short = { group: string; open?: boolean } | { session: string; under: number; children?: number; open?: boolean };

function tree(...short: Short[]): TreeRows {
  const rows = short.map((row) =>
    'group' in row
      ? { type: 'group', id: row.group, name: row.group, detail: null, open: row.open ?? true, sessions: 0 }
      : { type: 'session', id: row.session, depth: 0, open: row.open ?? false, children: row.children ?? 0, parentIndex: row.under },
  ) as LibraryRow[];
  return { total: rows.length, at: (index) => rows[index] };
}

/** acme ▾ / retry ▾ / scout, fork / cache / ledger ▸ */
const rows = tree(
  { group: 'acme' },
  { session: 'retry', under: 0, children: 2, open: true },
  { session: 'scout', under: 1 },
  { session: 'fork', under: 1, children: 1 },
  { session: 'cache', under: 0 },
  { group: 'ledger', open: false },
);

describe('keys in the tree', () => {
  it('walks visible rows and stops at the ends', () => {
    expect(stepInTree('ArrowDown', 1, rows, 5)).toEqual({ to: 'focus', index: 2 });
    expect(stepInTree('ArrowUp', 0, rows, 5)).toEqual({ to: 'focus', index: 0 });
    expect(stepInTree('ArrowDown', 5, rows, 5)).toEqual({ to: 'focus', index: 5 });
    expect(stepInTree('Home', 4, rows, 5)).toEqual({ to: 'focus', index: 0 });
    expect(stepInTree('End', 1, rows, 5)).toEqual({ to: 'focus', index: 5 });
    expect(stepInTree('PageDown', 1, rows, 3)).toEqual({ to: 'focus', index: 4 });
  });
  it('opens with → and then goes to the first child', () => {
    expect(stepInTree('ArrowRight', 3, rows, 5)).toEqual({ to: 'toggle', index: 3 });
    expect(stepInTree('ArrowRight', 1, rows, 5)).toEqual({ to: 'focus', index: 2 });
    expect(stepInTree('ArrowRight', 2, rows, 5)).toBeNull();
  });
  it('closes with ← and then goes to the parent', () => {
    expect(stepInTree('ArrowLeft', 1, rows, 5)).toEqual({ to: 'toggle', index: 1 });
    expect(stepInTree('ArrowLeft', 2, rows, 5)).toEqual({ to: 'focus', index: 1 });
    expect(stepInTree('ArrowLeft', 3, rows, 5)).toEqual({ to: 'focus', index: 1 });
    expect(stepInTree('ArrowLeft', 5, rows, 5)).toBeNull();
  });
  it('Enter opens a session and toggles a group', () => {
    expect(stepInTree('Enter', 4, rows, 5)).toEqual({ to: 'open', index: 4 });
    expect(stepInTree('Enter', 5, rows, 5)).toEqual({ to: 'toggle', index: 5 });
    expect(stepInTree('x', 5, rows, 5)).toBeNull();
  });
});

describe('place among siblings', () => {
  it('counts rows with the same parent', () => {
    expect(placeOf(3, rows)).toEqual({ position: 2, size: 2 });
    expect(placeOf(4, rows)).toEqual({ position: 2, size: 2 });
    expect(placeOf(5, rows)).toEqual({ position: 2, size: 2 });
  });
  it('says nothing when rows between are not loaded', () => {
    const holes: TreeRows = { total: 6, at: (index) => (index === 2 ? undefined : rows.at(index)) };
    expect(placeOf(4, holes)).toBeNull();
    // The rows that would end the siblings count too.
    expect(placeOf(1, holes)).toBeNull();
  });
});
