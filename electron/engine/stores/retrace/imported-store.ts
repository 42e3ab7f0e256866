import { statSync } from 'node:fs';
import { join } from 'node:path';
import { nativeId } from '@shared/model';
import {
  batchBytes, type Environment, type EvidenceFact, type Json, type JsonObject, type KnownSources, type ProjectInput, type Projection, type RawBatch, type SessionHead, type SessionStore, type SourceChange,
  type StoreLocation, type Survey,
} from '../store';
import { type BundleIndex, indexBundle, type IndexedStream, streamPieces } from './bundle-reader';
import { findImports, importFiles, importStoreId } from './imports';

/** As a type, so that it is JSON by its shape. */
type ImportCursor = { size: number; changed: number };

type Handle = { file: string; stream: IndexedStream; damage: BundleIndex['damage']; cursor: ImportCursor } | { evidence: BundleIndex['evidence']; cursor: ImportCursor };

/** How a line of evidence begins that a bundle carries for a stream it does not hold. */
const evidenceHead = '{"evidence-of":';

/**
 * Imported sessions of one agent. What the records mean is known to that agent's own store; only where they lie is
 * another matter: in the bundles beside the library.
 */
export function importedStore(native: SessionStore): SessionStore {
  const { memory: _memory, writer: _writer, check: _check, retention: _retention, databaseFolders: _folders, transcriptOf: _transcripts, ...understood } = native;
  return {
    ...understood,
    locate: (environment) => locate(environment, native),
    survey,
    read: (_location, change) => read(change),
    project: (input) => project(input, native),
    watch: ({ folder }) => ({ folders: [folder], ignore: /./ }),
    resumeCommand: () => null,
  };
}

function locate({ imports }: Environment, { agent }: SessionStore): StoreLocation[] {
  if (imports === undefined) return [];
  return findImports(imports).flatMap(({ name, folder, origin }) => (origin.agent === agent ? [{ agent, folder, origin: 'import' as const, key: importStoreId(name) }] : []));
}

function survey({ folder }: StoreLocation, known: KnownSources): Survey {
  const nothing: Survey = { changes: [], heads: [], gone: [], damage: [], problem: null };
  const file = join(folder, importFiles.bundle);
  const stat = statSync(file, { throwIfNoEntry: false });
  const keys = [...known.keys()];
  if (!stat) return { ...nothing, gone: keys, problem: 'The bundle of this import is not there any more.' };
  const cursor: ImportCursor = { size: stat.size, changed: Math.trunc(stat.mtimeMs) };
  const isSame = (key: string) => JSON.stringify(known.get(key)?.cursor) === JSON.stringify(cursor);
  if (keys.length > 0 && keys.every(isSame)) return nothing;
  const index = indexBundle(file);
  if ('refused' in index) return { ...nothing, problem: index.refused };
  const streams = index.streams.map((stream): SourceChange => ({
    key: stream.key, changed: cursor.changed, bytes: stream.bytes, handle: { file, stream, damage: index.damage.filter((damage) => damage.source === stream.key && !isRead(stream, damage)), cursor } satisfies Handle,
  }));
  const told = bySource(index, new Set(streams.map(({ key }) => key)));
  const evidence = [...told].map(([key, lines]): SourceChange => ({ key, changed: cursor.changed, bytes: 0, handle: { evidence: lines, cursor } satisfies Handle }));
  const all = [...streams, ...evidence];
  const changes = all.filter(({ key }) => !isSame(key));
  return { ...nothing, changes, heads: headsOf(index), gone: keys.filter((key) => !all.some((change) => change.key === key)) };
}

/** True of a damaged place whose bytes are in the stream: reading finds it again. */
function isRead({ pieces }: IndexedStream, { at, bytes }: BundleIndex['damage'][number]): boolean {
  if (at === null || at === undefined) return false;
  const end = at + Math.max(1, bytes ?? 1);
  let place = at;
  for (const piece of pieces) if (piece.at <= place && place < piece.at + piece.bytes) place = piece.at + piece.bytes;
  return place >= end;
}

/** What other sources of the store said, by source; a source that is in the bundle speaks for itself. */
function bySource({ evidence }: BundleIndex, streams: ReadonlySet<string>): Map<string, BundleIndex['evidence']> {
  const told = new Map<string, BundleIndex['evidence']>();
  for (const line of evidence) if (!streams.has(line.source)) told.set(line.source, [...(told.get(line.source) ?? []), line]);
  return told;
}

const headsOf = ({ sessions }: BundleIndex): SessionHead[] =>
  sessions.map(({ nativeId: native, title }) => ({ native: nativeId(native), kind: 'session', parent: null, title: title ?? null, directory: null, gitBranch: null, model: null, created: null, updated: null, archived: null }));

function* read(change: SourceChange): Iterable<RawBatch> {
  const handle = change.handle as Handle;
  const { cursor } = handle;
  if ('evidence' in handle) {
    const lines = handle.evidence.map(({ session, slot, data }) => `${evidenceHead}${JSON.stringify(session)},"slot":${JSON.stringify(slot)},"data":${JSON.stringify(data)}}\n`);
    yield { source: change.key, restarts: true, at: 0, bytes: Buffer.from(lines.join('')), cursor, damage: [] };
    return;
  }
  const damage = handle.damage.map(({ place, line, at, bytes, reason }) => ({ place, line: line ?? null, at: at ?? null, bytes: bytes ?? null, reason }));
  let first = true;
  for (const { at, bytes } of joined(streamPieces(handle.file, handle.stream))) {
    yield { source: change.key, restarts: first, at, bytes, cursor, damage: first ? damage : [] };
    first = false;
  }
  if (first) yield { source: change.key, restarts: true, at: 0, bytes: new Uint8Array(0), cursor, damage };
}

/** Pieces that touch, joined to batches that end where a line ends. */
function* joined(pieces: Iterable<{ at: number; bytes: Buffer }>): Iterable<{ at: number; bytes: Buffer }> {
  let held: Buffer[] = [];
  let at = 0;
  let size = 0;
  for (const piece of pieces) {
    if (size > 0 && piece.at !== at + size) {
      yield { at, bytes: Buffer.concat(held) };
      held = [];
      size = 0;
    }
    if (size === 0) at = piece.at;
    held.push(piece.bytes);
    size += piece.bytes.length;
    if (size < batchBytes) continue;
    const bytes = Buffer.concat(held);
    const end = bytes.lastIndexOf(10) + 1;
    if (end > 0) yield { at, bytes: bytes.subarray(0, end) };
    held = end < size ? [bytes.subarray(end)] : [];
    at += end;
    size -= end;
  }
  if (size > 0) yield { at, bytes: Buffer.concat(held) };
}

function project(input: ProjectInput, native: SessionStore): Projection {
  const head = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, Math.min(input.bytes.length, evidenceHead.length)).toString('latin1');
  if (input.at > 0 || head !== evidenceHead) return native.project(input);
  const evidence = Buffer.from(input.bytes).toString('utf8').split('\n').filter((line) => line !== '').map((line): EvidenceFact => {
    const { 'evidence-of': session, slot, data } = JSON.parse(line) as { 'evidence-of': string; slot: string; data: JsonObject };
    return { session: nativeId(session.slice(session.indexOf('/') + 1)), slot, data };
  });
  return { records: [], evidence, removed: [], damage: [], unknown: {}, carry: null satisfies Json };
}
