import type { ExpectedBeginning, FileStep, SessionToWrite } from '../../store';
import { contentOf, contentOfBytes, expectedAt, fileAt } from './on-disk';

/** Copies of files, what they are copied from, and the names of those that are gone. */
export interface CarriedFiles {
  copies: FileStep[];
  reads: ExpectedBeginning[];
  missing: string[];
}

export const nothingCarried = (): CarriedFiles => ({ copies: [], reads: [], missing: [] });

export interface CarryRequest {
  /** Absolute: where it lies, and where the copy goes. */
  from: string;
  to: string;
  /** Its key in the store: how the library knows it. */
  key: string;
  why: string;
  /** Mode and time of the copy by those of the file; null: it comes from the library. */
  looks(stat: { mode: number; mtimeMs: number } | null): Pick<FileStep, 'mode' | 'modified'>;
}

/** Adds a copy of a file from the store, or, where it is gone there, from the library. False when neither has it. */
export function carryFile(session: SessionToWrite, carried: CarriedFiles, { from, to, key, why, looks }: CarryRequest): boolean {
  const within = session.location.folder;
  const there = expectedAt(from);
  const stat = there && fileAt(from);
  const kept = there && stat ? null : session.file(key);
  if (!(there && stat) && !kept) return false;
  const content = there ? contentOf(from, there.before.bytes) : contentOfBytes(kept ?? new Uint8Array());
  carried.copies.push({ kind: 'file', path: to, within, before: { state: 'absent' }, after: { content }, ...looks(there ? stat : null), why });
  if (there) carried.reads.push({ path: from, within, bytes: there.before.bytes, sha256: there.before.sha256 });
  return true;
}
