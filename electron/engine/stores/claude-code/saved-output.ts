import { encodedFolder } from './encode';
import { type Entry, nameOf } from './entry';
import { between } from './user-entry';

const marker = '<persisted-output>';

/**
 * The whole of an output that was too long for the transcript (FORMAT.md, "Saved outputs"). The recorded path is
 * absolute and may be stale, so the file is asked for by what is still true: its place below `projects/`, the folder
 * its session works in, and in the end its name alone.
 */
export function savedOutput(text: string, entry: Entry, file: (key: string) => Uint8Array | null): { text: string | null; name: string } | null {
  if (!text.startsWith(marker)) return null;
  const path = savedPath(between(text, 'persisted-output') ?? '');
  const name = path?.split(/[/\\]/).at(-1);
  if (path === null || !name) return null;
  for (const key of keysFor(path, name, entry)) {
    const bytes = file(key);
    if (bytes) return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'), name };
  }
  return { text: null, name };
}

function savedPath(notice: string): string | null {
  const label = 'saved to: ';
  const start = notice.indexOf(label);
  if (start < 0) return null;
  const end = notice.indexOf('\n', start);
  return nameOf(notice.slice(start + label.length, end < 0 ? undefined : end).trim());
}

function keysFor(path: string, name: string, entry: Entry): string[] {
  const recorded = path.replace(/\\/g, '/');
  const below = recorded.lastIndexOf('/projects/');
  const cwd = nameOf(entry['cwd']);
  const session = nameOf(entry['sessionId']);
  const keys = below < 0 ? [] : [recorded.slice(below + 1)];
  if (cwd !== null && session !== null) keys.push(`projects/${encodedFolder(cwd)}/${session}/tool-results/${name}`);
  keys.push(name);
  return [...new Set(keys)];
}
