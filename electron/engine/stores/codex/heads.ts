import type { SessionKind } from '@shared/model';
import { openBytes } from './bytes';
import { asFilledText, asList, asObject, asText, type Fields } from '../foreign/fields';
import { oneLine, timeOf } from './fields';
import { firstRecords } from './first-lines';
import { injectedText } from './injected';
import type { ListedFile } from './listing';
import { readMeta } from './meta';
import { type Origin, originOf } from './origin';

/** What a list shows of a rollout before it is read: from its first lines. */
export interface Sight {
  origin: Origin | null;
  kind: SessionKind;
  parent: string | null;
  prompt: string | null;
  directory: string | null;
  branch: string | null;
  model: string | null;
  created: number | null;
}

/**
 * Looks at the beginning of a rollout: at its first line, and where no table tells the rest, on to the first message.
 * What is wrong with the file is said when it is read.
 */
export function lookAt(file: ListedFile, isTabled: boolean): Sight {
  const sight: Sight = { origin: originOf(file.key, null), kind: 'session', parent: null, prompt: null, directory: null, branch: null, model: null, created: null };
  // The oldest shape is one object over many lines: its name has to do.
  if (file.key.endsWith('.json')) return sight;
  try {
    const bytes = openBytes(file.path, file.packed);
    try {
      let isFirst = true;
      for (const record of firstRecords(bytes, 2)) {
        if (isFirst) takeMeta(record, file, sight);
        else takeRecord(record, sight);
        isFirst = false;
        if (isTabled || (sight.prompt !== null && sight.model !== null)) break;
      }
    } finally {
      bytes.close();
    }
  } catch {
    return sight;
  }
  return sight;
}

function takeMeta(record: Fields, file: ListedFile, sight: Sight): void {
  sight.origin = originOf(file.key, record);
  const payload = asObject(record['payload']);
  const meta = readMeta(payload ?? record);
  sight.kind = meta.subagent ? 'subagent' : 'session';
  sight.parent = meta.subagent ? meta.parent : null;
  sight.directory = meta.cwd;
  sight.branch = meta.branch;
  sight.created = meta.created;
  if (!payload) takeRecord(record, sight);
}

function takeRecord(record: Fields, sight: Sight): void {
  const payload = asObject(record['payload']) ?? record;
  if (record['type'] === 'turn_context') sight.model ??= asFilledText(payload['model']);
  sight.created ??= timeOf(record['timestamp']);
  const text = promptIn(record, payload);
  if (text !== null && text.trim() !== '') sight.prompt ??= oneLine(text);
}

function promptIn(record: Fields, payload: Fields): string | null {
  if (payload['type'] === 'user_message') return payload['kind'] === undefined || payload['kind'] === 'plain' ? asText(payload['message']) : null;
  const item = payload['type'] === 'item_completed' ? asObject(payload['item']) : null;
  if (item?.['type'] === 'UserMessage') return textsOf(item['content'], 'text');
  // Older shapes have nothing but the items themselves.
  if (record['type'] !== 'message' || record['role'] !== 'user') return null;
  const text = textsOf(record['content'], 'input_text');
  return injectedText(text) ? null : text;
}

const textsOf = (content: unknown, type: string): string =>
  asList(content).map(asObject).filter((part) => part?.['type'] === type).map((part) => asText(part?.['text']) ?? '').join('\n');
