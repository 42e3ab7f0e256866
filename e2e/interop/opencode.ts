import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ran } from './child';
import { chatCompletions } from './mock/chat-completions';
import { fieldsOf, listOf, textOf } from './mock/fields';
import type { Conversation, Rule } from './mock/script';
import { MockModel } from './mock/server';
import { Place } from './place';
import { commandOf } from './programs';

/** What keeps OpenCode from asking the network for anything. */
const offline = {
  OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1', OPENCODE_DISABLE_EMBEDDED_WEB_UI: '1',
};

/** Milliseconds until a server must listen, and for one answer of it: a machine that does other things is slow, not wrong. */
const patience = 240_000;

/** OpenCode with a home and a model of its own. */
export class OpenCode {
  private constructor(
    readonly place: Place,
    readonly model: MockModel,
    private readonly folder = place.project,
  ) {}

  static async open(rules: (project: string) => Rule[], project?: string): Promise<OpenCode> {
    const place = new Place('opencode', offline, project);
    const model = await MockModel.start(chatCompletions, rules(place.project));
    const each = (name: string): object => ({ name, tool_call: true, reasoning: true, temperature: true, limit: { context: 200_000, output: 8_000 } });
    place.write('.config/opencode/opencode.json', JSON.stringify({
      provider: { mock: { npm: '@ai-sdk/openai-compatible', name: 'Mock', options: { baseURL: `${model.address}/v1`, apiKey: 'none' }, models: { 'mock-1': each('One'), 'mock-2': each('Two') } } },
      model: 'mock/mock-1', small_model: 'mock/mock-2', autoupdate: false, share: 'manual',
    }));
    // OpenCode fetches a package into this folder, for minutes where it cannot; one that looks fetched already stops that.
    const dependencies = { dependencies: { '@opencode-ai/plugin': '*' } };
    mkdirSync(join(place.home, '.config/opencode/node_modules/@opencode-ai/plugin'), { recursive: true });
    place.write('.config/opencode/package.json', JSON.stringify(dependencies));
    place.write('.config/opencode/package-lock.json', JSON.stringify({ packages: { '': dependencies } }));
    // The list of all models that OpenCode brings along takes a run as long as all else it does.
    place.env['OPENCODE_MODELS_PATH'] = place.write('.config/no-models.json', '{}');
    return new OpenCode(place, model);
  }

  get database(): string {
    return join(this.place.home, '.local/share/opencode/opencode.db');
  }

  cli(...args: string[]): Promise<string> {
    return ran(commandOf('opencode'), args, { cwd: this.folder, env: this.place.env });
  }

  /** The same OpenCode in another folder. */
  in(folder: string): OpenCode {
    return new OpenCode(this.place, this.model, folder);
  }

  /** Native ids and titles, as `opencode session list` gives them. */
  async list(): Promise<{ id: string; title: string }[]> {
    return JSON.parse(await this.cli('session', 'list', '--format', 'json')) as { id: string; title: string }[];
  }

  /** Makes the store, with no session in it. */
  async begin(): Promise<void> {
    await this.cli('session', 'list');
  }

  /** Goes on with a session, in a process of its own or by a server that runs; what the model was sent. */
  continue(session: string, prompt: string, server: OpenCodeServer | null = null): Promise<Conversation[]> {
    return this.model.turnsDuring(() => (server ? server.say(session, prompt) : this.cli('run', '-s', session, prompt)));
  }

  /** Starts a server; its `close` ends it. */
  async serve(port = 0): Promise<OpenCodeServer> {
    if (port !== 0) await free(port);
    const child = spawn(commandOf('opencode'), ['serve', '--port', String(port), '--hostname', '127.0.0.1'], { cwd: this.place.project, env: this.place.env, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const url = await addressOf(child);
      await answers(url);
      return new OpenCodeServer(url, this.place.project, () => ended(child));
    } catch (error) {
      await ended(child);
      throw error;
    }
  }

  /** Runs a server of its own while something is done with it. */
  async withServer<T>(work: (server: OpenCodeServer) => Promise<T>): Promise<T> {
    const server = await this.serve();
    try {
      return await work(server);
    } finally {
      await server.close();
    }
  }

  async close(): Promise<void> {
    await this.model.close();
    this.place.dispose();
  }
}

/** OpenCode's own server, asked over HTTP as its clients do. */
export class OpenCodeServer {
  constructor(
    readonly url: string,
    readonly directory: string,
    /** Ends it as Ctrl-C would. */
    readonly close: () => Promise<void>,
  ) {}

  /** The sessions of its folder that it lists, with titles; those in the archive are listed too, as its clients leave them out. */
  async list(): Promise<{ id: string; title: string; archived: boolean }[]> {
    return listOf(await this.#ask('GET', '/session')).map(({ id, title, time }) => ({ id: textOf(id), title: textOf(title), archived: Boolean(fieldsOf(time)['archived']) }));
  }

  async create(): Promise<string> {
    return ((await this.#ask('POST', '/session', {})) as { id: string }).id;
  }

  async say(session: string, text: string): Promise<void> {
    await this.#ask('POST', `/session/${session}/message`, { model: { providerID: 'mock', modelID: 'mock-1' }, parts: [{ type: 'text', text }] });
  }

  /** OpenCode's own fork. */
  async fork(session: string): Promise<string> {
    return ((await this.#ask('POST', `/session/${session}/fork`, {})) as { id: string }).id;
  }

  async delete(session: string): Promise<void> {
    await this.#ask('DELETE', `/session/${session}`);
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const url = new URL(path, this.url);
    url.searchParams.set('directory', this.directory);
    const response = await fetch(url, { method, ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }), signal: AbortSignal.timeout(patience) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }
}

/** Milliseconds a port that somebody has is waited for: another run of these tests lets it go soon. */
const portPatience = 300_000;

async function free(port: number): Promise<void> {
  for (const end = Date.now() + portPatience; ; await new Promise((done) => setTimeout(done, 500))) {
    const probe = createServer();
    const isFree = await new Promise<boolean>((done) => {
      probe.once('error', () => done(false));
      probe.listen(port, '127.0.0.1', () => done(true));
    });
    await new Promise((done) => probe.close(done));
    if (isFree) return;
    if (Date.now() > end) throw new Error(`Port ${port} is taken by another program: OpenCode's server, which Retrace looks for there, cannot be started. End that program and run the tests again.`);
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let said = '';
    const timer = setTimeout(() => fail(new Error(`OpenCode's server did not start: ${said}`)), patience);
    const hear = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      const url = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      done(url);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => {
      clearTimeout(timer);
      fail(new Error(`OpenCode's server ended: ${said.slice(-1_000)}`));
    });
  });
}

/** Milliseconds for one knock: a server's first connections may hang for ever. */
const knock = 2_000;

async function answers(url: string): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    const answer = await fetch(new URL('/global/health', url), { signal: AbortSignal.timeout(knock) }).catch(() => null);
    if (answer?.ok) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`OpenCode's server at ${url} listens, and does not answer.`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((done) => child.once('exit', done));
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGKILL'), 8_000);
  await exit;
  clearTimeout(timer);
}
