import type { Draft } from '../../store';
import { readCall } from './calls';

/** The database a draft works on; null: it writes files only. */
export function databaseOfDraft({ steps }: Draft): string | null {
  for (const step of steps) {
    if (step.kind === 'rows') return step.database;
    const call = step.kind === 'program' ? readCall(step.call) : null;
    if (call) return call.database;
  }
  return null;
}
