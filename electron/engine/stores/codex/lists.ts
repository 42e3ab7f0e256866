import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { asFilledText, asNumber, asObject, type Fields, parsed } from '../foreign/fields';

/** Bytes asked of the disk at a time; a line longer than the limit is passed over. */
const blockBytes = 256 * 1024;
const lineLimit = 4 * 1024 * 1024;

export const nameList = 'session_index.jsonl';
export const promptList = 'history.jsonl';

/** The name a person gave each thread: the last line of an id wins. Ids of deleted threads stay in the list. */
export function readNames(home: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const line of linesOf(join(home, nameList))) {
    const fields = asObject(parsed(line));
    const id = asFilledText(fields?.['id']);
    if (id !== null) names.set(id, asFilledText(fields?.['thread_name']) ?? '');
  }
  return names;
}

/** Lines of the list of typed prompts, of the threads that are wanted. */
export function readPrompts(home: string, isWanted: (thread: string) => boolean): Map<string, string[]> {
  const prompts = new Map<string, string[]>();
  for (const line of linesOf(join(home, promptList))) {
    const thread = promptThread(asObject(parsed(line)));
    if (thread !== null && isWanted(thread)) prompts.set(thread, [...(prompts.get(thread) ?? []), line]);
  }
  return prompts;
}

const promptThread = (fields: Fields | null): string | null =>
  fields && asNumber(fields['ts']) !== null && asFilledText(fields['text']) !== null ? asFilledText(fields['session_id']) : null;

/** Lines of a small list, one at a time. None when it is not there or may not be read. */
function* linesOf(path: string): Iterable<string> {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    let held = Buffer.alloc(0);
    const block = Buffer.allocUnsafe(blockBytes);
    for (;;) {
      const got = readSync(fd, block, 0, blockBytes, null);
      held = Buffer.concat([held, block.subarray(0, got)]);
      let from = 0;
      for (let end = held.indexOf(10); end >= 0; end = held.indexOf(10, from)) {
        if (end > from) yield held.toString('utf8', from, end);
        from = end + 1;
      }
      held = held.subarray(from);
      if (held.length > lineLimit) held = Buffer.alloc(0);
      if (got > 0) continue;
      if (held.length > 0) yield held.toString('utf8');
      return;
    }
  } finally {
    closeSync(fd);
  }
}
