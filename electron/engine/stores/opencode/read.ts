import { closeSync, openSync, readSync } from 'node:fs';
import { batchBytes, type KnownSource, type RawBatch, recordLimit, type SourceChange } from '../store';
import { databaseCursor, copyCursor, type DatabaseCursor, outputCursor } from './cursors';
import { writeLine } from './lines';
import type { Look } from './look';
import { type Place, sessionOf } from './places';
import { type FilesHandle, readSessionFiles } from './session-files';
import { readSessionRows, type RowsHandle } from './session-rows';

/** What the survey found of a source, for reading it. */
export type Handle =
  | ({ kind: 'rows' } & RowsHandle)
  | ({ kind: 'files' } & FilesHandle)
  | { kind: 'copy'; look: Look; place: Place; session: string; copy: string }
  | { kind: 'database'; look: Look; name: string; cursor: DatabaseCursor }
  | { kind: 'output'; look: Look; path: string; stamp: string };

export function read({ key, handle }: SourceChange, known: KnownSource | undefined): Iterable<RawBatch> {
  const found = handle as Handle;
  switch (found.kind) {
    case 'rows':
      return readSessionRows(key, found, known);
    case 'files':
      return readSessionFiles(key, found, known);
    case 'copy':
      return readCopy(key, found, known);
    case 'database':
      return readDatabase(key, found, known);
    case 'output':
      return readOutput(key, found, known);
  }
}

/** A session that is read in a better place: its stream says only where else it lies. */
function* readCopy(key: string, { look, place, session, copy }: Extract<Handle, { kind: 'copy' }>, known: KnownSource | undefined): Iterable<RawBatch> {
  const bytes = writeLine('also', JSON.stringify({ id: session, layout: place.layout, name: place.name }));
  look.unread.delete(key);
  yield { source: key, restarts: known !== undefined, at: 0, bytes, cursor: copyCursor(copy), damage: [] };
}

/**
 * The database as a whole: how far it was looked through. Read after its sessions; those that were not read to the end
 * by then are remembered, so that in no order of reading anything is lost. After the first time only the cursor moves.
 */
function* readDatabase(key: string, { look, name, cursor }: Extract<Handle, { kind: 'database' }>, known: KnownSource | undefined): Iterable<RawBatch> {
  const prefix = `${name}/`;
  const pending = [...look.unread].filter((unread) => unread.startsWith(prefix)).map((unread) => sessionOf(unread) ?? '');
  const open = new Set(cursor.open);
  for (const [session, isOpen] of look.open) {
    if (isOpen) open.add(session);
    else open.delete(session);
  }
  look.close();
  const next = databaseCursor({ ...cursor, pending, open: [...open] });
  yield { source: key, restarts: false, at: known?.length ?? 0, bytes: known ? Buffer.alloc(0) : writeLine('database', JSON.stringify({ name })), cursor: next, damage: [] };
}

/** A saved tool output, as it is. It is counted as read only at its end: a part of one is read again from the beginning. */
function* readOutput(key: string, { look, path, stamp }: Extract<Handle, { kind: 'output' }>, known: KnownSource | undefined): Iterable<RawBatch> {
  let at = 0;
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    // Deleted meanwhile, which is normal.
    look.unread.delete(key);
    return;
  }
  try {
    for (;;) {
      const buffer = Buffer.alloc(batchBytes);
      const bytes = buffer.subarray(0, readSync(file, buffer, 0, batchBytes, at));
      const isLast = bytes.length < batchBytes || at + bytes.length >= recordLimit;
      const cut = isLast && bytes.length === batchBytes;
      const damage = cut ? [{ place: key, line: null, at: recordLimit, bytes: null, reason: 'the rest of this saved output is too large to be taken in' }] : [];
      yield { source: key, restarts: at === 0 && known !== undefined, at, bytes, cursor: outputCursor(isLast ? stamp : ''), damage };
      at += bytes.length;
      if (isLast) break;
    }
  } finally {
    closeSync(file);
  }
  look.unread.delete(key);
}
