import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { codex } from '../../stores/codex';
import { asJsonObject, asObject, asText, type Fields } from '../../stores/foreign/fields';
import { fileBytes } from './file-bytes';
import { streamsOf } from './from-store';
import { lastLineNotes } from './last-line';
import { type NotTaken, notTaken, type TakenIn } from './taken-in';

/** Rollouts that one builds on another, and names looked through for them. */
const limits = { bases: 200, names: 50_000, depth: 5 };
const rolloutName = /^rollout-(\d{4})-(\d{2})-(\d{2})(?:T\d{2}-\d{2}-\d{2})?-(.+?)\.(jsonl|jsonl\.zst|json)$/;
const threadId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Takes in a rollout of Codex with the rollouts it builds on, as far as they lie near it. */
export function takeCodex(path: string, work: string): TakenIn | NotTaken {
  const home = join(work, 'codex');
  const missing: string[] = [];
  const taken = new Map<string, string>();
  let thread: string | null = null;
  for (let next: string | null = path; next !== null && taken.size < limits.bases; ) {
    const meta: Fields = headOf(next) ?? {};
    const name = nameFor(next, meta);
    if (name === null) return notTaken('The rollout does not say which thread it is: neither its name nor its first line holds an id.');
    place(next, name, home);
    taken.set(name, next);
    thread ??= asText(meta['id']) ?? threadId.exec(name)?.[0] ?? null;
    const base: string | null = asText(asObject(meta['history_base'])?.['thread_id']);
    const found: string | null = base === null ? null : findRollout(next, base);
    if (base !== null && found === null) missing.push(base);
    next = found !== null && ![...taken.values()].includes(found) ? found : null;
  }
  const root = thread;
  if (root === null) return notTaken('The rollout does not say which thread it is.');
  const { streams, damage, heads } = streamsOf(codex, { agent: 'codex', folder: home, origin: 'import' }, () => [root]);
  if (streams.length === 0) return notTaken('The rollout holds no thread that can be shown.');
  const notes = [...missing.map((base) => `The rollout it builds on (${base}) is not beside it: what was said before the fork is missing.`), ...(path.endsWith('.jsonl') ? lastLineNotes(path) : [])];
  return { kind: 'codex rollout', agent: 'codex', root, title: heads.find(({ nativeId }) => nativeId === root)?.title ?? null, sessions: heads, streams, bundle: null, damage, notes };
}

/** What its first line says of it. */
function headOf(path: string): Fields | null {
  const first = path.endsWith('.zst') ? zstdDecompressSync(readFileSync(path), { maxOutputLength: 1 << 30 }).subarray(0, 1 << 20) : [...take(fileBytes(path))][0];
  const text = first?.toString('utf8') ?? '';
  const line = asJsonObject(text.split('\n', 1)[0] ?? '');
  const payload = asObject(line?.['payload']);
  // The oldest releases wrote one document: its session names it.
  return payload ?? asObject(asJsonObject(text)?.['session']) ?? line;
}

function* take(chunks: Iterable<Buffer>): Iterable<Buffer> {
  for (const chunk of chunks) {
    yield chunk;
    return;
  }
}

/** A name as Codex gives it: its own where it has one, else from what it says of itself. */
function nameFor(path: string, meta: Fields): string | null {
  const own = basename(path);
  if (rolloutName.test(own)) return own;
  const [id, time] = [asText(meta['id']), asText(meta['timestamp'])];
  const stamp = time === null ? null : /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})/.exec(time)?.[1]?.replaceAll(':', '-');
  return id !== null && threadId.test(id) && stamp !== undefined && stamp !== null ? `rollout-${stamp}-${threadId.exec(id)?.[0]}.jsonl` : null;
}

function place(path: string, name: string, home: string): void {
  const [, year = '', month = '', day = '', , kind] = rolloutName.exec(name) ?? [];
  // The one-document shape lies in no folder of a day.
  const folder = kind === 'json' ? join(home, 'sessions') : join(home, 'sessions', year, month, day);
  mkdirSync(folder, { recursive: true });
  copyFileSync(path, join(folder, name), constants.COPYFILE_FICLONE);
}

/** A rollout by the id at the end of its name: beside the file, or anywhere in the folder of rollouts it lies in. */
function findRollout(from: string, id: string): string | null {
  const ends = [`${id}.jsonl`, `${id}.jsonl.zst`];
  const isIt = (name: string) => name.startsWith('rollout-') && ends.some((end) => name.endsWith(end));
  const beside = namesOf(dirname(from)).find(isIt);
  if (beside !== undefined) return join(dirname(from), beside);
  for (let at = dirname(from), up = 0; up < limits.depth; up++, at = dirname(at)) {
    if (!['sessions', 'archived_sessions'].includes(basename(at))) continue;
    for (const root of [at, join(dirname(at), 'sessions'), join(dirname(at), 'archived_sessions')]) {
      const found = search(root, isIt);
      if (found !== null) return found;
    }
  }
  return null;
}

function search(root: string, isIt: (name: string) => boolean): string | null {
  const folders = [{ path: root, depth: 0 }];
  for (let looked = 0, next = folders.pop(); next && looked < limits.names; next = folders.pop()) {
    for (const name of namesOf(next.path)) {
      looked++;
      const path = join(next.path, name);
      if (isIt(name) && lstatSync(path).isFile()) return path;
      if (/^\d+$/.test(name) && next.depth < limits.depth) folders.push({ path, depth: next.depth + 1 });
    }
  }
  return null;
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
