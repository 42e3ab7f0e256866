import { constants } from 'node:fs';
import { join } from 'node:path';
import { Refused } from '../refused';
import type { DiskFact, FileSystem } from './machine';

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Linux names an open folder by its number: a path below that number cannot be led elsewhere by a link made meanwhile. */
const isAnchored = process.platform === 'linux';

/**
 * A folder that was reached step by step without following a link, and is held. Where the system can (Linux), what is
 * done in it goes by the folder itself and not by its path; everywhere `check` tells whether the path still leads there.
 */
export class HeldFolder {
  private constructor(
    readonly files: FileSystem,
    readonly path: string,
    readonly fact: DiskFact,
    /** Null where folders cannot be opened (Windows). */
    readonly handle: number | null,
  ) {}

  /**
   * Goes from `within` down. `within` itself may be reached through links (a store may lie behind one): then it is its
   * real place that counts, which must be `real`. Null where a folder is missing and none is to be made.
   */
  static open(files: FileSystem, within: string, folders: readonly string[], make: { mode: number; made(path: string): void } | null, real: string | null = null): HeldFolder | null {
    const top = files.look(within);
    if (top === null) return null;
    const place = files.realpath(within);
    if (real !== null && place !== real) throw new Refused(`${within} leads to another place than when the plan was made.`, true);
    let held = HeldFolder.#hold(files, place, place);
    for (const step of folders) {
      const next = held.#below(step, make);
      held.close();
      if (next === null) return null;
      held = next;
    }
    return held;
  }

  static #hold(files: FileSystem, path: string, by: string): HeldFolder {
    const before = files.look(by);
    if (before?.kind === 'link') throw new Refused(`${path} is a link: links are not followed.`);
    if (before?.kind !== 'folder') throw new Refused(`${path} is no folder.`);
    if (process.platform === 'win32') return new HeldFolder(files, path, before, null);
    const handle = files.open(by, folderFlags);
    const fact = files.fact(handle);
    if (isSame(fact, before)) return new HeldFolder(files, path, fact, handle);
    files.close(handle);
    throw new Refused(`${path} was replaced while it was looked at.`, true);
  }

  #below(step: string, make: { mode: number; made(path: string): void } | null): HeldFolder | null {
    const path = join(this.path, step);
    if (this.files.look(this.at(step)) === null) {
      if (!make) return null;
      // Told first: a crash between the two leaves a name that is looked for, not a folder nobody knows.
      make.made(path);
      this.files.makeFolder(this.at(step), make.mode);
      this.flush();
    }
    return HeldFolder.#hold(this.files, path, this.at(step));
  }

  /** What to call a name in this folder by. */
  at(name: string): string {
    return isAnchored && this.handle !== null ? `/proc/self/fd/${this.handle}/${name}` : join(this.path, name);
  }

  look(name: string): DiskFact | null {
    return this.files.look(this.at(name));
  }

  /** Right before a change: the path must still lead to this very folder. */
  check(): void {
    const now = this.files.look(this.path);
    if (now === null || now.kind !== 'folder' || !isSame(now, this.fact) || this.files.realpath(this.path) !== this.path) throw new Refused(`${this.path} was replaced, or made a link, since it was looked at.`, true);
  }

  /** Names made or taken away in it survive a crash. */
  flush(): void {
    if (this.handle !== null) this.files.flush(this.handle);
  }

  close(): void {
    if (this.handle !== null) this.files.close(this.handle);
  }
}

export const isSame = (a: DiskFact, b: DiskFact): boolean => a.dev === b.dev && a.ino === b.ino;
