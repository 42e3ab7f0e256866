import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, constants, fsyncSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { importFiles, type ImportOrigin } from '../../stores/retrace/imports';
import { version } from '../../version';
import { BundleFile } from '../export/bundle-file';
import type { TakenIn } from './taken-in';

/** An import as it will lie beside the library. */
export interface WrittenImport {
  name: string;
  folder: string;
  origin: ImportOrigin;
}

/**
 * Names an import: the same session of the same agent has the same name again, so that a later import of it is an
 * update. Aider's ids are made of the path.
 */
const importNameOf = (agent: string, root: string, apart: string): string => createHash('sha256').update(`${agent}\n${root}${apart}`).digest('hex').slice(0, 12);

/** Writes what was taken in into a folder of ours, in the form in which imports are kept. `apart`: keeps a fork apart from what it was made of. */
export async function writeImport(taken: TakenIn, from: string, now: number, imports: string, signal: AbortSignal, apart = ''): Promise<WrittenImport> {
  const name = importNameOf(taken.agent, taken.root, apart);
  const folder = join(imports, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bundle = join(folder, importFiles.bundle);
  const content = contentHash(taken, signal);
  if (taken.bundle !== null) copyFileSync(taken.bundle, bundle, constants.COPYFILE_FICLONE);
  else await writeBundle(taken, bundle, signal);
  const origin: ImportOrigin = { kind: taken.kind, agent: taken.agent, from, imported: new Date(now).toISOString(), content, root: taken.root, notes: taken.notes.slice(0, 200) };
  writeFileSync(join(folder, importFiles.origin), `${JSON.stringify(origin, null, 2)}\n`, { mode: 0o600 });
  return { name, folder, origin };
}

/** Over the keys and bytes of all streams: where they came from, and when, does not matter. */
function contentHash({ streams }: TakenIn, signal: AbortSignal): string {
  const hash = createHash('sha256');
  for (const { key, content } of [...streams].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    hash.update(`${key}\n`);
    for (const { bytes } of content()) {
      signal.throwIfAborted();
      hash.update(bytes);
    }
  }
  return hash.digest('hex');
}

async function writeBundle({ agent, root, sessions, streams, damage }: TakenIn, file: string, signal: AbortSignal): Promise<void> {
  const bundle = new BundleFile((text) => text);
  const out = openSync(file, 'wx', 0o600);
  const write = (texts: Iterable<string>) => {
    for (const text of texts) writeSync(out, text);
  };
  const id = (native: string) => `${agent}/${native}`;
  try {
    const names = sessions.some(({ nativeId }) => nativeId === root) ? sessions : [{ nativeId: root, title: null }, ...sessions];
    bundle.line({ type: 'header', format: 'retrace-bundle', version: 1, by: `Retrace ${version}`, root: id(root), sessions: names.map(({ nativeId }) => id(nativeId)), scope: { kind: 'whole' } });
    for (const { nativeId, title } of names) bundle.line({ type: 'session', session: { id: id(nativeId), nativeId, title } });
    for (const [index, { key, role, sessions: own, content }] of streams.entries()) {
      const head = { agent, store: { key: agent, folder: '' }, key, role, sessions: own.map(id), reader: 0, gone: false, whole: true };
      for await (const text of bundle.stream(index + 1, head, windows(content(), signal))) writeSync(out, text);
    }
    for (const { place, reason, source } of damage) bundle.line({ type: 'damage', session: id(root), source, place, reason });
    bundle.end({ sessions: names.length, streams: streams.length });
    write(bundle.full(true));
    fsyncSync(out);
  } finally {
    closeSync(out);
  }
}

async function* windows(content: Iterable<{ at: number; bytes: Uint8Array }>, signal: AbortSignal): AsyncIterable<{ at: number; bytes: Uint8Array }> {
  for (const window of content) {
    // Lets a request to stop come in.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    yield window;
  }
}
