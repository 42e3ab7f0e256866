import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { Json, JsonObject } from '../store';
import { type Bytes, readFully } from './bytes';
import { asNumber, asObject, asText } from '../foreign/fields';
import type { Origin } from './origin';

/** State of a file as a text that differs when the file does: size, times, number. */
export const stampOf = (stat: Stats): string => `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;

/** How far a text was read, and its two ends there: enough to tell a grown file from another one of the same name. */
export interface Reached {
  /** Bytes of the text that are in the stream or were skipped for good. */
  offset: number;
  /** Line ends before it. */
  line: number;
  /** Hash of the first bytes of the text, at most 4,096 of them and none after `offset`. */
  head: string;
  /** Hash of as many bytes just before `offset`. */
  tail: string;
}

/** What is remembered of a rollout between passes. */
export interface Cursor extends Reached {
  stamp: string;
  place: string;
  /** What its first line says; the survey needs it of every file to find bases. */
  origin: Origin | null;
}

const probeBytes = 4096;

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url').slice(0, 16);

export const textHash = (text: string): string => hashOf(Buffer.from(text));

export const unread: Reached = { offset: 0, line: 0, head: hashOf(new Uint8Array()), tail: hashOf(new Uint8Array()) };

/** The ends of a text up to an offset. In this order, since packed text is read onwards. */
export function endsAt(bytes: Bytes, offset: number): { head: string; tail: string } {
  const head = hashAt(bytes, 0, Math.min(probeBytes, offset));
  const from = Math.max(0, offset - probeBytes);
  return { head, tail: hashAt(bytes, from, offset - from) };
}

function hashAt(bytes: Bytes, from: number, length: number): string {
  const room = Buffer.allocUnsafe(length);
  return hashOf(room.subarray(0, readFully(bytes, from, room, 0)));
}

/** True when the text still holds what was read of it at the same place. */
export function continues(bytes: Bytes, reached: Reached): boolean {
  if (bytes.size !== null && bytes.size < reached.offset) return false;
  const { head, tail } = endsAt(bytes, reached.offset);
  return head === reached.head && tail === reached.tail;
}

/** Keeps the two ends of what is read, so that packed text need not be read again for them. */
export class Ends {
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #next: number;

  constructor(readonly before: Reached) {
    this.#next = before.offset;
  }

  /** Takes what is read at `at`, in any pieces. Behind a gap the tail begins anew. */
  add(bytes: Buffer, at: number): void {
    if (at !== this.#next) this.#tail = Buffer.alloc(0);
    this.#next = at + bytes.length;
    if (this.#head.length < probeBytes) this.#head = Buffer.concat([this.#head, bytes.subarray(0, probeBytes - this.#head.length)]);
    this.#tail = Buffer.from(bytes.length >= probeBytes ? bytes.subarray(-probeBytes) : Buffer.concat([this.#tail, bytes]).subarray(-probeBytes));
  }

  /** The ends up to an offset; read from the text itself where too little came since to know. */
  at(offset: number, bytes: Bytes): { head: string; tail: string } {
    const { before } = this;
    if (offset === before.offset) return { head: before.head, tail: before.tail };
    const head = before.offset === 0 ? hashOf(this.#head) : before.offset >= probeBytes ? before.head : null;
    return head !== null && this.#tail.length >= Math.min(probeBytes, offset) ? { head, tail: hashOf(this.#tail) } : endsAt(bytes, offset);
  }
}

export function cursorOf(value: Json | undefined): Cursor | null {
  const fields = asObject(value);
  const [stamp, place, head, tail] = ['stamp', 'place', 'head', 'tail'].map((name) => asText(fields?.[name]));
  const [offset, line] = ['offset', 'line'].map((name) => asNumber(fields?.[name]));
  if (!fields || stamp == null || place == null || head == null || tail == null || offset == null || line == null) return null;
  return { stamp, place, head, tail, offset, line, origin: originOf(fields['origin']) };
}

function originOf(value: unknown): Origin | null {
  const fields = asObject(value);
  const [thread, rollout] = [asText(fields?.['thread']), asText(fields?.['rollout'])];
  if (!fields || thread === null || rollout === null) return null;
  const base = asObject(fields['base']);
  const [of, ordinal, bytes] = [asText(base?.['rollout']), asNumber(base?.['ordinal']), asNumber(base?.['bytes'])];
  return { thread, rollout, base: of !== null && ordinal !== null && bytes !== null ? { rollout: of, ordinal, bytes } : null };
}

export const asCursor = (cursor: Cursor): JsonObject => JSON.parse(JSON.stringify(cursor)) as JsonObject;
