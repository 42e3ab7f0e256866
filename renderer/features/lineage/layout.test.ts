import { expect, it } from 'vitest';
import { type Box, layoutOf, type Spots } from './layout';

const box = (id: string, under: string | null = null): Box => ({ id, under, width: 232, height: 52, sort: 'fork' });
const idsIn = (spots: Spots, by: 'x' | 'y') => Object.keys(spots).sort((a, b) => (spots[a]?.[by] ?? 0) - (spots[b]?.[by] ?? 0));

/** Pairs of boxes that lie over each other. */
function overlaps(boxes: readonly Box[], spots: Spots): string[] {
  const rows = [...boxes].sort((a, b) => (spots[a.id]?.y ?? 0) - (spots[b.id]?.y ?? 0));
  const found: string[] = [];
  rows.forEach((a, at) => {
    for (let next = at + 1; next < rows.length; next += 1) {
      const b = rows[next] as Box;
      const [p, q] = [spots[a.id], spots[b.id]];
      if (!p || !q || q.y >= p.y + a.height) break;
      if (q.x < p.x + a.width && p.x < q.x + b.width) found.push(`${a.id} over ${b.id}`);
    }
  });
  return found;
}

/** A tree as large families are: forks of forks, and sessions with many helpers. */
function largeFamily(count: number): Box[] {
  const boxes = [box('n0')];
  // A fixed sequence that looks like chance (a linear congruence).
  let seed = 7;
  const chance = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let at = 1; at < count; at += 1) boxes.push(box(`n${at}`, `n${at % 3 === 0 ? chance(at) : chance(Math.min(at, 20))}`));
  return boxes;
}

it('a child stands below its parent, siblings from left to right as they come', () => {
  const spots = layoutOf([box('a'), box('b', 'a'), box('d', 'b'), box('c', 'a')], []);
  expect(idsIn(spots, 'y')).toEqual(['a', 'b', 'c', 'd']);
  expect(spots['b']?.y).toBe(spots['c']?.y);
  expect(idsIn({ b: spots['b'], c: spots['c'] } as Spots, 'x')).toEqual(['b', 'c']);
  expect(spots['b']?.beside).toBe(false);
});

it('siblings without children stand in a block, row by row, and lines come from the left', () => {
  const names = ['p', 'q', 'r', 's', 't', 'u', 'v'];
  const spots = layoutOf([box('a'), ...names.map((id) => box(id, 'a'))], []);
  expect(names.map((id) => [(spots[id]?.x ?? 0) - (spots['p']?.x ?? 0), (spots[id]?.y ?? 0) - (spots['p']?.y ?? 0)])).toEqual([[0, 0], [264, 0], [0, 66], [264, 66], [0, 132], [264, 132], [0, 198]]);
  expect(spots['v']?.beside).toBe(true);
  expect(spots['v']?.bus).toBe((spots['p']?.y ?? 0) - 28);
});

it('a few of them stand one below the other', () => {
  const spots = layoutOf([box('a'), ...['p', 'q', 'r'].map((id) => box(id, 'a'))], []);
  expect(['p', 'q', 'r'].map((id) => [(spots[id]?.x ?? 0) - (spots['p']?.x ?? 0), (spots[id]?.y ?? 0) - (spots['p']?.y ?? 0)])).toEqual([[0, 0], [0, 66], [0, 132]]);
});

it('siblings of another sort do not stand in the block', () => {
  const helpers = ['p', 'q', 'r', 's'].map((id) => ({ ...box(id, 'a'), sort: 'subagent' }));
  const spots = layoutOf([box('a'), helpers[0] as Box, box('fork', 'a'), ...helpers.slice(1)], []);
  expect([spots['fork']?.beside, spots['s']?.beside]).toEqual([false, true]);
  expect(spots['fork']?.x).toBeGreaterThan(spots['s']?.x ?? 0);
});

it('a child of two stands below both, and a circle is placed as well', () => {
  const spots = layoutOf([box('a'), box('b', 'a'), box('c', 'b'), box('d')], [{ from: 'b', to: 'd' }, { from: 'c', to: 'a' }]);
  expect(spots['d']?.y).toBeGreaterThan(spots['b']?.y ?? 0);
  expect(Object.keys(spots)).toHaveLength(4);
});

it('nothing and one', () => {
  expect(layoutOf([], [])).toEqual({});
  expect(layoutOf([box('a')], [])).toEqual({ a: { x: 0, y: 0, bus: -28, beside: false } });
});

for (const [name, boxes] of [
  ['a mixed family of 500', largeFamily(500)],
  ['a chain of 500', Array.from({ length: 500 }, (_, at) => box(`n${at}`, at === 0 ? null : `n${at - 1}`))],
  ['a session with 499 helpers', Array.from({ length: 500 }, (_, at) => box(`n${at}`, at === 0 ? null : 'n0'))],
] as const) {
  it(`${name} is laid out without overlaps`, () => {
    const spots = layoutOf(boxes, []);
    expect(Object.keys(spots)).toHaveLength(500);
    expect(overlaps(boxes, spots)).toEqual([]);
    for (const { id, under } of boxes) if (under !== null) expect(spots[id]?.y).toBeGreaterThan(spots[under]?.y ?? 0);
  });
}
