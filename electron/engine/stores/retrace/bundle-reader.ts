import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Agent } from '@shared/model';
import {
  type BundleDamage, type BundleEvidence, type BundleHeader, bundleLineLimit, type BundleSession, bundleVersion, damageLine, endLine, evidenceLine, headerLine, pieceLine, sessionLine, streamEndLine, streamLine,
} from './bundle-lines';
import { fileLines, LongLineError } from './file-lines';

/** Streams and evidence a bundle may have; one with more is refused. */
const limits = { streams: 20_000, evidence: 1_000_000, pieces: 4_000_000 };

/** A stream, and where its pieces stand in the file. */
export interface IndexedStream {
  number: number;
  agent: Agent;
  key: string;
  role: 'records' | 'file';
  sessions: string[];
  pieces: { at: number; bytes: number; offset: number; length: number }[];
  bytes: number;
}

/** A bundle that was gone through and is whole. Bytes of streams stay in the file. */
export interface BundleIndex {
  header: BundleHeader;
  sessions: BundleSession[];
  evidence: BundleEvidence[];
  damage: BundleDamage[];
  streams: IndexedStream[];
  bytes: number;
}

export interface BundleRefusal {
  refused: string;
}

/** Goes through a bundle once, checks its counts and hashes, and remembers where its streams stand. */
export function indexBundle(file: string): BundleIndex | BundleRefusal {
  const indexing = new Indexing();
  try {
    for (const { offset, bytes } of fileLines(file, bundleLineLimit)) {
      const refused = indexing.take(bytes, offset);
      if (refused !== null) return { refused };
    }
  } catch (error) {
    if (error instanceof LongLineError) return { refused: `At byte ${error.offset.toLocaleString('en')} a line is longer than ${error.limit.toLocaleString('en')} bytes: this is no bundle that Retrace wrote.` };
    throw error;
  }
  return indexing.result();
}

class Indexing {
  readonly #hash: Hash = createHash('sha256');
  #header: BundleHeader | null = null;
  readonly #index: Omit<BundleIndex, 'header'> = { sessions: [], evidence: [], damage: [], streams: [], bytes: 0 };
  #open: { stream: IndexedStream; hash: Hash } | null = null;
  #lines = 0;
  #pieces = 0;
  #read = 0;
  #ended = false;

  /** One line; what it gives is why the bundle is refused, or null. */
  take(bytes: Buffer, offset: number): string | null {
    this.#read = offset + bytes.length;
    if (this.#ended) return 'There is something after the end of the bundle.';
    if (bytes.at(-1) !== 10) return cutAt(this.#read);
    const line = parsed(bytes);
    if (line === null) return this.#header === null ? 'This is no bundle: its first line is no header.' : `Line ${this.#lines + 1} is no JSON object.`;
    if (line['type'] === 'end') return this.#end(line);
    this.#hash.update(bytes);
    this.#lines++;
    if (this.#header === null) return this.#begin(line);
    const refused = this.#section(line, offset, bytes.length);
    return refused === null ? null : `Line ${this.#lines}: ${refused}`;
  }

  #begin(line: Record<string, unknown>): string | null {
    if (line['type'] !== 'header' || line['format'] !== 'retrace-bundle') return 'This is no bundle: its first line is no header.';
    if (typeof line['version'] === 'number' && line['version'] > bundleVersion) return `The bundle is of version ${line['version']}; this Retrace knows ${bundleVersion}. A newer one can take it in.`;
    const header = headerLine.safeParse(line);
    if (!header.success) return `The header of the bundle is not as it should be (${header.error.issues[0]?.path.join('.') ?? 'type'}).`;
    this.#header = header.data;
    return null;
  }

  #section(line: Record<string, unknown>, offset: number, length: number): string | null {
    switch (line['type']) {
      case 'stream': return this.#stream(line);
      case 'piece': return this.#piece(line, offset, length);
      case 'stream-end': return this.#streamEnd(line);
      case 'session': return this.#kept(sessionLine.safeParse(line).data?.session, this.#index.sessions);
      case 'evidence': return this.#kept(evidenceLine.safeParse(line).data, this.#index.evidence);
      case 'damage': return this.#kept(damageLine.safeParse(line).data, this.#index.damage);
      default: return null;
    }
  }

  #kept<T>(found: T | undefined, list: T[]): string | null {
    if (found === undefined) return 'its fields are not as they should be.';
    if (list.length >= limits.evidence) return `there are more than ${limits.evidence.toLocaleString('en')} lines like this.`;
    list.push(found);
    return null;
  }

