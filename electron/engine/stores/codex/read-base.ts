import type { Json, JsonObject, KnownSource, RawBatch } from '../store';
import { recordLimit } from '../store';
import { type Bytes, openBytes } from './bytes';
import { continues, endsAt, type Reached, stampOf } from './cursor';
import { asNumber, asObject, asObjects, asText } from '../foreign/fields';
import { faultOf, isMissing, isReadFault, type ListedFile } from './listing';
import type { Base } from './origin';
import { WholeLines } from './whole-lines';

/** A stretch of another thread's rollout that a fork begins with. */
export interface BasePiece extends Base {
  file: ListedFile;
}

/** What a fork's own files say they continue, oldest first. */
export interface BaseSource {
  key: string;
  /** The fork. */
  thread: string;
  pieces: BasePiece[];
}

/** Of a piece as it was copied: its source may go away, or get other bytes. */
export interface CopiedPiece extends Reached {
  rollout: string;
  ordinal: number;
  /** Bytes that were asked for; `offset` is how many there were. */
  bytes: number;
  stamp: string;
}

export function copiedPieces(cursor: Json | undefined): CopiedPiece[] | null {
  const fields = asObject(cursor);
  if (!fields || !Array.isArray(fields['pieces'])) return null;
  return asObjects(fields['pieces']).map((piece) => ({
    rollout: asText(piece['rollout']) ?? '', ordinal: asNumber(piece['ordinal']) ?? 0, bytes: asNumber(piece['bytes']) ?? 0, stamp: asText(piece['stamp']) ?? '',
    offset: asNumber(piece['offset']) ?? 0, line: asNumber(piece['line']) ?? 0, head: asText(piece['head']) ?? '', tail: asText(piece['tail']) ?? '',
  }));
}

/** True when a copy has to be looked at: a piece is new or was too short, or its file changed. A piece that went away changes nothing. */
export function needsCopy(source: BaseSource, copied: CopiedPiece[] | null): boolean {
  if (copied === null) return source.pieces.length > 0;
  return source.pieces.some((piece) => {
    const known = copied.find(({ rollout }) => rollout === piece.rollout);
    return !known || known.bytes !== piece.bytes || known.ordinal !== piece.ordinal || known.stamp !== stampOf(piece.file.stat);
  });
}

/**
 * Copies what a fork by reference takes over into a stream of the fork's own: a first line that says whose it is, then
 * of each piece one line that names it, and its bytes. So the fork can be shown whole, also when its parent is gone.
 */
export function* readBase(source: BaseSource, known: KnownSource | undefined): Iterable<RawBatch> {
  const copied = copiedPieces(known?.cursor ?? null);
  const opened: { piece: BasePiece; bytes: Bytes }[] = [];
  try {
    for (const piece of source.pieces) opened.push({ piece, bytes: openBytes(piece.file.path, piece.file.packed) });
    if (copied !== null && !mustCopyAnew(opened, copied)) {
      const pieces = copied.map((piece) => {
        const now = opened.find((other) => other.piece.rollout === piece.rollout);
        return now ? { ...piece, stamp: stampOf(now.bytes.stat) } : piece;
      });
      yield { source: source.key, restarts: false, at: known?.length ?? 0, bytes: new Uint8Array(), cursor: cursorOf(pieces), damage: [] };
      return;
    }
    yield* copy(source, opened, copied !== null);
  } catch (error) {
    // What goes wrong with the file itself is said where the file itself is read.
    if (!isReadFault(error) && !isMissing(error) && !(error instanceof Error && 'syscall' in error)) throw error;
    if (copied === null) yield { source: source.key, restarts: false, at: 0, bytes: headerOf(source), cursor: cursorOf([]), damage: [damageOf(source, faultOf(error))] };
  } finally {
    for (const { bytes } of opened) bytes.close();
  }
}

const damageOf = (source: BaseSource, fault: string) => ({ place: source.key, line: null, at: null, bytes: null, reason: `what this fork begins with cannot be read: ${fault}` });

/** A copy of which a piece has gone away is kept as it is: it may be the only one. */
function mustCopyAnew(opened: { piece: BasePiece; bytes: Bytes }[], copied: CopiedPiece[]): boolean {
  if (copied.some(({ rollout }) => !opened.some(({ piece }) => piece.rollout === rollout))) return false;
  return opened.some(({ piece, bytes }) => !isSame(piece, bytes, copied.find(({ rollout }) => rollout === piece.rollout)));
}

function isSame(piece: BasePiece, bytes: Bytes, known: CopiedPiece | undefined): boolean {
  if (!known || known.bytes !== piece.bytes || known.ordinal !== piece.ordinal) return false;
  // A piece that was too short may have grown.
  if (known.offset < known.bytes && known.stamp !== stampOf(bytes.stat)) return false;
  return continues(bytes, known);
}

function* copy(source: BaseSource, opened: { piece: BasePiece; bytes: Bytes }[], restarts: boolean): Iterable<RawBatch> {
  const pieces: CopiedPiece[] = [];
  let at = 0;
  const batch = (bytes: Buffer): RawBatch => {
    const made = { source: source.key, restarts: restarts && at === 0, at, bytes, cursor: cursorOf(pieces), damage: [] };
    at += bytes.length;
    return made;
  };
  yield batch(headerOf(source));
  for (const { piece, bytes } of opened) {
    const marker = { retrace: 'piece', rollout: piece.rollout, ordinal: piece.ordinal, bytes: piece.bytes };
    pieces.push({ ...piecePlace(piece), stamp: '', offset: 0, line: 0, head: '', tail: '' });
    yield batch(lineOf(marker));
    let reached = 0;
    for (const { bytes: lines, next } of new WholeLines(bytes, { offset: 0, line: 0 }, piece.bytes, recordLimit).pieces()) {
      reached = next;
      if (lines.length > 0) yield batch(lines.at(-1) === 10 ? lines : Buffer.concat([lines, Buffer.from('\n')]));
    }
    pieces[pieces.length - 1] = { ...piecePlace(piece), stamp: stampOf(bytes.stat), offset: reached, line: 0, ...endsAt(bytes, reached) };
  }
  // The last word of a pass is its cursor.
  yield batch(Buffer.alloc(0));
}

const piecePlace = ({ rollout, ordinal, bytes }: Base): Base => ({ rollout, ordinal, bytes });
const headerOf = ({ thread }: BaseSource): Buffer => lineOf({ retrace: 'base', thread });
const lineOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const cursorOf = (pieces: CopiedPiece[]): JsonObject => ({ pieces: pieces.map((piece) => ({ ...piece })) });
