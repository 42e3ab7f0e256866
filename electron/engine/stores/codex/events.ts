import type { PartFact } from '../store';
import { callOf, callOfItem } from './calls';
import { remember } from './carry';
import { pictureTitle } from './content';
import type { Conversation } from './conversation';
import { asFilledText, asNumber, asObject, asText, asTexts, type Fields } from '../foreign/fields';
import { counted, oneLine } from './fields';
import { showCompaction, showItem, showReview } from './items';
import { isBefore } from './names';
import { noteInstructions } from './instructions';
import { noticePart } from './scribe';
import { usageOfTotals } from './usage';

/** Events that repeat what other records tell, or tell nothing of the conversation (FORMAT.md, "Events"). */
const quiet = new Set([
  'item_started', 'item_updated', 'thread_settings_applied', 'session_configured', 'turn_diff', 'plan_update', 'background_event', 'exec_command_begin', 'exec_command_output_delta',
  'patch_apply_begin', 'patch_apply_updated', 'mcp_tool_call_begin', 'mcp_tool_call_end', 'mcp_startup_update', 'mcp_startup_complete', 'mcp_list_tools_response', 'web_search_begin',
  'view_image_tool_call', 'image_generation_begin', 'raw_response_item', 'agent_message_delta', 'agent_message_content_delta', 'agent_reasoning_delta', 'agent_reasoning_section_break',
  'agent_reasoning_raw_content', 'agent_reasoning_raw_content_delta', 'reasoning_content_delta', 'reasoning_raw_content_delta', 'dynamic_tool_call_request', 'dynamic_tool_call_response',
  'collab_agent_spawn_begin', 'collab_agent_spawn_end', 'collab_agent_interaction_begin', 'collab_agent_interaction_end', 'collab_waiting_begin', 'collab_waiting_end', 'collab_close_begin',
  'collab_close_end', 'collab_resume_begin', 'collab_resume_end', 'thread_name_updated', 'shutdown_complete', 'skills_update_available', 'list_skills_response', 'list_custom_prompts_response',
  'get_history_entry_response', 'exec_approval_request', 'apply_patch_approval_request', 'elicitation_request', 'request_user_input', 'terminal_interaction',
]);

/** Ended turns to which something may still be added; a command that was left running may end several turns later. */
const endsRemembered = 24;

/** False for an event that is not known. */
export function showEvent(conversation: Conversation, event: Fields): boolean {
  const type = asText(event['type']) ?? 'unknown';
  const as = `event_msg/${type}`;
  const { scribe } = conversation;
  const { carry } = scribe;
  const turn = asFilledText(event['turn_id']);
  switch (type) {
    case 'task_started':
    case 'turn_started':
      beginTurn(conversation, as, turn);
      return true;
    case 'task_complete':
    case 'turn_complete':
      endTurn(conversation, as, turn, failureOf(event));
      return true;
    case 'turn_aborted':
      endTurn(conversation, as, turn ?? carry.turn, noticePart(abortWords(asText(event['reason']))));
      return true;
    case 'item_completed':
      return showItem(conversation, asObject(event['item']) ?? {}, turn);
    case 'token_count': {
      const tokens = usageOfTotals(carry, event);
      if (tokens && !carry.isBase && !carry.copied) conversation.billed(as, tokens);
      return true;
    }
    case 'user_message':
      showUserMessage(conversation, as, event);
      return true;
    case 'agent_message':
      conversation.assistant(as, asText(event['message']) ?? '', turn);
      return true;
    case 'agent_reasoning':
      conversation.reasoning(as, asText(event['text']) ?? '', turn);
      return true;
    case 'exec_command_end':
    case 'patch_apply_end': {
      const item = type === 'patch_apply_end' ? { ...event, type } : event;
      const call = callOfItem(type === 'patch_apply_end' ? { ...event, type: 'FileChange' } : event);
      const id = asFilledText(event['call_id']) ?? '';
      if (!conversation.answer(as, item, id, call) && !carry.answered.includes(id)) conversation.done(as, item, call, turn);
      return true;
    }
    case 'web_search_end':
      carry.searches++;
      conversation.call(as, callOf({ ...event, type: 'web_search_call' }), turn, false);
      return true;
    case 'context_compacted':
      showCompaction(conversation, as, turn);
      return true;
    case 'entered_review_mode':
    case 'exited_review_mode':
      showReview(conversation, as, event, type === 'entered_review_mode', turn);
      return true;
    case 'thread_rolled_back':
      conversation.close();
      scribe.record(as, { parts: [noticePart(`${counted(asNumber(event['num_turns']) ?? 0, 'turn')} taken back`)], note: { turns: asNumber(event['num_turns']) ?? 0 } });
      return true;
    case 'error':
    case 'stream_error':
    case 'warning':
    case 'guardian_warning':
    case 'deprecation_notice':
    case 'model_reroute':
      if (type === 'error') carry.failed = true;
      conversation.notice(as, messageNotice(event), turn);
      return true;
    case 'undo_completed':
    case 'undo_started':
      if (type === 'undo_completed') conversation.notice(as, noticePart(oneLine(asText(event['message']) ?? 'Changes of a turn were undone')));
      return true;
    case 'thread_goal_updated':
      conversation.notice(as, noticePart(oneLine(`Goal: ${asText(asObject(event['goal'])?.['objective']) ?? asText(event['goal']) ?? 'changed'}`)));
      return true;
    default:
      if (quiet.has(type)) return nameIn(conversation, event);
      conversation.notice(as, noticePart(oneLine(`Event of a kind this version does not know: ${type}`), null, true), turn);
      return false;
  }
}

