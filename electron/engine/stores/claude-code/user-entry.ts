import type { PartFact } from '../store';
import { type Entry, entryOf, isEntry, listOf, nameOf, oneLine, withoutColour } from './entry';
import { shapeOf, strangePart } from './strange';

/** What a `user` line is: many are not the person (FORMAT.md, "User lines"). */
export type UserKind = 'result' | 'summary' | 'meta' | 'notification' | 'command' | 'command output' | 'shell' | 'shell output' | 'interrupt' | 'prompt';

/** The first text of a message's content. */
export function firstText(content: unknown): string {
  if (typeof content === 'string') return content;
  for (const block of listOf(content)) {
    if (isEntry(block) && block['type'] === 'text' && typeof block['text'] === 'string') return block['text'];
  }
  return '';
}

/** Decides in the order of the table in FORMAT.md. */
export function userKind(entry: Entry, content: unknown): UserKind {
  if (listOf(content).some((block) => isEntry(block) && block['type'] === 'tool_result')) return 'result';
  if (entry['isCompactSummary'] === true) return 'summary';
  if (entry['isMeta'] === true) return 'meta';
  const origin = nameOf(entryOf(entry['origin'])?.['kind']);
  const text = firstText(content);
  if ((origin !== null && origin !== 'human') || text.startsWith('<task-notification>')) return 'notification';
  if (text.startsWith('<')) {
    if (text.startsWith('<command-name>') || text.startsWith('<command-message>')) return 'command';
    if (text.startsWith('<local-command-stdout>') || text.startsWith('<local-command-stderr>')) return 'command output';
    if (text.startsWith('<local-command-caveat>') || text.startsWith('<system-reminder>')) return 'meta';
    if (text.startsWith('<bash-input>')) return 'shell';
    if (text.startsWith('<bash-stdout>') || text.startsWith('<bash-stderr>')) return 'shell output';
  }
  if (text === '[Request interrupted by user]' || text === '[Request interrupted by user for tool use]') return 'interrupt';
  return 'prompt';
}

/** What the person typed in this line; null for every other kind of line. */
export function promptText(entry: Entry): string | null {
  const content = entryOf(entry['message'])?.['content'];
  return userKind(entry, content) === 'prompt' ? (nameOf(firstText(content).trim()) ?? null) : null;
}

/** The parts of a user line. Results of tools are not among them: they belong to their calls. */
export function userParts(entry: Entry, content: unknown, kind: UserKind): PartFact[] {
  if (typeof content !== 'string' && !Array.isArray(content)) return [strangePart(0, shapeOf(content))];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  const parts: PartFact[] = [];
  blocks.forEach((block, index) => {
    const part = isEntry(block) ? userPart(block, index, kind) : strangePart(index, shapeOf(block));
    if (part) parts.push(part);
  });
  return parts;
}

function userPart(block: Entry, index: number, kind: UserKind): PartFact | null {
  switch (block['type']) {
    case 'text': {
      const { text } = block;
      if (typeof text !== 'string') return strangePart(index, 'text that is none');
      return text === '' ? null : textPart(text, index, kind);
    }
    case 'image':
    case 'document': {
      const media = nameOf(entryOf(block['source'])?.['media_type']);
      return { block: index, kind: 'file', title: oneLine(nameOf(block['title']) ?? media ?? String(block['type'])), text: null, size: 0, injected: kind === 'meta' };
    }
    case 'tool_result':
      return nameOf(block['tool_use_id']) === null ? strangePart(index, 'a result that names no call') : null;
    default:
      return strangePart(index, shapeOf(block));
  }
}

/** One text of a user line. Shared with `system/local_command`, which holds the same tags since 2.1.332. */
export function textPart(text: string, block: number, kind: UserKind): PartFact {
  const said = (partKind: PartFact['kind'], words: string, title: string | null, injected: boolean): PartFact => ({ block, kind: partKind, title, text: words, size: words.length, injected });
  switch (kind) {
    case 'prompt':
      return said('text', text, null, false);
    case 'summary':
      return said('summary', text, 'Summary of what was compacted', false);
    case 'command': {
      const words = commandLine(text);
      return said('command', words, oneLine(words), false);
    }
    case 'shell': {
      const words = `!${between(text, 'bash-input') ?? text}`;
      return said('command', words, oneLine(words), false);
    }
    case 'command output': {
      const words = withoutColour(between(text, 'local-command-stdout') ?? between(text, 'local-command-stderr') ?? text);
      return said('notice', words, words === '' ? 'Command without output' : oneLine(words), true);
    }
    case 'shell output': {
      const words = withoutColour([between(text, 'bash-stdout'), between(text, 'bash-stderr')].filter(Boolean).join('\n'));
      return said('notice', words, words === '' ? 'Shell command without output' : oneLine(words), true);
    }
    case 'interrupt':
      return said('notice', text, 'Interrupted by the person', false);
    case 'notification':
      return said('notice', text, oneLine(between(text, 'summary') ?? 'Report of a background task'), true);
    case 'meta':
    case 'result':
      return said('text', text, null, true);
  }
}

/** `/name arguments`, from the tags a slash command is stored in. */
export function commandLine(text: string): string {
  const name = between(text, 'command-name') ?? between(text, 'command-message') ?? text;
  const args = between(text, 'command-args') ?? '';
  return `${name.startsWith('/') ? '' : '/'}${name}${args === '' ? '' : ` ${args}`}`;
}

/** The text between a tag and its end; null when the tag is not there. */
export function between(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`);
  if (start < 0) return null;
  const from = start + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, from);
  return end < 0 ? text.slice(from) : text.slice(from, end);
}
