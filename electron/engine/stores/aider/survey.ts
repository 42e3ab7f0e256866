import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Damage } from '@shared/model';
import type { KnownSources, SourceChange, StoreLocation, Survey, WatchSpec } from '../store';
import { chatCursor, witnessCursor } from './cursor';
import { refusalAt, sameStamp, type Stamp, stampOf } from './file';
import { keyOf, sourceOf, usualName } from './places';
import type { Witness } from './witness-read';

/** What `read` needs beyond the key. */
export type Handle = { kind: 'chat' } | Witness;

/** Lists what is new by names and `stat` alone. */
export function survey(location: StoreLocation, known: KnownSources): Survey {
  if (!existsSync(location.folder)) {
    return { changes: [], heads: [], gone: [], damage: [], problem: `The folder ${location.folder} is not there, or may not be looked at.` };
  }
  const chats = stampsOf([...chatsOf(location), ...[...known.keys()].map(sourceOf).filter(({ kind }) => kind === 'chat').map(({ path }) => path)]);
  const changes = [...chats].flatMap(([path, stamp]) => chatChange(path, stamp, known));
  const witnesses = witnessesOf(location, known);
  for (const [key, { witness, stamp }] of witnesses) changes.push(...witnessChange(key, { ...witness, chats: [...chats.keys()] }, stamp, chats, known));
  changes.sort((a, b) => b.changed - a.changed);
  const refused = refusedAmong([...chatsOf(location), ...[...known.keys()].map((key) => sourceOf(key).path)], location.folder);
  const isRefused = (key: string) => refusalAt(sourceOf(key).path) !== null;
  const gone = [...known.keys()].filter((key) => !chats.has(key) && !witnesses.has(key) && !isRefused(key));
  return { changes, heads: [], gone, damage: refused, problem: null };
}

/** Histories that may not be looked at: neither there nor gone. */
function refusedAmong(paths: string[], folder: string): Damage[] {
  return [...new Set(paths)].flatMap((path) => {
    const reason = refusalAt(path);
    return reason === null ? [] : [{ place: relative(folder, path), line: null, at: null, bytes: null, reason: `cannot be looked at: ${reason}` }];
  });
}

const chatsOf = ({ folder, files }: StoreLocation): string[] => [usualName.chat, ...(files ?? [])].map((name) => join(folder, name));

function stampsOf(paths: string[]): Map<string, Stamp> {
  const found = new Map<string, Stamp>();
  for (const path of new Set(paths)) {
    const stamp = stampOf(path);
    if (stamp) found.set(path, stamp);
  }
  return found;
}

function chatChange(path: string, stamp: Stamp, known: KnownSources): SourceChange[] {
  const cursor = chatCursor(known.get(path)?.cursor ?? null);
  if (cursor && sameStamp(cursor.file, stamp)) return [];
  const handle: Handle = { kind: 'chat' };
  return [{ key: path, changed: stamp.mtimeMs, bytes: Math.max(0, stamp.size - (cursor?.read.offset ?? 0)), handle }];
}

/** Files beside the histories that tell times. Without a history they tell nothing that could be filed. */
function witnessesOf({ folder }: StoreLocation, known: KnownSources): Map<string, { witness: Omit<Witness, 'chats'>; stamp: Stamp }> {
  const found = new Map<string, { witness: Omit<Witness, 'chats'>; stamp: Stamp }>();
  for (const kind of ['input', 'llm'] as const) {
    const path = join(folder, usualName[kind]);
    const stamp = stampOf(path);
    if (stamp) found.set(keyOf(kind, path), { witness: { kind, path }, stamp });
  }
  for (const key of known.keys()) {
    const { kind, path } = sourceOf(key);
    if (kind === 'chat' || found.has(key) || dirname(path) === folder) continue;
    const stamp = stampOf(path);
    if (stamp) found.set(key, { witness: { kind, path }, stamp });
  }
  return found;
}

/** A witness is read again when a history changed too: its entries are filed by the runs of those. */
function witnessChange(key: string, witness: Witness, stamp: Stamp, chats: Map<string, Stamp>, known: KnownSources): SourceChange[] {
  const cursor = witnessCursor(known.get(key)?.cursor ?? null);
  if (chats.size === 0) return [];
  const same = cursor && sameStamp(cursor.file, stamp) && cursor.chats.length === chats.size && cursor.chats.every((chat) => {
    const now = chats.get(chat.path);
    return now !== undefined && sameStamp(chat.file, now);
  });
  if (same) return [];
  return [{ key, changed: stamp.mtimeMs, bytes: Math.max(0, stamp.size - (cursor?.read.offset ?? 0)), handle: witness }];
}

/** The files themselves: a project's folder is not ours to watch as a whole. What is not there yet is found by looking now and then. */
export function watch(location: StoreLocation): WatchSpec {
  const files = [...chatsOf(location), join(location.folder, usualName.input), join(location.folder, usualName.llm)];
  return { folders: [...new Set(files)].filter((file) => existsSync(file)), ignore: /(\.lock|\.tmp|\.swp|~)$/ };
}
