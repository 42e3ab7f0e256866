import { nativeId } from '@shared/model';
import type { BodyRequest, PartBody, ToolBody } from '../store';
import { callOf, callOfItem, type Call, isCall } from './calls';
import { summaryOf } from './compacted';
import { contentOf, reasoningOf, textOf } from './content';
import { eventImages } from './events';
import { asFilledText, asList, asObject, asText, type Fields, parsed } from '../foreign/fields';
import { agentText, pictureBlock, reviewText, userText } from './items';
import { imageOf, isOutput, type Output, outputOf, outputOfItem } from './outputs';
import { agentMessageText } from './responses';

const nothing: PartBody = { text: null, tool: null, file: null };
const said = (text: string | null): PartBody => ({ ...nothing, text });

/** The content of a part, from the bytes of its record and of its result's. */
export function body(request: BodyRequest): PartBody {
  const line = recordIn(request.record);
  if (!line) return nothing;
  const payload = asObject(line['payload']);
  if (!payload) return typeof line['session_id'] === 'string' ? said(asText(line['text'])) : bareBody(line, request);
  switch (line['type']) {
    case 'response_item':
      return responseBody(payload, request);
    case 'event_msg':
      return payload['type'] === 'item_completed' ? itemBody(asObject(payload['item']) ?? {}, request) : eventBody(payload, request);
    case 'compacted':
      return request.block === 1 ? said(summaryOf(payload)) : nothing;
    default:
      return said(JSON.stringify(payload, null, 2));
  }
}

function recordIn(record: Uint8Array): Fields | null {
  return asObject(parsed(Buffer.from(record.buffer, record.byteOffset, record.byteLength).toString('utf8')));
}

function responseBody(item: Fields, request: BodyRequest): PartBody {
  if (isCall(item)) return { ...nothing, tool: toolBody(callOf(item), outputIn(request)) };
  if (isOutput(item)) return { ...nothing, tool: toolBody(null, outputOf(item)) };
  if (item['type'] === 'agent_message') return said(agentMessageText(item));
  if (item['type'] !== 'message') return said(JSON.stringify(item, null, 2));
  return contentBody(item, request.block);
}

function contentBody(message: Fields, block: number): PartBody {
  const part = contentOf(message)[block];
  return part?.image == null ? said(part?.text ?? null) : pictureBody(part.image);
}

/** In the oldest shapes one line is a whole message: its words first, then its pictures; what was put in stands at its own place. */
function bareBody(item: Fields, request: BodyRequest): PartBody {
  if (item['type'] === 'reasoning') return said(reasoningOf(item));
  if (item['type'] !== 'message') return responseBody(item, request);
  const parts = contentOf(item);
  if (parts[request.block]?.injected) return said(parts[request.block]?.text ?? null);
  if (request.block === 0) return said(item['role'] === 'user' ? textOf(parts) : parts.map(({ text }) => text ?? '').join(''));
  const image = parts[request.block - 1]?.image;
  return image == null ? nothing : pictureBody(image);
}

function itemBody(item: Fields, request: BodyRequest): PartBody {
  switch (item['type']) {
    case 'UserMessage': {
      if (request.block === 0) return said(userText(item));
      const part = asObject(asList(item['content'])[request.block - pictureBlock]);
      return pictureBody(asText(part?.['image_url']) ?? asText(part?.['path']) ?? '');
    }
    case 'AgentMessage':
      return said(agentText(item));
    case 'Reasoning':
      return said(reasoningOf(item));
    case 'CommandExecution':
    case 'FileChange':
      return { ...nothing, tool: toolBody(callOfItem(item), outputOfItem(item)) };
    case 'SubAgentActivity':
      return { ...nothing, tool: toolBody(null, outputOfItem(item)) };
    case 'WebSearch':
      return { ...nothing, tool: toolBody(callOf({ ...item, type: 'web_search_call' }), null) };
    case 'EnteredReviewMode':
    case 'ExitedReviewMode':
      return said(asFilledText(reviewText(item)));
    default:
      return said(asText(item['text']) ?? JSON.stringify(item, null, 2));
  }
}

function eventBody(event: Fields, request: BodyRequest): PartBody {
  switch (event['type']) {
    case 'user_message':
      return request.block === 0 ? said(asText(event['message'])) : pictureBody(eventImages(event)[request.block - 1] ?? '');
    case 'agent_message':
      return said(asText(event['message']));
    case 'agent_reasoning':
      return said(asText(event['text']));
    case 'exec_command_end':
      return { ...nothing, tool: toolBody(callOfItem(event), outputOfItem(event)) };
    case 'patch_apply_end':
      return { ...nothing, tool: toolBody(callOfItem({ ...event, type: 'FileChange' }), outputOfItem(event)) };
    case 'web_search_end':
      return { ...nothing, tool: toolBody(callOf({ ...event, type: 'web_search_call' }), null) };
    case 'entered_review_mode':
    case 'exited_review_mode':
      return said(asFilledText(reviewText(event)));
    case 'task_complete':
    case 'turn_complete':
      return said(asText(asObject(event['error'])?.['message']) ?? asText(event['error']));
    case 'thread_rolled_back':
    case 'turn_aborted':
    case 'context_compacted':
      return nothing;
    default:
      return said(asText(event['message']) ?? JSON.stringify(event, null, 2));
  }
}

/** A picture that is stored, or only the path or address of one. */
function pictureBody(source: string): PartBody {
  const image = imageOf(source);
  if (image) return { ...nothing, file: { name: null, mime: image.mime, image, source: null } };
  return { ...nothing, file: { name: source.split(/[\\/]/).at(-1) || null, mime: null, image: null, source: source.startsWith('data:') ? null : source } };
}

/** What came back of a call: an output, or the item or event that told its end. */
function outputIn(request: BodyRequest): Output | null {
  const line = request.result && recordIn(request.result.record);
  if (!line) return null;
  const payload = asObject(line['payload']) ?? line;
  if (isOutput(payload)) return outputOf(payload);
  return outputOfItem(payload['type'] === 'item_completed' ? (asObject(payload['item']) ?? {}) : payload);
}

function toolBody(call: Call | null, output: Output | null): ToolBody {
  return {
    target: call?.target ?? null, input: call?.input() ?? null, output: output?.text ?? null, exitCode: output?.exitCode ?? null, durationMs: output?.durationMs ?? null,
    edits: editsOf(call, output), todos: call?.todos ?? [], images: output?.images ?? [], child: output?.child ? nativeId(output.child) : null, note: noteOf(call, output),
  };
}


/** Changes as they were recorded; else as the model asked for them, when the call succeeded. */
function editsOf(call: Call | null, output: Output | null): ToolBody['edits'] {
  if (output?.edits) return output.edits;
  return call && output?.status === 'completed' ? call.edits : [];
}

function noteOf(call: Call | null, output: Output | null): string | null {
  if (output?.status === 'denied') return output.edits ? 'The person refused this change: nothing was written.' : 'The person refused this call: it did not run.';
  if (output?.status === 'interrupted') return 'The person stopped it; what it had done until then stays done.';
  if (output?.exitCode === -1) return 'It was stopped before it ended.';
  if (output?.status === 'running') return 'The command ran on in the background.';
  const isDrawn = call !== null && call.edits.length > 0 && output !== null && output.edits === null && output.status === 'completed';
  return isDrawn ? 'Drawn from the patch the model wrote: this release recorded no line numbers, and not what deleted files held.' : null;
}
