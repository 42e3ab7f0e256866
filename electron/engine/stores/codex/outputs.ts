import type { ToolStatus } from '@shared/model';
import type { ImageBody } from '../store';
import { asFilledText, asList, asNumber, asObject, asText, type Fields, parsed } from '../foreign/fields';
import { type Edit, editsOfChanges } from './patches';

/** What came back of a call. */
export interface Output {
  status: ToolStatus;
  text: string;
  exitCode: number | null;
  durationMs: number | null;
  images: ImageBody[];
  /** Thread that the call started. */
  child: string | null;
  /** What was done to files; null where this record does not say. */
  edits: Edit[] | null;
  /** More is to come: the command runs on, or was stopped and its end is recorded later. */
  unfinished: boolean;
}

const plain: Output = { status: 'completed', text: '', exitCode: null, durationMs: null, images: [], child: null, edits: null, unfinished: false };

const outputTypes = new Set(['function_call_output', 'custom_tool_call_output', 'local_shell_call_output', 'tool_search_output']);
export const isOutput = (item: Fields): boolean => outputTypes.has(asText(item['type']) ?? '');

/** Reads an output of any kind (FORMAT.md, "Tools"): a text, JSON in a text, or content parts. */
export function outputOf(item: Fields): Output {
  const output = item['output'];
  if (typeof output === 'string') return textOutput(output);
  const images = asList(output).map(asObject).map((part) => imageOf(part?.['image_url'])).filter((image) => image !== null);
  const text = asList(output).map(asObject).map((part) => asText(part?.['text'])).filter((piece) => piece !== null).join('');
  if (Array.isArray(output)) return { ...textOutput(text), images };
  return output === undefined || output === null ? plain : { ...plain, text: JSON.stringify(output, null, 2) };
}

function textOutput(text: string): Output {
  if (text.startsWith('{')) {
    const fields = asObject(parsed(text));
    const metadata = asObject(fields?.['metadata']);
    if (fields && metadata && typeof fields['output'] === 'string') return finished(fields['output'], asNumber(metadata['exit_code']), seconds(asNumber(metadata['duration_seconds'])));
    if (fields && typeof fields['agent_id'] === 'string') return { ...plain, text, child: fields['agent_id'] };
    return { ...plain, text };
  }
  const refused = refusalOf(text);
  if (refused) return { ...plain, text, status: refused };
  if (/^Wall time: [\d.]+ seconds\naborted by user/.test(text) || text === 'aborted by user' || text === 'aborted') {
    return { ...plain, text, status: 'interrupted', unfinished: true, durationMs: wallTime(text) };
  }
  return headedOutput(text);
}

function refusalOf(text: string): ToolStatus | null {
  const begin = text.slice(0, 400);
  if (/rejected by user|^(?:patch|command) rejected|denied by user/i.test(begin)) return 'denied';
  return /^(?:apply_patch verification failed|exec_command failed|failed to |error: |unsupported call)/i.test(begin) ? 'error' : null;
}

/** Lines before `Output:`, of which the exit code and the time are told apart (`Chunk ID`, `Wall time`, `Process …`). */
function headedOutput(text: string): Output {
  const head = text.slice(0, 600);
  const start = /(?:^|\n)Output:\n/.exec(head);
  if (!start || !/^(?:Chunk ID: |Exit code: |Wall time|Script |Process )/.test(head)) return { ...plain, text };
  const lines = head.slice(0, start.index);
  const body = text.slice(start.index + start[0].length);
  const exit = /(?:Process exited with code|Exit code:) (-?\d+)/.exec(lines);
  if (exit) return finished(body, Number(exit[1]), wallTime(lines));
  const runs = /Process running with session ID/.test(lines);
  return { ...plain, text: body, status: runs ? 'running' : 'completed', unfinished: runs, durationMs: wallTime(lines) };
}

const finished = (text: string, exitCode: number | null, durationMs: number | null): Output => ({
  ...plain, text, exitCode, durationMs, status: exitCode === null || exitCode === 0 ? 'completed' : 'error',
});

function wallTime(text: string): number | null {
  const found = /Wall time:? ([\d.]+)/.exec(text);
  return found ? seconds(Number(found[1])) : null;
}

const seconds = (value: number | null): number | null => (value === null || !Number.isFinite(value) ? null : Math.round(value * 1000));

/** Items and events that say how a call ended, better than its output does: CommandExecution, FileChange, and their legacy forms. */
export function outputOfItem(item: Fields): Output {
  const type = item['type'];
  if (type === 'SubAgentActivity') {
    return { ...plain, text: `${asText(item['kind']) ?? 'started'} ${asText(item['agent_path']) ?? ''}`.trim(), child: asFilledText(item['agent_thread_id']) };
  }
  const exitCode = asNumber(item['exit_code']);
  const duration = asObject(item['duration']);
  const durationMs = duration ? Math.round((asNumber(duration['secs']) ?? 0) * 1000 + (asNumber(duration['nanos']) ?? 0) / 1e6) : asNumber(item['duration_ms']);
  const isFiles = type === 'FileChange' || type === 'patch_apply_end';
  const text = isFiles ? [asText(item['stdout']), asText(item['stderr'])].filter(Boolean).join('\n') : (asText(item['aggregated_output']) ?? asText(item['formatted_output']) ?? '');
  return { ...plain, text, exitCode, durationMs, status: statusOf(item, exitCode), edits: isFiles ? editsOfChanges(item['changes']) : null };
}

function statusOf(item: Fields, exitCode: number | null): ToolStatus {
  switch (item['status']) {
    case 'completed':
      return 'completed';
    case 'declined':
      return 'denied';
    case 'failed':
      return 'error';
    case 'in_progress':
      return 'running';
    default:
      return item['success'] === false || (exitCode !== null && exitCode !== 0) ? 'error' : 'completed';
  }
}

/** A picture from a data URL; one that is only named by an address is not fetched. */
export function imageOf(url: unknown): ImageBody | null {
  const found = typeof url === 'string' && url.startsWith('data:') ? /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=-]+)*;base64,/.exec(url.slice(0, 200)) : null;
  return found ? { mime: found[1] as string, data: (url as string).slice(found[0].length) } : null;
}
