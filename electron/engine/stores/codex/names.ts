/**
 * Names of rollout files and keys of sources (FORMAT.md, "Files" and "Sources"). A key is the file's name without its
 * folder and without `.zst`: archiving moves a file and compressing packs it, and neither makes other bytes of it.
 */
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const rolloutPattern = new RegExp(`^rollout-.*?(${uuid})(?:_(${uuid}))?\\.jsonl?$`);

/** Thread and rollout as a file's name tells them; a first rollout has its thread's id. */
export interface RolloutName {
  thread: string;
  rollout: string;
}

export function rolloutName(key: string): RolloutName | null {
  const found = rolloutPattern.exec(key);
  const thread = found?.[1];
  return thread === undefined ? null : { thread, rollout: found?.[2] ?? thread };
}

/** The key of a file by its name; null for a file that is no rollout. */
export function keyOfName(name: string): string | null {
  if (/^rollout-.+\.jsonl$/.test(name) || /^rollout-.+\.json$/.test(name)) return name;
  return /^rollout-.+\.jsonl\.zst$/.test(name) ? name.slice(0, -4) : null;
}

export const isPacked = (name: string): boolean => name.endsWith('.zst');

/**
 * What a source holds.
 * - `rollout`: the lines of a rollout; `json`: the oldest shape, kept as lines
 * - `base`: a copy of what a fork by reference takes over from files of other threads
 * - `thread`: what the tables and the place of the files say of a thread
 * - `prompts`: prompts of a thread of which nothing else is left
 * - `index`: nothing; remembers which state of tables and lists was seen
 */
export type SourceKind = 'rollout' | 'json' | 'base' | 'thread' | 'prompts' | 'index';

export function kindOf(key: string): SourceKind {
  if (key.endsWith('.jsonl#base')) return 'base';
  if (key.startsWith('rollout-')) return key.endsWith('.json') ? 'json' : 'rollout';
  if (key.startsWith('threads/')) return 'thread';
  return key.startsWith('prompts/') ? 'prompts' : 'index';
}

export const baseKey = (rolloutKey: string): string => `${rolloutKey}#base`;
export const threadKey = (thread: string): string => `threads/${thread}`;
export const promptsKey = (thread: string): string => `prompts/${thread}`;
export const indexKey = 'index';

/** UUIDs of version 7 begin with the time they were made at, so that their texts sort by it. */
const isTimed = (id: string): boolean => id.length === 36 && id[14] === '7';

/** True when both ids carry a time and the first is the earlier one. */
export const isBefore = (id: string, other: string): boolean => isTimed(id) && isTimed(other) && id < other;

/** Where a rollout lies that Codex deleted: in the folder of the day in its name. What Retrace made of other files is no file of Codex. */
export function restoredAt(key: string): string | null {
  const [, year, month, day] = /^rollout-(\d{4})-(\d{2})-(\d{2})T[\d-]+-[0-9a-f-]+(?:_[0-9a-f-]+)?\.jsonl$/.exec(key) ?? [];
  return year === undefined ? null : `sessions/${year}/${month}/${day}/${key}`;
}
