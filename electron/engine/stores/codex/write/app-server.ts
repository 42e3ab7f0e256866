import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { asNumber, asObject, asText, type Fields, parsed } from '../../foreign/fields';
import { PerformError } from '../../store';
import { tablesFolder } from '../places';

/** How long an answer may take, in ms: the first start of a release may rebuild its tables. */
const answerWithin = 60_000;
/** How long the program may take to end by itself, in ms. */
const endsWithin = 5_000;
/** Characters kept of what it says on its error output. */
const errorKept = 2_000;

/** This home and its tables, whatever our own surroundings name: a home given by hand must not meet the person's tables. */
function surroundings(home: string): NodeJS.ProcessEnv {
  const { CODEX_SQLITE_HOME: _, ...others } = process.env;
  const tables = tablesFolder(home);
  return { ...others, CODEX_HOME: home, ...(tables === home ? {} : { CODEX_SQLITE_HOME: tables }) };
}

/** A request that Codex refused. */
export class Refused extends Error {
  override name = 'Refused';
}

/** One run of `codex app-server`: JSON lines on its standard streams. It is ended with `close`. */
export class AppServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, { answer(result: Fields): void; fail(error: Error): void }>();
  #next = 1;
  #said = '';
  #ended: Error | null = null;

  private constructor(program: string, home: string, folder: string) {
    this.#child = spawn(program, ['app-server'], { cwd: folder, env: surroundings(home), stdio: 'pipe', windowsHide: true });
    this.#child.on('error', (error) => this.#end(`Codex could not be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#end(`Codex ended (${signal ?? `code ${code}`}) before it answered.`));
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (data: Buffer) => (this.#said = (this.#said + data.toString('utf8')).slice(-errorKept)));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(asObject(parsed(line))));
  }

  /** Starts it on a home, in a folder that is there. */
  static async start(program: string, home: string, folder: string, signal: AbortSignal): Promise<AppServer> {
    const server = new AppServer(program, home, folder);
    const stop = () => server.#child.kill();
    signal.addEventListener('abort', stop, { once: true });
    server.#child.once('exit', () => signal.removeEventListener('abort', stop));
    try {
      await server.ask('initialize', { clientInfo: { name: 'retrace', title: 'Retrace', version: '1' }, capabilities: { experimentalApi: true } });
      server.#send({ jsonrpc: '2.0', method: 'initialized' });
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  ask(method: string, params: Fields): Promise<Fields> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => finish(() => reject(new PerformError(`Codex did not answer ${method} within ${answerWithin / 1000} seconds.`, true))), answerWithin);
      const finish = (settle: () => void) => {
        clearTimeout(limit);
        this.#waiting.delete(id);
        settle();
      };
      this.#waiting.set(id, { answer: (result) => finish(() => resolve(result)), fail: (error) => finish(() => reject(error)) });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    const limit = setTimeout(() => this.#child.kill(), endsWithin);
    await ended;
    clearTimeout(limit);
  }

  #send(message: Fields): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(message: Fields | null): void {
    const id = asNumber(message?.['id']);
    // What Codex asks of us (approvals) does not come up in what is asked of it here.
    if (!message || id === null || message['method'] !== undefined) return;
    const error = asObject(message['error']);
    if (error) this.#waiting.get(id)?.fail(new Refused(asText(error['message']) ?? 'Codex refused without a reason.'));
    else this.#waiting.get(id)?.answer(asObject(message['result']) ?? {});
  }

  #end(reason: string): void {
    const last = this.#said.trim().split('\n').at(-1);
    this.#ended ??= new PerformError(last ? `${reason} It said: ${last}` : reason, true);
    for (const { fail } of this.#waiting.values()) fail(this.#ended);
  }
}
