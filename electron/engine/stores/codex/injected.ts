import { asObject, asTexts, type Fields } from '../foreign/fields';

/**
 * How text begins that Codex puts in under the role `user` (FORMAT.md, "Injected text"). Releases since 0.171 label
 * each content part, and the labels win.
 */
const openings = [
  '<environment_context>', '<user_instructions>', '# AGENTS.md instructions', '<permissions instructions>', '<skills_instructions>', '<collaboration_mode>', '<model_switch>',
  '<multi_agent_role>', '<multi_agent_mode>', '<tools>', '<turn_aborted>', '<subagent_notification>', '<user_shell_command>', '<user_action>',
  'Warning: apply_patch was requested via ', 'Another language model started to solve this problem',
];

/** True for text that is not the person's, as its beginning tells. */
export function injectedText(text: string): boolean {
  const begin = text.slice(0, 64).trimStart();
  return openings.some((opening) => begin.startsWith(opening));
}

/** One label a content part, or null for files without labels. */
export function labelsOf(message: Fields): string[] | null {
  const labels = asObject(message['internal_chat_message_metadata_passthrough'])?.['content_item_kinds'];
  return Array.isArray(labels) ? asTexts(labels) : null;
}

/** Whose a content part is: what a person wrote or attached is labelled `user.…`. */
export function isInjected(label: string | undefined, text: string): boolean {
  return label === undefined ? injectedText(text) : !label.startsWith('user.');
}

/** What stands between a tag and its end; the whole text when the tag is not there. */
export function between(text: string, tag: string): string {
  const start = text.indexOf(`<${tag}>`);
  if (start < 0) return text;
  const from = start + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, from);
  return (end < 0 ? text.slice(from) : text.slice(from, end)).trim();
}
