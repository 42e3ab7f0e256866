import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Surroundings } from './child';
import { type Fields, fieldsOf } from './mock/fields';

/** Milliseconds for one answer or message. */
const patience = 240_000;

/** Codex's app-server, spoken to by lines of JSON. */
export class CodexAppServer {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #said: Fields[] = [];
  readonly #waiting = new Set<() => void>();
  #asked = 0;

  private constructor(program: string, { cwd, env }: Surroundings) {
    this.#child = spawn(program, ['app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#said.push(fieldsOf(JSON.parse(line)));
      for (const look of this.#waiting) look();
    });
  }

  /** Starts it, lets it be asked, and ends it by closing what it reads. */
  static async with<T>(program: string, at: Surroundings, work: (server: CodexAppServer) => Promise<T>): Promise<T> {
    const server = new CodexAppServer(program, at);
    try {
      await server.ask('initialize', { clientInfo: { name: 'test', title: 'Test', version: '1.0.0' }, capabilities: { experimentalApi: true } });
      server.#send({ method: 'initialized' });
      return await work(server);
    } finally {
      await server.#close();
    }
  }

  async ask(method: string, params: object): Promise<Fields> {
    const id = ++this.#asked;
    this.#send({ id, method, params });
    const answer = await this.#until(method, (message) => message['id'] === id && message['method'] === undefined);
    if (answer['error'] !== undefined) throw new Error(`${method}: ${JSON.stringify(answer['error'])}`);
    return fieldsOf(answer['result']);
  }

  /** One turn to its end. */
  async say(thread: string, text: string): Promise<void> {
    const { turn } = await this.ask('turn/start', { threadId: thread, input: [{ type: 'text', text, text_elements: [] }] });
    const id = fieldsOf(turn)['id'];
    await this.#until(`the end of the turn ${text}`, ({ method, params }) => method === 'turn/completed' && fieldsOf(fieldsOf(params)['turn'])['id'] === id);
  }

  #until(what: string, fits: (message: Fields) => boolean): Promise<Fields> {
    return new Promise((done, fail) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      const look = (): void => {
        const found = this.#said.find(fits);
        if (!found) return;
        end();
        done(found);
      };
      const timer = setTimeout(() => {
        end();
        fail(new Error(`Codex's app-server did not answer: ${what}`));
      }, patience);
      this.#waiting.add(look);
      look();
    });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async #close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGTERM'), 4_000);
    await exit;
    clearTimeout(timer);
  }
}