  #stream(line: Record<string, unknown>): string | null {
    const { data } = streamLine.safeParse(line);
    if (!data) return 'its fields are not as they should be.';
    if (this.#open) return 'a stream begins inside another one.';
    if (this.#index.streams.length >= limits.streams) return `there are more than ${limits.streams.toLocaleString('en')} streams.`;
    if (this.#index.streams.some(({ number }) => number === data.stream)) return 'a stream has the number of another one.';
    const { agent, key, role, sessions } = data;
    const stream: IndexedStream = { number: data.stream, agent, key, role, sessions, pieces: [], bytes: 0 };
    this.#index.streams.push(stream);
    this.#open = { stream, hash: createHash('sha256') };
    return null;
  }

  #piece(line: Record<string, unknown>, offset: number, length: number): string | null {
    const { data } = pieceLine.safeParse(line);
    const content = data && contentOf(data);
    if (!data || !content) return 'its fields are not as they should be.';
    if (this.#open?.stream.number !== data.stream) return 'a piece stands outside its stream.';
    if (++this.#pieces > limits.pieces) return `there are more than ${limits.pieces.toLocaleString('en')} pieces.`;
    const { stream, hash } = this.#open;
    const last = stream.pieces.at(-1);
    if (last && data.at < last.at + last.bytes) return 'a piece begins before the one before it ends.';
    stream.pieces.push({ at: data.at, bytes: content.length, offset, length });
    stream.bytes += content.length;
    hash.update(content);
    return null;
  }

  #streamEnd(line: Record<string, unknown>): string | null {
    const { data } = streamEndLine.safeParse(line);
    if (!data || this.#open?.stream.number !== data.stream) return 'a stream ends that is not open.';
    const { stream, hash } = this.#open;
    this.#open = null;
    this.#index.bytes += stream.bytes;
    return data.pieces === stream.pieces.length && data.bytes === stream.bytes && data.hash === hash.digest('hex') ? null : 'the stream is not what its end says: it was changed.';
  }

  #end(line: Record<string, unknown>): string | null {
    const { data } = endLine.safeParse(line);
    this.#ended = true;
    if (!this.#header) return 'This is no bundle: its first line is no header.';
    const { sessions, streams, bytes } = this.#index;
    const isWhole = data && !this.#open && data.lines === this.#lines && data.sessions === sessions.length && data.streams === streams.length && data.bytes === bytes && data.hash === this.#hash.digest('hex');
    return isWhole ? null : 'The bundle was changed after it was written: its end does not fit what stands before.';
  }

  result(): BundleIndex | BundleRefusal {
    if (this.#header && this.#ended) return { header: this.#header, ...this.#index };
    return { refused: this.#read === 0 ? 'The file is empty.' : cutAt(this.#read) };
  }
}

const cutAt = (bytes: number): string => `The bundle was cut off at ${bytes.toLocaleString('en')} bytes: its end is missing.`;

function parsed(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const contentOf = ({ text, base64 }: { text?: string | undefined; base64?: string | undefined }): Buffer | null =>
  text !== undefined ? Buffer.from(text, 'utf8') : base64 !== undefined ? Buffer.from(base64, 'base64') : null;

/** The bytes of a stream in order, piece by piece. The file was indexed before and is Retrace's own since. */
export function* streamPieces(file: string, stream: IndexedStream): Iterable<{ at: number; bytes: Buffer }> {
  const open = openSync(file, 'r');
  try {
    for (const { at, offset, length } of stream.pieces) {
      const line = Buffer.alloc(length);
      const read = readSync(open, line, 0, length, offset);
      const content = read === length ? contentOf((parsed(line) ?? {}) as { text?: string; base64?: string }) : null;
      if (!content) throw new Error(`${file} was changed since it was taken in (byte ${offset}).`);
      yield { at, bytes: content };
    }
  } finally {
    closeSync(open);
  }
}
