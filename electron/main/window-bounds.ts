import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rectangle } from 'electron';
import { z } from 'zod';

const state = z.object({
  bounds: z.object({ x: z.number().int(), y: z.number().int(), width: z.number().int().positive(), height: z.number().int().positive() }),
  maximised: z.boolean(),
});
/** How the window stood when it was last seen: its normal bounds, in screen pixels, and whether it filled the screen. */
export type WindowState = z.infer<typeof state>;

/** px; below this the three panes have no room. */
export const smallest = { width: 720, height: 480 };
/** px; the size the page is drawn for. */
const usual = { width: 1440, height: 900 };
/** px of the window's top edge that must lie on a screen, or it could not be taken and moved. */
const reachable = 80;

/** Null when there is none, or none that can be read: then the window opens as it would the first time. */
export function readWindowState(file: string): WindowState | null {
  try {
    return state.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Written beside and renamed, so that a crash leaves the old state or the new. */
export function writeWindowState(file: string, value: WindowState): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(value));
  renameSync(`${file}.new`, file);
}

/** Bounds that can be seen and taken on the screens there are now; the first work area is the main screen's. */
export function visibleBounds(wanted: Rectangle | null, workAreas: readonly Rectangle[]): Rectangle {
  const main = workAreas[0] ?? { x: 0, y: 0, ...usual };
  if (!wanted) return centred(usual, main);
  const home = workAreas.find((area) => isReachable(wanted, area));
  if (!home) return centred(wanted, main);
  const width = between(smallest.width, wanted.width, Math.max(home.width, smallest.width));
  const height = between(smallest.height, wanted.height, Math.max(home.height, smallest.height));
  return { x: wanted.x, y: wanted.y, width, height };
}

function isReachable(window: Rectangle, area: Rectangle): boolean {
  const across = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x);
  return across >= reachable && window.y >= area.y && window.y <= area.y + area.height - reachable;
}

function centred(size: { width: number; height: number }, area: Rectangle): Rectangle {
  const width = between(smallest.width, size.width, Math.max(area.width, smallest.width));
  const height = between(smallest.height, size.height, Math.max(area.height, smallest.height));
  return { x: area.x + Math.max(0, Math.round((area.width - width) / 2)), y: area.y + Math.max(0, Math.round((area.height - height) / 2)), width, height };
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
