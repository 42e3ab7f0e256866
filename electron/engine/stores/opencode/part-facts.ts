import type { PartFact } from '../store';
import { oneLine } from './records';

/** A part before its place in its record is known. */
type Unplaced = Omit<PartFact, 'block'>;

/** Something to read. */
export function prose(kind: PartFact['kind'], text: string, extra: { title?: string | null; injected?: boolean } = {}): Unplaced {
  return { kind, title: extra.title ?? null, text, size: text.length, injected: extra.injected ?? false };
}

/** An event told in one line; `text` is what stands behind it. */
export function notice(title: string, text: string | null = null): Unplaced {
  return { kind: 'notice', title: oneLine(title), text, size: text?.length ?? 0, injected: false };
}

/** A border between two model steps. */
export const step = (title: string): Unplaced => ({ kind: 'step', title, text: null, size: 0, injected: false });

/** An attachment: its path or name, and its type. */
export function filePart(name: string | null, mime: string | null, url: string | null, path: string | null): Unplaced {
  const shown = path ?? name ?? (url?.startsWith('data:') ? 'attachment' : (url ?? 'attachment'));
  return { kind: 'file', title: oneLine(mime === null ? shown : `${shown} (${mime})`), text: [path, name].filter((text) => text !== null).join('\n') || null, size: url?.length ?? 0, injected: false };
}

/** Files that a step changed. */
export function patchPart(files: string[]): Unplaced {
  const text = files.join('\n');
  return { kind: 'patch', title: oneLine(`${files.length === 1 ? '1 file' : `${files.length} files`} changed: ${files.join(', ')}`), text, size: text.length, injected: false };
}
