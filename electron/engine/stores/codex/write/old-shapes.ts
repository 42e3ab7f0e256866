import { asFilledText, asList, asObject, asText, type Fields, parsed } from '../../foreign/fields';
import type { JsonObject, Making } from '../../store';
import { injectedText } from '../injected';
import type { Segment } from './cut';
import { withText } from './texts';
import { readFully } from '../bytes';

/**
 * A thread of 2025's shapes as lines of the one after it, which current releases go on with (FORMAT.md, "Writing"):
 * each item in an envelope, and beside each message the event that shows it.
 */
export function asLegacyLines(meta: Fields, { text, until }: Segment, fork: { id: string; parent: string; directory: string | null }, { now }: Making): string[] {
  const timestamp = new Date(now).toISOString();
  const line = (type: string, payload: JsonObject) => `${JSON.stringify({ timestamp, type, payload })}\n`;
  const lines = [
    line('session_meta', {
      id: fork.id, forked_from_id: fork.parent, timestamp, cwd: fork.directory ?? '', originator: 'codex_cli_rs', cli_version: '0.0.0', instructions: asText(meta['instructions']), source: 'cli',
    }),
  ];
  for (const item of itemsIn(wholeText(text, until))) {
    lines.push(line('response_item', asNow(item)));
    const said = saidBy(item);
    if (said !== null) lines.push(line('event_msg', said));
  }
  return lines;
}

function wholeText(text: Segment['text'], until: number): string {
  return withText(text, (bytes) => {
    const room = Buffer.allocUnsafe(Math.min(until, bytes.size ?? until));
    return room.toString('utf8', 0, readFully(bytes, 0, room, 0));
  });
}

const itemsIn = (text: string): Fields[] =>
  text.split('\n').slice(1).flatMap((line) => {
    const item = asObject(parsed(line));
    return item && typeof item['type'] === 'string' && item['record_type'] === undefined ? [item] : [];
  });

/** Outputs of local commands had a type of their own; current releases would take the call for one without an output. Else parsed from JSON, and goes back as it was. */
const asNow = (item: Fields): JsonObject => (item['type'] === 'local_shell_call_output' ? { ...item, type: 'function_call_output' } : item) as JsonObject;

function saidBy(item: Fields): JsonObject | null {
  if (item['type'] !== 'message') return null;
  const text = asList(item['content']).map((part) => asText(asObject(part)?.['text']) ?? '').join('\n');
  if (item['role'] === 'assistant') return asFilledText(text) === null ? null : { type: 'agent_message', message: text };
  return item['role'] === 'user' && !injectedText(text) ? { type: 'user_message', message: text, images: [] } : null;
}
