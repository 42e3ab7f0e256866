import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The first of the files that changes between two looks, `pause` milliseconds apart; null: all stood still. */
export async function growingFile(files: readonly string[], pause: number): Promise<string | null> {
  const before = files.map(stampOf);
  if (before.every((stamp) => stamp === null)) return null;
  await delay(pause);
  return files.find((file, index) => stampOf(file) !== before[index]) ?? null;
}

function stampOf(file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : null;
}
