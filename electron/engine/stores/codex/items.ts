import type { PartFact } from '../store';
import { callOf, callOfItem } from './calls';
import { pictureTitle, reasoningOf } from './content';
import type { Conversation } from './conversation';
import { asFilledText, asList, asNumber, asObject, asText, asTexts, type Fields } from '../foreign/fields';
import { oneLine } from './fields';
import { noticePart, textPart } from './scribe';

/** Pictures of an item or event begin at this block, behind its text. */
export const pictureBlock = 1;

/**
 * Items are what a person saw in files of the paginated shape (FORMAT.md, "What to show"). False for a type that is not
 * known. Items of tools only complete the calls that stand among the response items.
 */
export function showItem(conversation: Conversation, item: Fields, turn: string | null): boolean {
  const type = asText(item['type']) ?? 'unknown';
  const as = `event_msg/item_completed/${type}`;
  const { carry } = conversation.scribe;
  const id = asFilledText(item['id']) ?? '';
  switch (type) {
    case 'UserMessage':
      conversation.person(as, userText(item), carry.pending?.images ? [] : userPictures(item), turn);
      return true;
    case 'AgentMessage':
      conversation.assistant(as, agentText(item), turn, id);
      return true;
    case 'Reasoning':
      conversation.reasoning(as, reasoningOf(item), turn);
      return true;
    case 'Plan':
      conversation.said(as, [textPart('text', asText(item['text']) ?? '', 0)], turn);
      return true;
    case 'CommandExecution':
    case 'FileChange':
      if (!conversation.answer(as, item, id, callOfItem(item)) && !carry.answered.includes(id)) conversation.done(as, item, callOfItem(item), turn);
      return true;
    case 'SubAgentActivity':
      showActivity(conversation, as, item, id, turn);
      return true;
    case 'CollabAgentToolCall':
      if (item['tool'] === 'spawn_agent') for (const child of asTexts(item['receiver_thread_ids'])) carry.spawned[child] = id;
      return true;
    case 'WebSearch':
      carry.searches++;
      conversation.call(as, callOf({ ...item, type: 'web_search_call' }), turn, false);
      return true;
    case 'ContextCompaction':
      showCompaction(conversation, as, turn);
      return true;
    case 'EnteredReviewMode':
    case 'ExitedReviewMode':
      showReview(conversation, as, item, type === 'EnteredReviewMode', turn);
      return true;
    case 'ImageView':
    case 'McpToolCall':
    case 'DynamicToolCall':
      // Told by their call and output.
      return true;
    case 'Sleep':
    case 'HookPrompt':
    case 'ImageGeneration':
      conversation.notice(as, noticePart(oneLine(`${type} ${asText(item['text']) ?? asText(item['status']) ?? ''}`)), turn);
      return true;
    default:
      conversation.notice(as, noticePart(oneLine(`Item of a kind this version does not know: ${type}`), null, true), turn);
      return false;
  }
}

export const userText = (item: Fields): string =>
  asList(item['content']).map(asObject).filter((part) => part?.['type'] === 'text').map((part) => asText(part?.['text']) ?? '').join('\n');

export const agentText = (item: Fields): string => asList(item['content']).map(asObject).map((part) => asText(part?.['text']) ?? '').join('');

/** Pictures of a message that no response item holds. */
function userPictures(item: Fields): PartFact[] {
  return asList(item['content']).map(asObject).flatMap((part, place): PartFact[] => {
    const source = part?.['type'] === 'image' ? asText(part['image_url']) : part?.['type'] === 'local_image' ? asText(part['path']) : null;
    return source === null ? [] : [{ block: pictureBlock + place, kind: 'file', title: pictureTitle(source), text: null, size: 0, injected: false }];
  });
}

function showActivity(conversation: Conversation, as: string, item: Fields, id: string, turn: string | null): void {
  const child = asFilledText(item['agent_thread_id']);
  if (item['kind'] === 'started' && child !== null) conversation.scribe.carry.spawned[child] = id;
  if (conversation.answer(as, item, id, callOf({ type: 'function_call', name: 'spawn_agent', arguments: {} }))) return;
  conversation.notice(as, noticePart(oneLine(`Agent ${asText(item['agent_path']) ?? child ?? ''}: ${asText(item['kind']) ?? ''}`)), turn);
}

/** Stands beside a `compacted` line, which says more. */
export function showCompaction(conversation: Conversation, as: string, turn: string | null): void {
  const { carry } = conversation.scribe;
  if (!carry.compacted) {
    conversation.close();
    conversation.notice(as, { block: 0, kind: 'compaction', title: 'Compacted', text: null, size: 0, injected: false }, turn);
  }
  carry.compacted = false;
}

export function showReview(conversation: Conversation, as: string, item: Fields, entered: boolean, turn: string | null): void {
  const text = reviewText(item);
  const hint = asFilledText(item['user_facing_hint']);
  conversation.notice(as, noticePart(oneLine(entered ? `Review begins${hint === null ? '' : `: ${hint}`}` : 'Review ends'), text === '' ? null : text), turn);
}

/** What a review found, for reading. */
export function reviewText(item: Fields): string {
  const output = asObject(item['review_output']);
  const findings = asList(output?.['findings']).map(asObject).map((finding) => {
    const place = asObject(finding?.['code_location']);
    const line = asNumber(asObject(place?.['line_range'])?.['start']);
    const where = asText(place?.['absolute_file_path']);
    return `${asText(finding?.['title']) ?? ''}${where === null ? '' : ` (${where}${line === null ? '' : `:${line}`})`}\n${asText(finding?.['body']) ?? ''}`;
  });
  return [asText(output?.['overall_explanation']), ...findings].filter(Boolean).join('\n\n');
}

