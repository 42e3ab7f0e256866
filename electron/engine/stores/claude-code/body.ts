import type { BodyRequest, PartBody } from '../store';
import { fileText } from './attachment-entry';
import { type Entry, entryOf, isEntry, listOf, nameOf, numberOf, textOf } from './entry';
import { instructionEntries } from './instructions';
import { entryIn, readable } from './readable';
import { compactionTitle } from './system-entry';
import { toolBody } from './tool-body';
import { textPart, userKind, type UserKind } from './user-entry';

const nothing: PartBody = { text: null, tool: null, file: null };

/** The content of a part, from the bytes of its record and of its result's. */
export function body(request: BodyRequest): PartBody {
  const entry = entryIn(request.record);
  if (!entry) return nothing;
  switch (entry['type']) {
    case 'user':
      return userBody(entry, request);
    case 'assistant':
      return assistantBody(entry, request);
    case 'attachment':
      return attachmentBody(entry);
    case 'system':
      return systemBody(entry);
    default:
      return { ...nothing, text: textOf(entry['content']) ?? readable(entry) };
  }
}

function contentBlock(entry: Entry, index: number): Entry | null {
  const content = entryOf(entry['message'])?.['content'];
  if (typeof content === 'string') return index === 0 ? { type: 'text', text: content } : null;
  return entryOf(listOf(content)[index]);
}

/** Content of a shape that no reader knows, raw: what stands in the block's place, or the whole record. */
function strangeBody(entry: Entry, index: number): PartBody {
  const content = entryOf(entry['message'])?.['content'];
  if (!Array.isArray(content)) return { ...nothing, text: readable(entry) };
  const value: unknown = content[index];
  return { ...nothing, text: value === undefined ? null : readable(value) };
}

function userBody(entry: Entry, request: BodyRequest): PartBody {
  const block = contentBlock(entry, request.block);
  if (!block) return strangeBody(entry, request.block);
  if (block['type'] === 'tool_result' && nameOf(block['tool_use_id']) !== null) return { ...nothing, tool: toolBody(null, entry, block, entry, request.file) };
  if (block['type'] === 'image' || block['type'] === 'document') return mediaBody(block, null);
  const text = textOf(block['text']);
  if (text === null) return { ...nothing, text: readable(block) };
  return { ...nothing, text: spokenText(text, userKind(entry, entryOf(entry['message'])?.['content'])) };
}

/** Commands and their outputs are shown without their tags; everything else as it was written. */
function spokenText(text: string, kind: UserKind): string {
  return textPart(text, 0, kind).text ?? text;
}

function assistantBody(entry: Entry, request: BodyRequest): PartBody {
  const block = contentBlock(entry, request.block);
  if (!block) return strangeBody(entry, request.block);
  switch (block['type']) {
    case 'text':
      return { ...nothing, text: textOf(block['text']) ?? readable(block) };
    case 'thinking':
      return { ...nothing, text: textOf(block['thinking']) ?? readable(block) };
    case 'redacted_thinking':
      return { ...nothing, text: 'The model sent this reasoning in a form that only it can read.' };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const result = request.result && entryIn(request.result.record);
      const resultBlock = result && contentBlock(result, request.result?.block ?? 0);
      return { ...nothing, tool: toolBody(block, result, resultBlock, entry, request.file) };
    }
    case 'image':
      return mediaBody(block, null);
    default:
      return { ...nothing, text: readable(block) };
  }
}

/** A picture or document that stands in the message itself. */
function mediaBody(block: Entry, name: string | null): PartBody {
  const source = entryOf(block['source']);
  const mime = nameOf(source?.['media_type']);
  const data = textOf(source?.['data']);
  const isImage = mime?.startsWith('image/') === true && source?.['type'] === 'base64' && data !== null;
  return { ...nothing, file: { name: nameOf(block['title']) ?? name, mime, image: isImage ? { mime, data } : null, source: nameOf(source?.['url']) } };
}

function attachmentBody(entry: Entry): PartBody {
  const attachment = entryOf(entry['attachment']);
  if (!attachment) return { ...nothing, text: readable(entry) };
  switch (attachment['type']) {
    case 'file':
      return fileBody(attachment);
    case 'queued_command':
      if (typeof attachment['prompt'] !== 'string' && !Array.isArray(attachment['prompt'])) return { ...nothing, text: readable(attachment) };
      return { ...nothing, text: textOf(attachment['prompt']) ?? listOf(attachment['prompt']).filter(isEntry).map((block) => textOf(block['text']) ?? '').join('\n') };
    case 'prompt_snapshot':
      return { ...nothing, text: listOf(attachment['systemPrompt']).map((text) => textOf(text) ?? '').join('\n') };
    case 'instructions':
    case 'nested_memory':
      return { ...nothing, text: instructionEntries(attachment).map((file) => `${nameOf(file['path']) ?? ''}\n\n${textOf(file['content']) ?? ''}`).join('\n\n') };
    default:
      return { ...nothing, text: renderedText(entry) ?? nameOf(attachment['content']) ?? nameOf(attachment['snippet']) ?? nameOf(attachment['text']) ?? nameOf(attachment['stdout']) ?? readable(attachment) };
  }
}

function fileBody(attachment: Entry): PartBody {
  const file = entryOf(entryOf(attachment['content'])?.['file']);
  const data = textOf(file?.['base64']);
  const mime = nameOf(file?.['type']);
  const image = data !== null && mime !== null && mime.startsWith('image/') ? { mime, data } : null;
  const name = nameOf(attachment['displayPath']) ?? nameOf(attachment['filename']);
  return { text: fileText(attachment), tool: null, file: { name, mime: mime ?? null, image, source: nameOf(attachment['filename']) } };
}

/** What the model got of an attachment, where the line says so. */
function renderedText(entry: Entry): string | null {
  const pieces = listOf(entry['rendered']).filter(isEntry).map((piece) => textOf(piece['content']) ?? '');
  return pieces.length > 0 ? pieces.join('\n\n') : null;
}

function systemBody(entry: Entry): PartBody {
  const content = textOf(entry['content']) ?? '';
  switch (entry['subtype']) {
    case 'compact_boundary':
      return { ...nothing, text: compactionText(entry) };
    case 'local_command':
      return { ...nothing, text: spokenText(content, content.startsWith('<command') ? 'command' : 'command output') };
    default:
      return { ...nothing, text: content === '' ? (nameOf(entryOf(entry['error'])?.['message']) ?? readable(entry)) : content };
  }
}

function compactionText(entry: Entry): string {
  const metadata = entryOf(entry['compactMetadata']);
  const lines = [`${compactionTitle(entry)}.`];
  const duration = numberOf(metadata?.['durationMs']);
  const summarized = numberOf(metadata?.['messagesSummarized']);
  const kept = listOf(entryOf(metadata?.['preservedMessages'])?.['uuids']).length;
  if (summarized !== null) lines.push(`${summarized} messages were summarised.`);
  if (kept > 0) lines.push(`${kept} records before it were kept in view.`);
  if (duration !== null) lines.push(`It took ${(duration / 1000).toFixed(1)} s.`);
  return lines.join('\n');
}
