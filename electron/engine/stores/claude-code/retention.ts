import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Retention, StoreLocation } from '../store';
import { isEntry, numberOf } from './entry';

/** Days when the settings say nothing (FORMAT.md, "How long files are kept"). */
const usualDays = 30;

/** How long Claude Code keeps transcripts. A setting it would refuse counts as none. */
export function retention({ folder }: StoreLocation): Retention {
  const set = daysSetIn(join(folder, 'settings.json'));
  return { days: set ?? usualDays, from: set === null ? 'default' : 'settings.json' };
}

function daysSetIn(file: string): number | null {
  try {
    const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const days = isEntry(settings) ? numberOf(settings['cleanupPeriodDays']) : null;
    return days !== null && days > 0 ? days : null;
  } catch {
    // Not there, or not JSON: Claude Code goes by its default too.
    return null;
  }
}
