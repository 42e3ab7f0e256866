import type { RecordedInstructions } from '../store';
import { type Entry, entryOf, isEntry, listOf, nameOf, textOf } from './entry';

/** Instruction files recorded in one line; more are not remembered one by one. */
const filesKept = 100;

/**
 * The files of an attachment that holds instructions (FORMAT.md, "Memory and instructions"): `instructions` lists those
 * of the start, `nested_memory` has one that was found on the way to a file.
 */
export function instructionEntries(attachment: Entry): Entry[] {
  if (attachment['type'] === 'instructions') return listOf(attachment['files']).filter(isEntry);
  const content = attachment['content'];
  const file = entryOf(content);
  const path = nameOf(attachment['path']) ?? nameOf(file?.['path']);
  return [{ path, type: file?.['type'], content: textOf(content) ?? file?.['content'] }];
}

/** Instructions that a line records as put before the model; none for any other attachment. */
export function instructionFiles(attachment: Entry | null): RecordedInstructions['files'] {
  if (attachment === null || (attachment['type'] !== 'instructions' && attachment['type'] !== 'nested_memory')) return [];
  return instructionEntries(attachment).slice(0, filesKept).flatMap((file) => {
    const path = nameOf(file['path']);
    return path === null ? [] : [{ path, kind: nameOf(file['type']) ?? 'unknown', characters: textOf(file['content'])?.length ?? 0, inferred: false }];
  });
}
