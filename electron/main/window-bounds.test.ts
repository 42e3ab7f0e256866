import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readWindowState, visibleBounds, writeWindowState } from './window-bounds';

const folder = mkdtempSync(join(tmpdir(), 'retrace-window-'));
afterAll(() => rmSync(folder, { recursive: true }));

const laptop = { x: 0, y: 25, width: 1512, height: 920 };
const monitor = { x: 1512, y: 0, width: 2560, height: 1400 };

test('the first window stands in the middle of the main screen', () => {
  expect(visibleBounds(null, [laptop, monitor])).toEqual({ x: 36, y: 35, width: 1440, height: 900 });
});

test('a small screen gets a window that fits', () => {
  expect(visibleBounds(null, [{ x: 0, y: 0, width: 1024, height: 700 }])).toEqual({ x: 0, y: 0, width: 1024, height: 700 });
});

test('a window stays where it was on either screen', () => {
  const there = { x: 2_000, y: 100, width: 1_800, height: 1_200 };
  expect(visibleBounds(there, [laptop, monitor])).toEqual(there);
});

test('a window half over the edge stays; one too large for its screen shrinks', () => {
  expect(visibleBounds({ x: -600, y: 30, width: 1_000, height: 600 }, [laptop])).toEqual({ x: -600, y: 30, width: 1_000, height: 600 });
  expect(visibleBounds({ x: 0, y: 25, width: 5_000, height: 4_000 }, [laptop])).toEqual({ x: 0, y: 25, width: 1_512, height: 920 });
});

test.each([
  ['on a screen that is gone', { x: 2_000, y: 100, width: 1_000, height: 800 }],
  ['above the screen', { x: 100, y: -300, width: 1_000, height: 800 }],
  ['below the screen', { x: 100, y: 930, width: 1_000, height: 800 }],
  ['beside the screen', { x: -970, y: 100, width: 1_000, height: 800 }],
])('a window %s comes back to the main screen', (_where, bounds) => {
  expect(visibleBounds(bounds, [laptop])).toEqual({ x: 256, y: 85, width: 1_000, height: 800 });
});

test('the state is kept in a file, and a file that is not one is passed over', () => {
  const file = join(folder, 'deep', 'window.json');
  const value = { bounds: { x: 1, y: 2, width: 900, height: 700 }, maximised: true };
  expect(readWindowState(file)).toBeNull();
  writeWindowState(file, value);
  expect(readWindowState(file)).toEqual(value);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['window.json']);
  writeFileSync(file, '{"bounds":{"x":"1"}}');
  expect(readWindowState(file)).toBeNull();
  writeFileSync(file, '{"bounds"');
  expect(readWindowState(file)).toBeNull();
});
