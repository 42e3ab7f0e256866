import { expect, it } from 'vitest';
import type { Outline } from '@shared/contract';
import { estimateHeights } from './drawing';

const outline = (kinds: string, sizes: string, states = 'l'.repeat(kinds.length)): Outline => ({ revision: 1, total: kinds.length, kinds, states, seen: '1'.repeat(kinds.length), injected: '0'.repeat(kinds.length), sizes, diagnosed: [] });
const heights = (of: Outline, width = 600) => [...estimateHeights(of, width)];

it('takes folded steps for one line whatever they hold', () => {
  expect(heights(outline('xrnp', '0@90'))).toEqual([28, 28, 28, 28]);
  expect(heights(outline('X', '9'))).toEqual([48]);
});
it('lets prose grow with its text, and not without bound', () => {
  const [short, long, huge, enormous] = heights(outline('tttt', '4:BH'));
  expect(short).toBe(14 + 19);
  expect(long).toBe(14 + 19 * 17);
  expect(enormous).toBe(14 + Math.ceil((16_000 / 78) * 1.15 + 16_000 / 600) * 19);
  expect(huge).toBe(enormous);
});
it('bounds the words of the person', () => {
  expect(heights(outline('uu', '5F'))).toEqual([46 + 19, 46 + 24 * 19 + 24]);
});
it('folds what the agent put in', () => {
  expect(heights(outline('t', '<', 'h'))).toEqual([28]);
});
it('needs more lines in a narrow column', () => {
  expect(heights(outline('t', ':'), 300)[0]).toBeGreaterThan(heights(outline('t', ':'), 600)[0] ?? 0);
});
it('knows nothing before the outline is there', () => {
  expect([...estimateHeights(null, 600)]).toEqual([]);
});
