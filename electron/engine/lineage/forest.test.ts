import { expect, test } from 'vitest';
import { forestOf, type TreeNode } from './forest';

const node = (key: string, parent: string | null = null): TreeNode => ({ id: 0, key, parent });
const shape = (nodes: TreeNode[]) => {
  const forest = forestOf(nodes);
  const draw = (n: TreeNode): string => {
    const below = forest.childrenOf(n).map(draw).join(' ');
    return below ? `${n.key}(${below})` : n.key;
  };
  return forest.roots.map(draw).join(' ');
};

test('children hang under their parent in the order given', () => {
  expect(shape([node('a'), node('c', 'a'), node('b', 'a'), node('d')])).toBe('a(c b) d');
});

test('a session whose parent is not here is a root', () => {
  expect(shape([node('a', 'lost'), node('b', 'a')])).toBe('a(b)');
});

test('a session that is its own parent is a root', () => {
  expect(shape([node('a', 'a'), node('b', 'a')])).toBe('a(b)');
});

test('a loop is cut and every member stays reachable', () => {
  expect(shape([node('a', 'c'), node('b', 'a'), node('c', 'b'), node('d', 'c')])).toBe('b(c(a d))');
  const forest = forestOf([node('a', 'c'), node('b', 'a'), node('c', 'b'), node('d', 'c')]);
  const seen: string[] = [];
  const open = [...forest.roots];
  for (let next = open.pop(); next; next = open.pop()) {
    seen.push(next.key);
    open.push(...forest.childrenOf(next));
  }
  expect(seen.sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('a chain of 10,000 forks ends', () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => node(`n${i}`, i === 0 ? null : `n${i - 1}`)).reverse();
  const forest = forestOf(chain);
  expect(forest.roots.map((root) => root.key)).toEqual(['n0']);
});
