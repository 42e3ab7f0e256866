import type { Agent, ContextState, DiagnosisClass, EdgeKind, PartKind, ToolStatus } from '@shared/model';

/** Words of the page for the unions of the model: the same in tree, timeline, minimap, legend and search. */

export { agentNames } from '@shared/model';
export const agentLetters: Record<Agent, string> = { opencode: 'OC', 'claude-code': 'CC', codex: 'CX', aider: 'AI', retrace: 'RT' };

/** How a part is marked: by its state, save that a live one that is not sent has a mark of its own. */
export type PartSign = ContextState | 'not sent';
export const signOf = (state: ContextState, seen: boolean): PartSign => (state === 'live' && !seen ? 'not sent' : state);

/** Said after the part: "cleared: the model no longer gets this output". */
export const stateWords: Record<PartSign, string> = {
  'not sent': 'not sent', live: 'live', summary: 'summary', compacted: 'compacted', cleared: 'cleared', reverted: 'reverted', 'off-branch': 'off branch', pending: 'pending', hidden: 'hidden',
};
export const stateSentences: Record<PartSign, string> = {
  'not sent': 'Part of the record only: the agent does not send it to the model.',
  live: 'The model sees this part.',
  summary: 'This summary stands for what was compacted before it.',
  compacted: 'A summary stands for this part; the model no longer sees it.',
  cleared: 'The model sees the call but no longer its output.',
  reverted: 'Taken back; it is still in the store.',
  'off-branch': 'On a branch that is not the current one.',
  pending: 'Admitted, not yet seen by the model.',
  hidden: 'Put in by the agent, not part of the conversation.',
};

export const kindWords: Record<PartKind, string> = {
  text: 'text', reasoning: 'reasoning', tool: 'tool', file: 'file', patch: 'patch', compaction: 'compaction', summary: 'summary', command: 'command', notice: 'notice', step: 'step',
};

/** "fork of …" */
export const edgeOf: Record<EdgeKind, string> = {
  fork: 'fork of', subagent: 'subagent of', resume: 'resumes', import: 'imported from', handoff: 'handed over from',
};
/** What a child is to the session that is open. */
export const edgeChild: Record<EdgeKind, string> = { fork: 'fork', subagent: 'subagent', resume: 'resumed as', import: 'imported as', handoff: 'handed over to' };

export const diagnosisWords: Record<DiagnosisClass, string> = {
  assistant_prefill_unsupported: 'Reply stands last', thinking_block_modified: 'Thinking changed', thinking_block_order: 'Thinking out of order',
  thinking_disabled_violation: 'Thinking not allowed', tool_result_missing: 'Tool result missing', unavailable_tool: 'Tool not there', empty_content: 'Empty message',
  context_limit: 'Too long for the model', empty_reply: 'Empty reply', interrupted_tool: 'Interrupted call', interrupted_message: 'Interrupted reply', aborted: 'Stopped by the person',
};

export const statusWords: Record<ToolStatus, string> = {
  pending: 'never started', running: 'no end recorded', completed: 'done', error: 'failed', denied: 'denied', interrupted: 'interrupted', unknown: 'outcome not recorded',
};
