import type { JsonObject, PartFact } from '../store';
import { type Entry, entryOf, isEntry, listOf, nameOf, numberOf, oneLine, textOf } from './entry';
import { showsNothing, type Shown, sideMessage } from './shown';
import { textPart } from './user-entry';

/** Subtypes that a reader knows; any other is shown by its content and counted as unknown. */
const known = new Set(['compact_boundary', 'microcompact_boundary', 'local_command', 'turn_duration', 'informational', 'api_error', 'stop_hook_summary', 'away_summary']);

export const isKnownSystem = (subtype: string): boolean => known.has(subtype);

/** Kept records named one by one in a boundary's note; a longer list is told by its two ends. */
const namedKept = 128;

/** A system line: compaction, local commands, notices. */
export function showSystem(entry: Entry, key: string, time: number | null): Shown {
  const content = textOf(entry['content']) ?? '';
  switch (entry['subtype']) {
    case 'turn_duration':
      return { ...showsNothing, note: { unsent: true } };
    case 'compact_boundary':
      return { message: sideMessage(key, 'system', time), parts: [compactionPart(entry)], results: [], note: compactionNote(entry) };
    case 'microcompact_boundary':
      return { message: sideMessage(key, 'system', time), parts: [notice(content === '' ? 'Old tool outputs cleared' : content)], results: [], note: { unsent: true, ...clearedNote(entry) } };
    case 'local_command': {
      const isCommand = content.startsWith('<command-name>') || content.startsWith('<command-message>');
      const part = textPart(content, 0, isCommand ? 'command' : 'command output');
      return { message: sideMessage(key, isCommand ? 'user' : 'system', time), parts: [part], results: [], note: null };
    }
    default: {
      const text = content === '' ? (nameOf(entryOf(entry['error'])?.['message']) ?? '') : content;
      const parts = text === '' ? [] : [notice(text)];
      return { message: parts.length > 0 ? sideMessage(key, 'system', time) : null, parts, results: [], note: { unsent: true } };
    }
  }
}

function notice(text: string): PartFact {
  return { block: 0, kind: 'notice', title: oneLine(text), text, size: text.length, injected: true };
}

/** What the record of a compaction says in one line. */
export function compactionTitle(entry: Entry): string {
  const metadata = entryOf(entry['compactMetadata']);
  const trigger = metadata?.['trigger'] === 'manual' ? 'Compacted by command' : metadata?.['trigger'] === 'auto' ? 'Compacted automatically' : 'Compacted';
  const before = numberOf(metadata?.['preTokens']);
  const after = numberOf(metadata?.['postTokens']);
  return `${trigger}${before === null ? '' : ` at ${before.toLocaleString('en-US')} tokens`}${after === null ? '' : `, ${after.toLocaleString('en-US')} after`}`;
}

function compactionPart(entry: Entry): PartFact {
  return { block: 0, kind: 'compaction', title: compactionTitle(entry), text: null, size: 0, injected: false };
}

function compactionNote(entry: Entry): JsonObject {
  const metadata = entryOf(entry['compactMetadata']);
  const segment = entryOf(metadata?.['preservedSegment']);
  const preserved = entryOf(metadata?.['preservedMessages']);
  const kept = listOf(preserved?.['allUuids'] ?? preserved?.['uuids']).filter((uuid): uuid is string => typeof uuid === 'string');
  const note: JsonObject = { unsent: true };
  const set = (field: string, value: string | number | null) => {
    if (value !== null) note[field] = value;
  };
  set('trigger', nameOf(metadata?.['trigger']));
  set('before', numberOf(metadata?.['preTokens']));
  set('after', numberOf(metadata?.['postTokens']));
  set('head', nameOf(segment?.['headUuid']));
  set('tail', nameOf(segment?.['tailUuid']));
  set('anchor', nameOf(segment?.['anchorUuid']) ?? nameOf(preserved?.['anchorUuid']));
  set('summarized', numberOf(metadata?.['messagesSummarized']));
  set('logical', nameOf(entry['logicalParentUuid']));
  if (kept.length > 0 && (kept.length <= namedKept || note['head'] === undefined)) note['kept'] = kept;
  return note;
}

/** Calls whose outputs were cleared from the model's view (seen in public readers only, see FORMAT.md). */
function clearedNote(entry: Entry): JsonObject {
  const metadata = entry['microcompactMetadata'];
  const calls = isEntry(metadata) ? listOf(metadata['compactedToolIds']).filter((id): id is string => typeof id === 'string') : [];
  return calls.length > 0 ? { cleared: calls } : {};
}
