import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Shelf } from '../stores/acceptance';
import { aiderWith, written } from '../stores/aider/fixture-home.test-support';
import { claudeCode } from '../stores/claude-code';
import { codex } from '../stores/codex';
import { Paginated } from '../stores/codex/home.test-support';
import type { SessionStore } from '../stores/store';

/** An agent that keeps a session in a text file, with a way to write one by hand. */
export interface TextAgent {
  agent: string;
  store: SessionStore;
  /** Of session n, relative to the home. */
  place(n: number): string;
  /** A name for that file in damage. */
  named(n: number): string;
  /** The same for a place inside the file. */
  source(n: number): string;
  /** The file of a session in which the person says these things and is answered `Yes: …`; in lines without their ends. */
  lines(n: number, prompts: string[]): string[];
}

export const idOf = (n: number): string => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;

export const claudeLine = (n: number, uuid: string, parent: string | null, role: 'user' | 'assistant', text: string, timestamp: unknown = '2026-11-29T12:00:00.000Z'): string =>
  JSON.stringify({
    parentUuid: parent, isSidechain: false, userType: 'external', cwd: '/home/dev/app', sessionId: idOf(n), version: '2.1.332', type: role,
    message: role === 'user' ? { role, content: text } : { id: `msg_${uuid}`, type: 'message', role, model: 'claude-opus-4-6', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
    uuid, ...(timestamp === undefined ? {} : { timestamp }),
  });

const claude: TextAgent = {
  agent: 'Claude Code', store: claudeCode,
  place: (n) => `.claude/projects/-home-dev-app-${n}/${idOf(n)}.jsonl`,
  named: (n) => `projects/-home-dev-app-${n}/${idOf(n)}.jsonl`,
  source: (n) => `projects/-home-dev-app-${n}/${idOf(n)}.jsonl`,
  lines: (n, prompts) => prompts.flatMap((prompt, at) => [
    claudeLine(n, `${n}-u${at}`, at === 0 ? null : `${n}-a${at - 1}`, 'user', prompt),
    claudeLine(n, `${n}-a${at}`, `${n}-u${at}`, 'assistant', `Yes: ${prompt}`),
  ]),
};

const codexPlace = (n: number) => `sessions/2026/11/${String(n).padStart(2, '0')}/rollout-2026-11-29T15-53-01-${idOf(n)}.jsonl`;
const codexAgent: TextAgent = {
  agent: 'Codex', store: codex,
  place: (n) => `.codex/${codexPlace(n)}`,
  named: codexPlace,
  source: (n) => basename(codexPlace(n)),
  lines: (n, prompts) => prompts.reduce((file, prompt) => file.turn(prompt, `Yes: ${prompt}`), new Paginated(idOf(n))).lines,
};

const aider: TextAgent = {
  agent: 'Aider', store: aiderWith([1, 2, 3].map((n) => `app-${n}`)),
  place: (n) => `app-${n}/.aider.chat.history.md`,
  named: () => '.aider.chat.history.md',
  source: () => '.aider.chat.history.md',
  lines: (n, prompts) => `${written.run(`2026-11-2${n} 12:00:00`)}${prompts.map((prompt) => written.ask(prompt) + written.answer(`Yes: ${prompt}`)).join('')}`.replace(/\n$/, '').split('\n'),
};

export const textAgents: TextAgent[] = [claude, codexAgent, aider];
export const lineAgents: TextAgent[] = [claude, codexAgent];
export { claude as claudeAgent };

/** A home made by hand; what it holds goes with it. */
export class WrittenHome {
  readonly #folder = mkdtempSync(join(tmpdir(), 'retrace-home-'));
  readonly path = join(this.#folder, 'home');
  readonly #shelves: Shelf[] = [];

  constructor(readonly agent: TextAgent) {
    mkdirSync(this.path);
  }

  get folder(): string {
    return this.#folder;
  }

  file(n: number): string {
    return join(this.path, this.agent.place(n));
  }

  write(n: number, content: string | Uint8Array): string {
    mkdirSync(dirname(this.file(n)), { recursive: true });
    writeFileSync(this.file(n), content);
    return this.file(n);
  }

  say(n: number, ...prompts: string[]): string {
    return this.write(n, `${this.agent.lines(n, prompts).join('\n')}\n`);
  }

  shelf(store = this.agent.store): Shelf {
    const shelf = new Shelf(this.path, store);
    this.#shelves.push(shelf);
    return shelf;
  }

  async read(store = this.agent.store): Promise<Shelf> {
    const shelf = this.shelf(store);
    await shelf.pass();
    return shelf;
  }

  dispose(): void {
    for (const shelf of this.#shelves) shelf.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function inWrittenHome(agent: TextAgent, check: (home: WrittenHome) => Promise<void>): Promise<void> {
  const home = new WrittenHome(agent);
  try {
    await check(home);
  } finally {
    home.dispose();
  }
}

/** What was said in each session, in order. */
export const said = (shelf: Shelf): string[][] =>
  shelf.content().map(({ parts }) => parts.filter(({ kind, injected }) => kind === 'text' && !injected).map(({ text }) => text?.text.trim() ?? ''))
    .sort((a, b) => (a.join() < b.join() ? -1 : 1));

export const answered = (...prompts: string[]): string[] => prompts.flatMap((prompt) => [prompt, `Yes: ${prompt}`]);

/** Everything the library knows to be damaged, as `place:line reason`. */
export const damageIn = (shelf: Shelf): string[] =>
  (shelf.library.db.prepare('SELECT place, line, reason FROM damage ORDER BY place, line, reason').all() as { place: string; line: number | null; reason: string }[])
    .map(({ place, line, reason }) => `${place}${line === null ? '' : `:${line}`} ${reason}`);

/** Root may read everything: for a while the test is nobody. */
export async function asOrdinaryUser<T>(action: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return action();
  process.seteuid?.(65_534);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
  }
}
