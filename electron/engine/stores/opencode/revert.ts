import type { JsonObject, SpineRecord } from '../store';
import type { Unit } from './order';
import { asText } from '../foreign/fields';

/** What a pending revert hides. */
export interface Hidden {
  records: Set<SpineRecord>;
  /** The record it goes back to. */
  cause: SpineRecord | null;
  reason: string;
  /** Messages hidden whole, and parts hidden in the message it goes back into. */
  messages: number;
  parts: number;
  /** It names something that is not here. */
  missing: string | null;
}

/**
 * A pending revert (FORMAT.md, "Revert"): of the first generation the named message and all after it are hidden, or
 * only from a part of it on; of the second the named message stays and what follows is hidden.
 */
export function hiddenBy(units: readonly Unit[], revert: JsonObject | null): Hidden | null {
  if (revert?.['pending'] !== true) return null;
  const key = asText(revert['message']);
  const place = units.findIndex((unit) => unit.key === key && unit.generation !== 'inbox');
  const boundary = units[place];
  if (!boundary) return { records: new Set(), cause: null, reason: '', messages: 0, parts: 0, missing: key ?? 'no message' };
  const later = units.slice(place + 1).filter(({ generation }) => generation !== 'inbox');
  const partKey = asText(revert['part']);
  const whole = boundary.generation === 1 && partKey === null;
  const messages = whole ? [boundary, ...later] : later;
  const from = partKey === null ? -1 : boundary.parts.findIndex((part) => part.key === partKey);
  const parts = from < 0 ? [] : boundary.parts.slice(from);
  const hidden = [...messages.flatMap((unit) => (unit.message ? [unit.message, ...unit.parts] : unit.parts)), ...parts];
  // What a message's own record shows is how it ended, which comes after its parts.
  if (parts.length > 0 && boundary.message) hidden.push(boundary.message);
  return {
    records: new Set(hidden),
    cause: parts[0] ?? boundary.message ?? boundary.parts[0] ?? null,
    reason: reasonOf(boundary, partKey),
    messages: messages.length,
    parts: parts.length,
    missing: partKey !== null && from < 0 ? partKey : null,
  };
}

function reasonOf(boundary: Unit, part: string | null): string {
  if (boundary.generation === 2) return `Taken back: the pending revert keeps the message ${boundary.key} and hides what follows it.`;
  if (part !== null) return `Taken back: the pending revert goes back to before the part ${part} of the message ${boundary.key}.`;
  return `Taken back: the pending revert goes back to before the message ${boundary.key}.`;
}
