import type { ToolStatus } from '@shared/model';
import type { ResultFact } from '../store';
import { type Entry, entryOf, isEntry, listOf, nameOf, textOf } from './entry';
import { changedLines } from './patch';

/** The text of a tool result as the model got it. Images and other blocks are not text. */
export function resultText(block: Entry): string {
  const content = block['content'];
  if (typeof content === 'string') return content;
  let text = '';
  for (const inner of listOf(content)) {
    if (!isEntry(inner)) continue;
    const piece = textOf(inner['text']) ?? (inner['type'] === 'tool_reference' ? textOf(inner['tool_name']) : null);
    if (piece !== null && piece !== '') text = text === '' ? piece : `${text}\n${piece}`;
  }
  return text;
}

/** A result that names tools: the program tells the model that they are loaded. */
export const loadsTools = (content: unknown): boolean =>
  listOf(content).some((block) => isEntry(block) && block['type'] === 'tool_result' && listOf(block['content']).some((inner) => isEntry(inner) && inner['type'] === 'tool_reference'));

/** How a call ended (FORMAT.md, "Results of tools"). */
export function resultStatus(entry: Entry, block: Entry, text: string): ToolStatus {
  const rich = entry['toolUseResult'];
  if (block['is_error'] !== true) return isEntry(rich) && rich['interrupted'] === true ? 'interrupted' : 'completed';
  switch (entry['toolDenialKind']) {
    case undefined:
      break;
    case 'interrupted':
      return 'interrupted';
    case 'user-rejected':
      // A call that was running when the person pressed Esc is recorded as rejected, too, but not as rejected before it ran.
      return entry['toolDenialBeforeRun'] === true ? 'denied' : 'interrupted';
    default:
      return 'denied';
  }
  if (text.startsWith('[Request interrupted by user') || text.startsWith('[Tool call interrupted')) return 'interrupted';
  if (rich === 'User rejected tool use' || text.startsWith("The user doesn't want to proceed with this tool use")) return 'denied';
  return 'error';
}

/** The results in a user line, each for one call. */
export function resultsOf(entry: Entry, content: unknown): ResultFact[] {
  const found: ResultFact[] = [];
  const blocks = listOf(content);
  const rich = entryOf(entry['toolUseResult']);
  blocks.forEach((block, index) => {
    if (!isEntry(block) || block['type'] !== 'tool_result') return;
    const result = resultFact(entry, block, index);
    // The line has one rich copy: it belongs to its result when there is one only.
    const lines = rich && found.length === 0 ? changedLines(rich) : null;
    if (result) found.push(lines ? { ...result, ...lines } : result);
  });
  return found;
}

export function resultFact(entry: Entry, block: Entry, index: number): ResultFact | null {
  const callId = nameOf(block['tool_use_id']);
  if (callId === null) return null;
  const text = resultText(block);
  return { callId, block: index, status: resultStatus(entry, block, text), text, size: text.length };
}

/**
 * Agent id of the subagent that a call started, from its result: finished, or begun in the background. Inside a
 * subagent's own file the rich copy may be missing; then the text names it, on a line of its own.
 */
export function startedAgent(entry: Entry, text: string | null): string | null {
  const named = nameOf(entryOf(entry['toolUseResult'])?.['agentId']);
  return named ?? (text === null ? null : (/(?:^|\n)agentId: ([0-9a-f]{7,32})\b/.exec(text)?.[1] ?? null));
}

/** Session uuid that a line was first written for: a copied one tells of the subagents of the session it came from. */
export function ownerOf(entry: Entry): string | null {
  return nameOf(entryOf(entry['forkedFrom'])?.['sessionId']) ?? nameOf(entry['sessionId']);
}
