import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

/**
 * Another process that works on a database, as OpenCode does while we read. It runs the script with `db` open in WAL
 * mode, says `ready`, and ends when the script does; each line it writes is an answer.
 */
export class OtherProgram {
  readonly answers: string[] = [];
  readonly #child: ChildProcess;
  #wake: () => void = () => undefined;

  constructor(file: string, script: string) {
    const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
    const program = `
      const Database = require(${JSON.stringify(sqlite)});
      const db = new Database(${JSON.stringify(file)}, { timeout: 0 });
      const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      const told = new Promise((resolve) => process.stdin.once('data', resolve));
      (async () => { ${script} })().catch((error) => say({ error: String(error) })).finally(() => process.exit());`;
    this.#child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (!this.#child.stdout) throw new Error('the other program has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.answers.push(line);
      this.#wake();
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Its name, as the system tells it. */
  get name(): string {
    return readFileSync(`/proc/${this.pid}/comm`, 'utf8').trim();
  }

  /** Waits until it has answered so often. */
  async answer(count = 1): Promise<unknown> {
    while (this.answers.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return JSON.parse(this.answers[count - 1] ?? 'null') as unknown;
  }

  /** Tells it to go on to its end, and waits for that. */
  async finish(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.stdin?.write('go on\n');
    await once(this.#child, 'exit');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
