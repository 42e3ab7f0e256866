import { callOf, isCall } from './calls';
import { asInjected, contentOf, injectedParts, pictureParts, reasoningOf, textOf } from './content';
import type { Conversation } from './conversation';
import { asFilledText, asList, asObject, asText, type Fields } from '../foreign/fields';
import { oneLine } from './fields';
import { between } from './injected';
import { noteInstructions } from './instructions';
import { isOutput } from './outputs';
import { noticePart, textPart } from './scribe';

/**
 * Response items are what goes to the model. In files with an envelope only calls, outputs and what was put in are
 * shown from them; messages and reasoning are told by events and items. `handedOver` marks the lines a helper got from
 * its parent: all of them were put in. False for a type that is not known.
 */
export function showResponse(conversation: Conversation, item: Fields, handedOver: boolean): boolean {
  const type = asText(item['type']) ?? 'unknown';
  const as = `response_item/${type}`;
  const { carry } = conversation.scribe;
  const turn = asFilledText(asObject(item['internal_chat_message_metadata_passthrough'])?.['turn_id']) ?? carry.turn;
  if (isCall(item)) {
    if (type === 'web_search_call' && carry.searches > 0) carry.searches--;
    else conversation.call(as, callOf(item), turn, handedOver);
    return true;
  }
  if (isOutput(item)) {
    const callId = asFilledText(item['call_id']);
    if (callId !== null) conversation.output(as, item, callId);
    return true;
  }
  switch (type) {
    case 'message':
      showMessage(conversation, item, turn, handedOver);
      return true;
    case 'agent_message':
      showAgentMessage(conversation, as, item, turn, handedOver);
      return true;
    case 'compaction':
    case 'context_compaction':
      if (carry.compacted) return true;
      conversation.close();
      conversation.notice(as, { block: 0, kind: 'compaction', title: 'Compacted by the provider; the summary is encrypted', text: null, size: 0, injected: false }, turn);
      carry.compacted = true;
      return true;
    case 'ghost_snapshot':
      showSnapshot(conversation, item);
      return true;
    case 'reasoning':
      conversation.thought(as, conversation.scribe.line.bytes);
      return true;
    case 'additional_tools':
    case 'configuration_update':
    case 'other':
      return true;
    default:
      conversation.notice(as, noticePart(oneLine(`Response item of a kind this version does not know: ${type}`), null, true));
      return false;
  }
}

function showMessage(conversation: Conversation, item: Fields, turn: string | null, handedOver: boolean): void {
  const as = `response_item/message:${asText(item['role']) ?? 'unknown'}`;
  const parts = contentOf(item);
  if (item['role'] === 'assistant') {
    const text = parts.map((part) => part.text ?? '').join('');
    if (handedOver) conversation.inject(as, 'assistant', asInjected(parts), turn);
    else conversation.repeated(as, text, asInjected(parts), turn);
    return;
  }
  const isSystem = item['role'] !== 'user';
  const put = handedOver ? asInjected(parts) : injectedParts(parts);
  if (put.length > 0) {
    noteInstructions(conversation, put);
    // A person's own command is told again by an item where items are written; before that, only here.
    const command = parts.find(({ text }) => text?.startsWith('<user_shell_command>'))?.text;
    if (command != null && conversation.scribe.line.ordinal === null && !handedOver) conversation.command(as, between(command, 'command'), command, turn);
    else conversation.inject(as, isSystem ? 'system' : 'user', put, turn, null, !isSystem && put[0]?.text?.startsWith('<user_instructions>') === true);
  }
  if (!handedOver && !isSystem && parts.some(({ injected }) => !injected)) conversation.announce(as, pictureParts(parts), turn);
}

/** Words between agents: a task for a helper, or its answer. They may be encrypted. */
function showAgentMessage(conversation: Conversation, as: string, item: Fields, turn: string | null, handedOver: boolean): void {
  const text = agentMessageText(item);
  const isTask = text.startsWith('Message Type: NEW_TASK') && conversation.scribe.carry.meta?.path === asText(item['recipient']);
  const title = oneLine(`${asText(item['author']) ?? ''} → ${asText(item['recipient']) ?? ''}`);
  conversation.inject(as, isTask ? 'user' : 'system', [textPart('text', text, 0, handedOver, title)], turn, asFilledText(item['author']));
}

export function agentMessageText(item: Fields): string {
  return asList(item['content']).map(asObject).map((part) => (part?.['type'] === 'encrypted_content' ? '(encrypted)' : (asText(part?.['text']) ?? ''))).join('');
}

/** A commit that holds the project as it was before the turn; no ref names it. */
function showSnapshot(conversation: Conversation, item: Fields): void {
  const { scribe } = conversation;
  const commit = asObject(item['ghost_commit']);
  const id = asFilledText(commit?.['id']);
  if (id === null) return;
  scribe.evidence.push({
    session: scribe.session, slot: `snapshot:${scribe.line.key}`,
    data: { id, parent: asText(commit?.['parent']), message: scribe.carry.lastPrompt, time: scribe.time, order: scribe.line.order },
  });
}

/** Lines of the shapes before the envelope hold nothing but response items: here they are what a person saw. */
export function showBare(conversation: Conversation, item: Fields): boolean {
  const type = asText(item['type']) ?? 'unknown';
  if (type === 'message' && item['role'] === 'user') {
    const parts = contentOf(item);
    const put = injectedParts(parts);
    noteInstructions(conversation, put);
    if (put.length > 0) conversation.inject(type, 'user', put, null);
    const text = textOf(parts);
    if (text !== '' || pictureParts(parts).length > 0) conversation.person(type, text, pictureParts(parts).map((part) => ({ ...part, block: part.block + 1 })), null);
    return true;
  }
  if (type === 'message' && item['role'] === 'assistant') {
    conversation.assistant(type, contentOf(item).map(({ text }) => text ?? '').join(''), null);
    return true;
  }
  if (type === 'reasoning') {
    conversation.reasoning(type, reasoningOf(item), null);
    return true;
  }
  return showResponse(conversation, item, false);
}
