/** The words of the product (docs/words.md). Each union is closed; the arrays serve schemas, filters and legends. */

export const agents = ['opencode', 'claude-code', 'codex', 'aider', 'retrace'] as const;
export type Agent = (typeof agents)[number];
/** What the programs are called in sentences; their ids are for commands and addresses. */
export const agentNames: Record<Agent, string> = { opencode: 'OpenCode', 'claude-code': 'Claude Code', codex: 'Codex', aider: 'Aider', retrace: 'Retrace' };

export const roles = ['user', 'assistant', 'system'] as const;
export type Role = (typeof roles)[number];

/** `file` is an attachment or image; `command` a slash or shell command of the person; `notice` an error, interrupt, mode or model change, or a record Retrace does not know. */
export const partKinds = ['text', 'reasoning', 'tool', 'file', 'patch', 'compaction', 'summary', 'command', 'notice', 'step'] as const;
export type PartKind = (typeof partKinds)[number];

export const toolStatuses = ['pending', 'running', 'completed', 'error', 'denied', 'interrupted', 'unknown'] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/**
 * What has become of a part for the model. Where several fit, the first of this list wins.
 * - `off-branch`: on a branch that is not the current one
 * - `reverted`: taken back, still in the store
 * - `pending`: admitted, not yet seen by the model
 * - `compacted`: a summary stands for it
 * - `cleared`: dropped from what the model gets: a tool's output (it still sees the call), or in Aider all before `/clear`
 * - `summary`: stands for what was compacted
 * - `hidden`: put in by the agent, not part of the conversation
 * - `live`: none of these
 */
export const contextStates = ['off-branch', 'reverted', 'pending', 'compacted', 'cleared', 'summary', 'hidden', 'live'] as const;
export type ContextState = (typeof contextStates)[number];

export const sessionKinds = ['session', 'subagent'] as const;
export type SessionKind = (typeof sessionKinds)[number];

export const edgeKinds = ['fork', 'subagent', 'resume', 'import', 'handoff'] as const;
export type EdgeKind = (typeof edgeKinds)[number];

export const certainties = ['recorded', 'inferred'] as const;
export type Certainty = (typeof certainties)[number];

/** What a tool does, over all agents; decides how its card is drawn. */
export const toolFamilies = ['shell', 'read', 'write', 'edit', 'search', 'todo', 'subagent', 'web', 'question', 'plan', 'mcp', 'other'] as const;
export type ToolFamily = (typeof toolFamilies)[number];

/** `present`: the agent still has it. `gone`: only the library has it now. */
export type SourceState = 'present' | 'gone';
