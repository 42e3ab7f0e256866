import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type NativeId, nativeId } from '@shared/model';

/** Usual names (FORMAT.md, "Where"). */
export const usualName = { chat: '.aider.chat.history.md', input: '.aider.input.history', llm: '.aider.llm.history' } as const;

/** Histories that Retrace made beside the usual one. */
export const forkName = /^\.aider\.chat\.history\.\d{4}-\d\d-\d\d-fork(?:-\d+)?\.md$/;

/**
 * What a source is.
 * - `chat`: a history file; its stream is the file
 * - `input`, `llm`: witnesses of when something was typed or answered; the stream holds one JSON line an entry
 */
export type SourceKind = keyof typeof usualName;

/**
 * A source's key holds the file's absolute path as this system spells it, not the path in its folder: a session is
 * named after it, and projecting knows nothing but the key.
 */
export const keyOf = (kind: SourceKind, path: string): string => (kind === 'chat' ? path : `${kind}:${path}`);

export function sourceOf(key: string): { kind: SourceKind; path: string } {
  for (const kind of ['input', 'llm'] as const) if (key.startsWith(`${kind}:`)) return { kind, path: key.slice(kind.length + 1) };
  return { kind: 'chat', path: key };
}

/** A file's place as people are told it: its name, since the folder is the store's. */
export const placeOf = (key: string): string => basename(sourceOf(key).path);

/** Native id of a run: no program gave it one, so it is the file and the place of its header. */
export const runNative = (path: string, at: number): NativeId => nativeId(`${createHash('sha256').update(path).digest('hex').slice(0, 12)}-${at}`);
