import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LibraryLock } from '../../hub/lock';
import type { FileSystem } from '../disk/machine';
import { Refused } from '../refused';

/**
 * Keeps two Retraces with different libraries from writing one store, or one project, at the same time. The locks lie
 * outside of it, one for each real folder, and end with the process.
 */
export class StoreLocks {
  constructor(
    readonly files: FileSystem,
    /** Folder of the locks: the same for all libraries of a user. */
    readonly folder: string,
  ) {}

  async holding<T>(folders: readonly string[], work: () => Promise<T>): Promise<T> {
    const reals = [...new Set(folders.filter((folder) => this.files.look(folder) !== null).map((folder) => this.files.realpath(folder)))].sort();
    const held: LibraryLock[] = [];
    try {
      for (const real of reals) {
        const lock = new LibraryLock(join(this.folder, `${createHash('sha256').update(real).digest('hex').slice(0, 32)}.lock`));
        if (!lock.take()) throw new Refused(`Another Retrace is writing in ${real}.`);
        held.push(lock);
      }
      return await work();
    } finally {
      for (const lock of held) lock.release();
    }
  }
}
