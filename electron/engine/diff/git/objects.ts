import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { namesIn } from '../../stores/foreign/names';
import { CatFile, GitTrouble } from './cat-file';

/** Bytes of one object that are read; a larger one is only known by its name. */
export const objectLimit = 16_000_000;

export type ObjectAnswer =
  | { state: 'found'; oid: string; type: 'blob' | 'tree' | 'commit' | 'tag'; bytes: Buffer }
  | { state: 'too large'; oid: string; bytes: number }
  | { state: 'missing' };

/** Whole or shortened names of objects; nothing else is ever given to git. */
const objectName = /^[0-9a-f]{4,64}$/;

/**
 * Objects of foreign repositories, read by git's own plumbing. Git is started on an empty repository of ours, made for
 * this in the system's temporary folder, whose alternates are links to the foreign object folders: so it never sees
 * their configuration, hooks, index, replacements, promisors or further alternates, cannot refuse them as "dubious",
 * and has nothing there to lock, refresh or tidy up.
 */
export class GitObjects {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  #check: CatFile | null = null;
  #content: CatFile | null = null;
  #restarts = 0;
  #queue: Promise<unknown> = Promise.resolve();

  /** `objectFolders`: the `objects` folders to read, at most some dozens. */
  constructor(objectFolders: readonly string[], format: 'sha1' | 'sha256' = 'sha1') {
    this.#folder = mkdtempSync(join(tmpdir(), 'retrace-objects-'));
    mkdirSync(join(this.#folder, 'objects'));
    mkdirSync(join(this.#folder, 'refs'));
    writeFileSync(join(this.#folder, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(this.#folder, 'config'), format === 'sha1' ? '[core]\n\trepositoryformatversion = 0\n\tbare = true\n' : '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n');
    const shadows = objectFolders.map((folder, index) => this.#shadow(folder, `alternate-${index}`));
    const { PATH, Path, SystemRoot } = process.env;
    this.#environment = {
      ...(PATH === undefined ? {} : { PATH }), ...(Path === undefined ? {} : { Path }), ...(SystemRoot === undefined ? {} : { SystemRoot }),
      HOME: this.#folder, XDG_CONFIG_HOME: this.#folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: join(this.#folder, 'no-config'), GIT_CEILING_DIRECTORIES: this.#folder,
      GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C', GIT_ALTERNATE_OBJECT_DIRECTORIES: shadows.join(delimiter),
    };
  }

  /** An object folder of which only the objects are there: loose ones and packs. */
  #shadow(folder: string, name: string): string {
    const shadow = join(this.#folder, name);
    mkdirSync(shadow);
    for (const entry of namesIn(folder)) {
      if (/^[0-9a-f]{2}$|^pack$/.test(entry)) symlinkSync(join(folder, entry), join(shadow, entry), 'junction');
    }
    return shadow;
  }

  /** One object by its name. Throws `GitTrouble` when git cannot be asked; a broken object is told like that too. */
  read(name: string): Promise<ObjectAnswer> {
    const answer = this.#queue.then(() => this.#read(name));
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  async #read(name: string): Promise<ObjectAnswer> {
    if (!objectName.test(name)) return { state: 'missing' };
    let header = '';
    await this.#running('check').ask(name, (line) => {
      header = line;
      return null;
    });
    const [, oid, type, size] = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/.exec(header) ?? [];
    if (oid === undefined || type === undefined) return { state: 'missing' };
    if (Number(size) > objectLimit) return { state: 'too large', oid, bytes: Number(size) };
    const bytes = await this.#running('content').ask(oid, (line) => (/ \d+$/.test(line) ? { bytes: Number(line.split(' ').at(-1)) } : null));
    return { state: 'found', oid, type: type as 'blob', bytes };
  }

  /** Git ends at a broken object; it is started anew a few times, so that one does not hide all others. */
  #running(which: 'check' | 'content'): CatFile {
    const known = which === 'check' ? this.#check : this.#content;
    if (known && !known.isOver) return known;
    if (known && ++this.#restarts > 20) throw new GitTrouble('git ended again and again');
    const started = new CatFile(this.#folder, which === 'check' ? '--batch-check' : '--batch', this.#environment);
    if (which === 'check') this.#check = started;
    else this.#content = started;
    return started;
  }

  close(): void {
    this.#check?.close();
    this.#content?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
