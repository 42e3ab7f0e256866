import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** Bytes looked at to tell what a file is. */
const looked = 64 * 1024;

/** What a file is by its beginning. `skipped`: bytes of other text before the data. */
export type Recognised =
  | { form: 'bundle' | 'claude-code transcript' | 'codex rollout' | 'codex session' | 'aider history' }
  | { form: 'opencode export' | 'opencode share'; skipped: number }
  | { form: 'folder' }
  | { form: 'none'; says: string };

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Archives and packed files that are not unpacked here, by how they begin. */
const packed: [name: string, beginning: Buffer][] = [
  ['zip', Buffer.from('PK\x03\x04', 'latin1')], ['gzip', Buffer.from([0x1f, 0x8b])], ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a])], ['bzip2', Buffer.from('BZh')], ['7z', Buffer.from([0x37, 0x7a, 0xbc, 0xaf])],
];
const tarMagic = Buffer.from('ustar');

/** For what Retrace wrote and does not take in. */
const bundleInstead = 'Export the session as a bundle.';

/** Tells what lies at a path. Only its beginning is read. */
export function recognise(path: string): Recognised {
  try {
    return recogniseFile(path);
  } catch (error) {
    return { form: 'none', says: unreadable(path, error) };
  }
}

/** A fault of the disk in a sentence; one that no disk tells is ours. */
export function unreadable(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return `${path} could not be read: ${code === 'EACCES' || code === 'EPERM' ? 'this user may not' : message}.`;
}

function recogniseFile(path: string): Recognised {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return { form: 'none', says: `There is nothing at ${path}.` };
  if (stat.isDirectory()) return { form: 'folder' };
  if (!stat.isFile()) return { form: 'none', says: `${path} is no file.` };
  if (stat.size === 0) return { form: 'none', says: 'The file is empty.' };
  return recogniseBytes(beginningOf(path), basename(path));
}

/** The same for bytes: of a file, or of an answer. */
export function recogniseBytes(bytes: Buffer, name: string): Recognised {
  if (bytes.subarray(0, 4).equals(zstdMagic)) return /^rollout-.*\.jsonl\.zst$/.test(name) ? { form: 'codex rollout' } : { form: 'none', says: 'A packed file (zstd) that is no rollout of Codex.' };
  const archive = packed.find(([, beginning]) => bytes.subarray(0, beginning.length).equals(beginning))?.[0] ?? (bytes.subarray(257, 262).equals(tarMagic) ? 'tar' : null);
  if (archive !== null) return { form: 'none', says: `A packed file (${archive}): unpack it, and import what is in it.` };
  if (bytes.includes(0)) return { form: 'none', says: bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3' ? 'A database, not one session: Retrace reads the stores of the agents by itself. Name another place with --add.' : 'Not text: no agent keeps sessions like this.' };
  const text = bytes.toString('utf8').replace(/^﻿/, '');
  if (/^\s*<!doctype html>[\s\S]{0,1000}<meta name="generator" content="Retrace /i.test(text)) return { form: 'none', says: `A page that Retrace exported, to be read: it cannot be taken in. ${bundleInstead}` };
  if (/^\s*(?:<!doctype|<html|<\?xml|<head|<body)/i.test(text)) return { form: 'none', says: 'A web page, not session data.' };
  const line = firstObject(text);
  const found = line && byLine(line, name);
  if (found) return found;
  if (/^\s*\{\s*"session"\s*:\s*\{\s*"id"\s*:\s*"[^"]*",\s*"agent"\s*:/.test(text)) return { form: 'none', says: `A document that Retrace wrote for scripts (show --json, export --format json): it cannot be taken in. ${bundleInstead}` };
  const skipped = jsonStart(text);
  if (skipped !== null) {
    const isList = /^\[\s*(?:\{|\]|$)/.test(text.slice(skipped, skipped + 200));
    if (isList) return { form: 'opencode share', skipped: Buffer.byteLength(text.slice(0, skipped)) };
    if (/"(?:info|messages)"\s*:/.test(text.slice(skipped, skipped + 4_096))) return { form: 'opencode export', skipped: Buffer.byteLength(text.slice(0, skipped)) };
    if (/"session"\s*:\s*\{[\s\S]*"items"\s*:/.test(text.slice(skipped)) || /^rollout-.*\.json$/.test(name)) return { form: 'codex session' };
    return { form: 'none', says: 'JSON, but no session of an agent that Retrace knows.' };
  }
  if (/^# aider chat started at \d{4}-/m.test(text)) return { form: 'aider history' };
  if (/^(?:#{1,6} |\*\*\w+)/m.test(text)) return { form: 'none', says: 'A Markdown transcript, not session data: it cannot be taken in. Export the session as data (opencode export, or a Retrace bundle).' };
  return { form: 'none', says: 'Not a session of an agent that Retrace knows.' };
}

function byLine(line: Record<string, unknown>, name: string): Recognised | null {
  if (line['type'] === 'header' && line['format'] === 'retrace-bundle') return { form: 'bundle' };
  const { type, payload, id, timestamp, sessionId, uuid, session_id: snake } = line as Record<string, unknown>;
  if (type === 'session_meta' && typeof payload === 'object') return { form: 'codex rollout' };
  if (type === undefined && typeof id === 'string' && typeof timestamp === 'string' && ('instructions' in line || 'git' in line)) return { form: 'codex rollout' };
  if (typeof type === 'string' && (typeof sessionId === 'string' || typeof uuid === 'string' || typeof snake === 'string' || 'leafUuid' in line || 'messageId' in line)) return { form: 'claude-code transcript' };
  return /^rollout-.*\.jsonl$/.test(name) && typeof type === 'string' ? { form: 'codex rollout' } : null;
}

/** The first line that is a JSON object by itself. */
function firstObject(text: string): Record<string, unknown> | null {
  for (const line of text.split('\n', 20)) {
    if (!line.startsWith('{') || line.trimEnd() === '{') continue;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch {
      // A first line longer than what was looked at, or cut, still says what it is by its beginning.
      if (line.startsWith('{"type":"header","format":"retrace-bundle"')) return { type: 'header', format: 'retrace-bundle' };
      if (/^\{"type":"session_meta"|^\{"timestamp":"[^"]+","(?:ordinal":\d+,"|)type":"session_meta"/.test(line)) return { type: 'session_meta', payload: {} };
      if (/^\{[^{]*"(?:parentUuid|sessionId|leafUuid)":/.test(line)) return { type: 'unknown', sessionId: '' };
    }
  }
  return null;
}

/** Where a JSON document begins: at the front, or after a status line that a program wrote before it. */
function jsonStart(text: string): number | null {
  const at = text.search(/\{\s*"|\[\s*\{|\[\s*\]/);
  if (at < 0) return null;
  const before = text.slice(0, at);
  // A sentence or two; a document of another kind that holds some JSON is not one.
  return before.length <= 2_000 && !/^#{1,6} |^\*\*|```/m.test(before) ? at : null;
}

/** The first bytes of a file. */
export function beginningOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(looked);
    return bytes.subarray(0, readSync(file, bytes, 0, looked, 0));
  } finally {
    closeSync(file);
  }
}
