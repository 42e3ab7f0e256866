import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/** How long git may take over one object, in ms. */
const patience = 10_000;
/** Bytes of git's complaints that are kept. */
const complaintLimit = 2_000;

/** Git could not be asked, or gave up; the message is for the person. */
export class GitTrouble extends Error {
  override name = 'GitTrouble';
}

interface Waiting {
  take(header: string): { bytes: number } | null;
  done(bytes: Buffer): void;
  fail(error: GitTrouble): void;
}

/** One `git cat-file` that answers questions in turn. It only ever reads. */
export class CatFile {
  readonly #child: ChildProcessWithoutNullStreams;
  #pieces: Buffer[] = [];
  #length = 0;
  #waiting: Waiting | null = null;
  #wanted: number | null = null;
  #complaint = '';
  #ended: GitTrouble | null = null;

  constructor(gitDir: string, mode: '--batch' | '--batch-check', environment: NodeJS.ProcessEnv) {
    // Nothing of a foreign repository's configuration is read: the folder is our own and only borrows objects.
    this.#child = spawn('git', ['--git-dir', gitDir, '--no-optional-locks', '--no-replace-objects', 'cat-file', mode], { env: environment, cwd: gitDir, windowsHide: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.on('error', (error: NodeJS.ErrnoException) => this.#end(error.code === 'ENOENT' ? 'git is not installed' : `git could not be started (${error.code ?? error.message})`));
    this.#child.on('close', (code, signal) => this.#end(this.#complaint.split('\n')[0]?.replace(/^(?:fatal|error): /, '') || `git ended (${signal ?? code})`));
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (data: Buffer) => (this.#complaint = (this.#complaint + data.toString('utf8')).slice(0, complaintLimit)));
    this.#child.stdout.on('data', (data: Buffer) => this.#take(data));
  }

  get isOver(): boolean {
    return this.#ended !== null;
  }

  /** Asks for one object; `take` reads the header line and says whether content follows. Calls must not overlap. */
  ask(name: string, take: Waiting['take']): Promise<Buffer> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#end(`git did not answer within ${patience / 1000} seconds`);
        this.#child.kill('SIGKILL');
      }, patience);
      const settle = <T>(act: (value: T) => void) => (value: T) => {
        clearTimeout(timer);
        this.#waiting = null;
        act(value);
      };
      this.#waiting = { take, done: settle(resolve), fail: settle(reject) };
      this.#child.stdin.write(`${name}\n`);
    });
  }

  #take(data: Buffer): void {
    this.#pieces.push(data);
    this.#length += data.length;
    if (this.#wanted === null) {
      if (!data.includes(10)) return;
      const all = this.#joined();
      const end = all.indexOf(10);
      const content = this.#waiting?.take(all.subarray(0, end).toString('utf8')) ?? null;
      this.#hold(all.subarray(end + 1));
      if (content === null) return this.#waiting?.done(Buffer.alloc(0));
      this.#wanted = content.bytes;
    }
    if (this.#length <= this.#wanted) return;
    const all = this.#joined();
    const bytes = Buffer.from(all.subarray(0, this.#wanted));
    // A line end follows the content.
    this.#hold(all.subarray(this.#wanted + 1));
    this.#wanted = null;
    this.#waiting?.done(bytes);
  }

  #joined(): Buffer {
    return this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
  }

  #hold(rest: Buffer): void {
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
  }

  #end(reason: string): void {
    this.#ended ??= new GitTrouble(reason);
    this.#waiting?.fail(this.#ended);
  }

  close(): void {
    this.#child.stdin.end();
    this.#child.kill();
  }
}
