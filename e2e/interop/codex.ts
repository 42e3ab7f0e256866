import { join } from 'node:path';
import { run } from './child';
import { CodexAppServer } from './codex-app-server';
import type { Conversation, Rule } from './mock/script';
import { fieldsOf, listOf } from './mock/fields';
import { responses } from './mock/responses';
import { MockModel } from './mock/server';
import { Place } from './place';
import { commandOf } from './programs';

/** The base instructions of this home: Codex sends them before all else and keeps them in no line. */
const instructions = 'You are a coding agent. Keep answers short.';

/** What a list is asked for so that it leaves nothing out. */
const everything = { modelProviders: [], cursor: null, limit: 100, sourceKinds: ['cli', 'vscode', 'exec', 'appServer', 'unknown'] };

/** Codex with a home and a model of its own. */
export class Codex {
  private constructor(
    readonly place: Place,
    readonly model: MockModel,
    private readonly cwd = place.project,
  ) {}

  static async open(rules: (project: string) => Rule[], project?: string): Promise<Codex> {
    const place = new Place('codex', { MOCK_API_KEY: 'none' }, project);
    const model = await MockModel.start(responses, rules(place.project));
    const base = place.write('.codex/base.md', `${instructions}\n`);
    place.write('.codex/config.toml', [
      'model = "gpt-5.5"', 'model_provider = "mock"', 'approval_policy = "never"', 'sandbox_mode = "danger-full-access"', 'check_for_update_on_startup = false', `model_instructions_file = "${base}"`,
      '[model_providers.mock]', 'name = "Mock"', `base_url = "${model.address}/v1"`, 'env_key = "MOCK_API_KEY"', 'wire_api = "responses"', 'request_max_retries = 1', 'stream_max_retries = 1',
      `[projects."${place.project}"]`, 'trust_level = "trusted"', '[notice.model_migrations]', '"gpt-5.5" = "gpt-6-sol"', '',
    ].join('\n'));
    return new Codex(place, model);
  }

  /** The same Codex in another folder. */
  in(folder: string): Codex {
    return new Codex(this.place, this.model, folder);
  }

  get folder(): string {
    return join(this.place.home, '.codex');
  }

  /** One headless run; the thread it went on in. */
  async say(prompt: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(commandOf('codex'), ['exec', ...args, prompt], { cwd: this.cwd, env: this.place.env });
    const id = /session id: ([0-9a-f-]{36})/.exec(stderr + stdout)?.[1];
    if (code !== 0 || id === undefined) throw new Error(`codex exec ${args.join(' ')} ended with ${code}:\n${stdout.slice(-1_000)}\n${stderr.slice(-2_000)}`);
    return id;
  }

  /** A thread in the older form, which releases before 0.148 wrote and this one goes on with. */
  startOlderForm(prompts: readonly string[]): Promise<string> {
    return this.withAppServer(async (server) => {
      const id = String(fieldsOf((await server.ask('thread/start', { cwd: this.place.project, historyMode: 'legacy' }))['thread'])['id']);
      for (const prompt of prompts) await server.say(id, prompt);
      return id;
    });
  }

  /** Makes the store, with a thread of its own in it. */
  async begin(): Promise<void> {
    await this.say('begin');
  }

  /** Goes on with a thread in a process of its own; what the model was sent. */
  async continue(thread: string, prompt: string): Promise<Conversation[]> {
    const turns = await this.model.turnsDuring(async () => {
      const went = await this.say(prompt, 'resume', thread);
      if (went !== thread) throw new Error(`Codex went on in ${went}, not in ${thread}`);
    });
    return turns.map((turn) => ({ ...turn, pieces: turn.pieces.filter((piece) => piece !== `system ${instructions}`) }));
  }

  /** Ids and names of the threads that are not archived, or of those that are. */
  names(archived = false): Promise<{ id: unknown; name: unknown }[]> {
    return this.withAppServer(async (server) => listOf((await server.ask('thread/list', { ...everything, archived }))['data']).map(({ id, name }) => ({ id, name })));
  }

  /** The threads Codex lists, and what it reads of them. */
  list(): Promise<{ id: string; forkedFrom: unknown; turns: number }[]> {
    return this.withAppServer(async (server) => {
      const { data } = await server.ask('thread/list', { ...everything, archived: false });
      const read: { id: string; forkedFrom: unknown; turns: number }[] = [];
      for (const { id } of listOf(data)) {
        const thread = fieldsOf((await server.ask('thread/read', { threadId: id, includeTurns: true }))['thread']);
        read.push({ id: String(id), forkedFrom: thread['forkedFromId'], turns: listOf(thread['turns']).length });
      }
      return read;
    });
  }

  withAppServer<T>(work: (server: CodexAppServer) => Promise<T>): Promise<T> {
    return CodexAppServer.with(commandOf('codex'), { cwd: this.place.project, env: this.place.env }, work);
  }

  async close(): Promise<void> {
    await this.model.close();
    this.place.dispose();
  }
}
