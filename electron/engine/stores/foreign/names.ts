import { readdirSync } from 'node:fs';

/** Names in a folder; none when it is not there or may not be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
