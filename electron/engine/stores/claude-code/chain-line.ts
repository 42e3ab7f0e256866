import { isKnownAttachment } from './attachment-entry';
import { type Entry, entryOf, isEntry, listOf, nameOf } from './entry';
import type { Shown } from './shown';
import { isKnownSystem } from './system-entry';

/** Line types that link into the chain (FORMAT.md, "The chain"). Any other type is walked through but is never an end. */
export const chainTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'attachment', 'system', 'progress']);

/** Characters of a type's name that are kept: names are words, and stand in every row. */
const nameLength = 80;

/** The store's own name of a record's type. */
export function typeName(type: string, entry: Entry): string {
  return fullName(type, entry).slice(0, nameLength);
}

function fullName(type: string, entry: Entry): string {
  if (type === 'attachment') return `attachment/${nameOf(entryOf(entry['attachment'])?.['type']) ?? '?'}`;
  if (type === 'system') return `system/${nameOf(entry['subtype']) ?? '?'}`;
  if (type === 'progress') return `progress/${nameOf(entryOf(entry['data'])?.['type']) ?? '?'}`;
  return type;
}

/** False for a type or subtype that no reader knows: it is shown by its name, and counted. */
export function isKnown(type: string, recordType: string): boolean {
  if (type === 'attachment') return isKnownAttachment(recordType.slice('attachment/'.length));
  if (type === 'system') return isKnownSystem(recordType.slice('system/'.length));
  return chainTypes.has(type);
}

/** Lines a checkpoint can stand before. */
export function turnKind(type: string, entry: Entry, shown: Shown): string | null {
  if (type === 'system') return entry['subtype'] === 'compact_boundary' ? 'compaction' : null;
  if (shown.message?.prompt) return 'prompt';
  if (type !== 'user') return null;
  const kind = shown.parts[0]?.kind;
  return kind === 'command' ? 'command' : kind === 'summary' ? 'summary' : null;
}

/** The session a line was copied from, and the field that names it; null for a line written in its own session. */
export function copySource(entry: Entry, own: string | null): { session: string; field: string } | null {
  const named: [string, string | null][] = [
    ['forkedFrom', nameOf(entryOf(entry['forkedFrom'])?.['sessionId'])],
    ['requestSessionId', nameOf(entry['requestSessionId'])],
    ['sessionId', nameOf(entry['sessionId'])],
  ];
  for (const [field, session] of named) if (session !== null && session !== own) return { session, field };
  return null;
}

/** The input of the tool call in a content block. */
export function inputOf(entry: Entry, block: number): Entry {
  const content = listOf(entryOf(entry['message'])?.['content'])[block];
  return entryOf(isEntry(content) ? content['input'] : null) ?? {};
}
