import { asFilledText, asObject, type Fields } from '../../foreign/fields';
import type { JsonObject, Making } from '../../store';
import type { Base } from '../origin';
import { threadId } from './ids';

/** What a fork's first line says beyond what it has from its parent. */
export interface ForkOf {
  id: string;
  parent: string;
  base: Base | null;
  /** Another folder than the parent's. */
  directory: string | undefined;
  /** Number of the line; null in files without. */
  ordinal: number | null;
}

/** What only a helper has, what tells where a file continues, and what is written anew. */
const ownFields = new Set([
  'id', 'session_id', 'timestamp', 'forked_from_id', 'forked_from_ordinal_exclusive', 'history_base', 'attached_thread', 'context_window',
  'parent_thread_id', 'agent_nickname', 'agent_role', 'agent_path', 'subagent_history_start_ordinal',
]);

/** The first line of a fork, made after its parent's as Codex makes it (FORMAT.md, "Writing"). */
export function forkLine(parent: Fields, fork: ForkOf, making: Making): string {
  const timestamp = new Date(making.now).toISOString();
  const isHelper = asObject(parent['source']) !== null;
  const { base, directory } = fork;
  const payload: JsonObject = {
    ...('session_id' in parent ? { session_id: fork.id } : {}), id: fork.id, forked_from_id: fork.parent,
    ...(base ? { forked_from_ordinal_exclusive: base.ordinal } : {}), timestamp,
  };
  for (const [name, value] of Object.entries(parent)) {
    if (ownFields.has(name) || (name === 'thread_source' && isHelper)) continue;
    // Parsed from JSON, and goes back as it was.
    payload[name] = value as JsonObject[string];
  }
  if (isHelper) payload['source'] = 'cli';
  if (base) payload['history_base'] = { thread_id: base.rollout, end_ordinal_exclusive: base.ordinal, end_byte_offset: base.bytes };
  if ('context_window' in parent) payload['context_window'] = { window_id: threadId(making) };
  if (directory !== undefined && directory !== asFilledText(parent['cwd'])) {
    payload['cwd'] = directory;
    if ('runtime_workspace_roots' in parent) payload['runtime_workspace_roots'] = [directory];
    delete payload['git'];
  }
  return `${JSON.stringify({ timestamp, ...(fork.ordinal === null ? {} : { ordinal: fork.ordinal }), type: 'session_meta', payload })}\n`;
}
