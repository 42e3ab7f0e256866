import type { Role } from '@shared/model';
import type { JsonObject, MessageFact, PartFact, ResultFact } from '../store';

/** What one line shows: its message, its parts, results for calls of other lines, and what `settle` must know of it. */
export interface Shown {
  message: MessageFact | null;
  parts: PartFact[];
  results: ResultFact[];
  note: JsonObject | null;
}

export const showsNothing: Shown = { message: null, parts: [], results: [], note: null };

/** A message that is neither a prompt nor an answer. */
export function sideMessage(key: string, role: Role, time: number | null): MessageFact {
  return { key, role, time, model: null, agentName: null, counted: false, prompt: false, tokens: null };
}

/** Adds to a note that may not be there yet. */
export function noted(shown: Shown, fields: JsonObject): void {
  shown.note = shown.note ? { ...shown.note, ...fields } : fields;
}