/** A name is copied along with a parent's lines: it counts only when it names this thread. */
function nameIn({ scribe: { carry } }: Conversation, event: Fields): true {
  if (event['type'] === 'thread_name_updated' && (event['thread_id'] === undefined || event['thread_id'] === carry.thread)) carry.name = asFilledText(event['thread_name']);
  return true;
}

function beginTurn(conversation: Conversation, as: string, turn: string | null): void {
  const { scribe } = conversation;
  const { carry } = scribe;
  conversation.close();
  carry.hasTurns = true;
  carry.turn = turn;
  carry.failed = false;
  carry.messages = 0;
  carry.fresh = true;
  // Copied turns are older than the thread they were copied into.
  if (carry.copied || carry.byContent) carry.copied = turn !== null && carry.thread !== null && isBefore(turn, carry.thread);
  scribe.record(as, { note: { turn: turn ?? '' } });
}

function endTurn(conversation: Conversation, as: string, turn: string | null, notice: PartFact | null): void {
  const { scribe } = conversation;
  const { carry } = scribe;
  conversation.close();
  scribe.record(as, { parts: notice ? [notice] : [], note: { turn: turn ?? carry.turn ?? '', ...(notice || carry.failed ? { failed: true } : {}) } });
  if (turn !== null) remember(carry.ended, [turn, scribe.line.order], endsRemembered);
  if (turn === null || turn === carry.turn) carry.turn = null;
  carry.fresh = true;
}

function failureOf(event: Fields): PartFact | null {
  const error = asObject(event['error']);
  const message = asText(error?.['message']) ?? asFilledText(event['error']);
  return message === null ? null : noticePart(oneLine(`The turn failed: ${message}`), message);
}

const abortWords = (reason: string | null): string =>
  reason === 'interrupted' || reason === null ? 'Interrupted by the person' : reason === 'replaced' ? 'Broken off for a new message' : reason === 'review_ended' ? 'The review ended' : `Broken off: ${reason}`;

function messageNotice(event: Fields): PartFact {
  const message = asText(event['message']) ?? '';
  return noticePart(oneLine(message === '' ? (asText(event['type']) ?? 'notice') : message), message === '' ? null : message);
}

function showUserMessage(conversation: Conversation, as: string, event: Fields): void {
  const text = asText(event['message']) ?? '';
  // Older releases wrote what they put in as messages of a kind of their own.
  const kind = asText(event['kind']);
  if (kind !== null && kind !== 'plain') {
    const part: PartFact = { block: 0, kind: 'text', title: null, text, size: text.length, injected: true };
    noteInstructions(conversation, [part]);
    conversation.inject(as, 'user', [part], null);
    return;
  }
  const held = conversation.scribe.carry.pending?.images ?? 0;
  conversation.person(as, text, held > 0 ? [] : eventPictures(event), null);
}

/** Pictures of an event: data URLs, then paths of local files. */
export const eventImages = (event: Fields): string[] => [...asTexts(event['images']), ...asTexts(event['local_images'])];

const eventPictures = (event: Fields): PartFact[] =>
  eventImages(event).map((source, place) => ({ block: 1 + place, kind: 'file', title: pictureTitle(source), text: null, size: 0, injected: false }));
