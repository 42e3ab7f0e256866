import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';

/** `Rtrc` in the header of a SQLite file says that it is a library of Retrace. */
export const applicationId = 0x52747263;

/** The place named for the library is something else's. Nothing there was opened, moved or locked. */
export class ForeignPlaceError extends Error {
  override name = 'ForeignPlaceError';
}

const magic = 'SQLite format 3\0';
/** Offset of the application id in the header of a SQLite file, big-endian. */
const idOffset = 68;

/**
 * Refuses a library file that is not Retrace's own, before anything is made beside it. A file without a readable
 * header is taken for a damaged library only where Retrace's lock lies beside it.
 */
export function refuseForeignFile(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) {
    const folder = statSync(dirname(file), { throwIfNoEntry: false });
    if (folder && !folder.isDirectory()) throw new ForeignPlaceError(`${dirname(file)} is not a folder: the library cannot lie in it.`);
    return;
  }
  if (stat.isDirectory()) throw new ForeignPlaceError(`${file} is a folder. Name a file for the library.`);
  if (!stat.isFile()) throw new ForeignPlaceError(`${file} is not a file.`);
  if (stat.size === 0) return;
  const header = headerOf(file);
  const isDatabase = header.toString('latin1', 0, magic.length) === magic;
  if (isDatabase && header.readUInt32BE(idOffset) === applicationId) return;
  if (!isDatabase && existsSync(`${file}.lock`)) return;
  throw new ForeignPlaceError(`${file} is not a library of Retrace, and was left as it is. Name a new file with --library.`);
}

/** Refuses a library inside the folder of a store: Retrace writes nothing there. */
export function refuseStoreFolder(file: string, folders: string[]): void {
  const folder = folders.find((candidate) => file.startsWith(candidate + sep));
  if (folder !== undefined) throw new ForeignPlaceError(`${file} lies in ${folder}, where an agent keeps its sessions. Name a file elsewhere with --library.`);
}

function headerOf(file: string): Buffer {
  const header = Buffer.alloc(100);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, header, 0, header.length, 0);
  } finally {
    closeSync(opened);
  }
  return header;
}
