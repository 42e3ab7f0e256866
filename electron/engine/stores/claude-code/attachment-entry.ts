import type { JsonObject, PartFact } from '../store';
import { type Entry, entryOf, isEntry, listOf, nameOf, oneLine, textOf } from './entry';
import { instructionEntries } from './instructions';
import { type Shown, sideMessage } from './shown';
import { shapeOf, strangePart } from './strange';

/** Vendor texts and bookkeeping: shown when asked for, never searched. */
const bookkeeping = new Set([
  'environment', 'model', 'date', 'session_context', 'skill_listing', 'agent_listing_delta', 'deferred_tools_delta', 'deferred_tools_record', 'prompt_snapshot',
  'remote_session_change', 'plan_mode', 'plan_mode_exit', 'auto_mode', 'command_permissions', 'fork_briefing', 'total_tokens_reminder', 'task_reminder', 'todo_reminder',
]);

/** What the model does not get although it stands in the chain (unless the line says how it was rendered). */
const notSent = new Set(['prompt_snapshot', 'deferred_tools_record', 'command_permissions', 'session_context', 'hook_system_message', 'hook_success']);

/** Attachment types that a reader knows; any other is shown and counted as unknown. */
const known = new Set([...bookkeeping, 'file', 'edited_text_file', 'queued_command', 'instructions', 'nested_memory', 'hook_success', 'hook_system_message']);

export const isKnownAttachment = (type: string): boolean => known.has(type);

/** An attachment line: context that the program put in, or a prompt that the person typed while the model worked. */
export function showAttachment(entry: Entry, key: string, time: number | null): Shown {
  const attachment = entryOf(entry['attachment']);
  if (!attachment) return { message: sideMessage(key, 'system', time), parts: [strangePart(0, shapeOf(entry['attachment']))], results: [], note: { unsent: true } };
  const type = textOf(attachment['type']) ?? 'attachment';
  if (type === 'queued_command') return showQueued(attachment, key, time);
  const part = attachmentPart(attachment, type, renderedSize(entry));
  const sent = listOf(entry['rendered']).length > 0 || !notSent.has(type) || (type === 'hook_success' && nameOf(attachment['content']) !== null);
  return { message: part && sideMessage(key, 'system', time), parts: part ? [part] : [], results: [], note: sent ? asSystem(entry) : { unsent: true } };
}

/** Rendered with the role `system` it goes behind the words of its turn; otherwise before them. */
const asSystem = (entry: Entry): JsonObject | null => (entry['renderedRole'] === 'system' ? { as: 'system' } : null);

function showQueued(attachment: Entry, key: string, time: number | null): Shown {
  const prompt = attachment['prompt'];
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) return { message: sideMessage(key, 'system', time), parts: [strangePart(0, shapeOf(prompt))], results: [], note: { unsent: true } };
  const text = textOf(prompt) ?? listOf(prompt).filter(isEntry).map((block) => textOf(block['text']) ?? '').join('\n');
  const origin = nameOf(entryOf(attachment['origin'])?.['kind']);
  const human = (origin === null || origin === 'human') && attachment['humanTurn'] !== false && !text.startsWith('<task-notification>');
  const part: PartFact = human
    ? { block: 0, kind: 'text', title: null, text, size: text.length, injected: false }
    : { block: 0, kind: 'notice', title: oneLine(text), text, size: text.length, injected: true };
  const message = { ...sideMessage(key, 'user', time), counted: human, prompt: human };
  return { message, parts: text === '' ? [] : [part], results: [], note: null };
}

function attachmentPart(attachment: Entry, type: string, rendered: number): PartFact | null {
  const notice = (title: string, text: string | null, size = text?.length ?? rendered): PartFact => ({ block: 0, kind: 'notice', title: oneLine(title), text, size, injected: true });
  switch (type) {
    case 'file': {
      const text = fileText(attachment);
      const name = nameOf(attachment['displayPath']) ?? nameOf(attachment['filename']) ?? 'file';
      return { block: 0, kind: 'file', title: oneLine(name), text, size: text?.length ?? 0, injected: true };
    }
    case 'edited_text_file':
      return notice(`${nameOf(attachment['filename']) ?? 'A file'} changed on disk`, textOf(attachment['snippet']));
    case 'instructions':
    case 'nested_memory': {
      const files = instructionEntries(attachment);
      return notice(`Instructions: ${files.map((file) => nameOf(file['path']) ?? '?').join(', ')}`, files.map((file) => textOf(file['content']) ?? '').join('\n'));
    }
    case 'hook_success': {
      const text = nameOf(attachment['content']) ?? nameOf(attachment['stdout']) ?? nameOf(attachment['stderr']);
      return text === null ? null : notice(`Hook ${nameOf(attachment['hookName']) ?? ''}`, text);
    }
    case 'hook_system_message':
      return notice(`Hook ${nameOf(attachment['hookName']) ?? ''}: ${textOf(attachment['content']) ?? ''}`, textOf(attachment['content']));
    case 'model':
      return notice(`Model: ${nameOf(entryOf(attachment['identity'])?.['modelId']) ?? 'named to the model'}`, null);
    case 'date':
      return notice(`Date: ${textOf(attachment['date']) ?? ''}`, null);
    case 'prompt_snapshot':
      return notice('System prompt', null, listOf(attachment['systemPrompt']).reduce<number>((sum, text) => sum + (textOf(text)?.length ?? 0), 0));
    default:
      // An attachment that holds nothing and shows nothing to the model is only a link of the chain.
      if (bookkeeping.has(type)) return rendered > 0 || nameOf(attachment['text']) !== null ? notice(type.replaceAll('_', ' '), null, rendered || textOf(attachment['text'])?.length || 0) : null;
      return notice(type.replaceAll('_', ' '), textOf(attachment['content']) ?? textOf(attachment['text']));
  }
}

/** The text of an attached file; null for a picture. */
export function fileText(attachment: Entry): string | null {
  const content = attachment['content'];
  if (typeof content === 'string') return content;
  const file = entryOf(entryOf(content)?.['file']);
  return textOf(file?.['content']);
}

function renderedSize(entry: Entry): number {
  let size = 0;
  for (const piece of listOf(entry['rendered'])) if (isEntry(piece)) size += textOf(piece['content'])?.length ?? 0;
  return size;
}
