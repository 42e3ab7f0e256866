import type { Tokens } from '@shared/model';

export interface Usage {
  tokens: Tokens;
  /** Figures from 1,000 up are written with two digits (`1.2k`): what is kept is what was written. */
  rounded: boolean;
}

const figure = String.raw`([\d.,]+)([kM]?)`;
const line = new RegExp(`^Tokens: ${figure} sent(?:, ${figure} cache write)?(?:, ${figure} cache hit)?, ${figure} received\\.`);

/** Reads a usage message (FORMAT.md, "Usage"). Null when it is none. */
export function usageOf(text: string): Usage | null {
  const found = line.exec(text);
  if (!found) return null;
  const [sent, write, hit, received] = [1, 3, 5, 7].map((at) => (found[at] === undefined ? 0 : figureOf(found[at], found[at + 1] ?? ''))) as [number, number, number, number];
  // What was sent includes what the cache gave or took.
  const tokens = { input: Math.max(0, sent - write - hit), output: received, reasoning: 0, cacheRead: hit, cacheWrite: write };
  return { tokens, rounded: [2, 4, 6, 8].some((at) => found[at] !== undefined && found[at] !== '') };
}

function figureOf(digits: string, unit: string): number {
  const value = Number(digits.replaceAll(',', ''));
  const factor = unit === 'k' ? 1_000 : unit === 'M' ? 1_000_000 : 1;
  return Number.isFinite(value) ? Math.round(value * factor) : 0;
}
