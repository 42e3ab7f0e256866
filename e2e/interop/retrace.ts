import { join } from 'node:path';
import type { PlanView, SessionId } from '@shared/model';
import { connectTo } from '../../electron/cli/engine-connection';
import { libraryFile } from '../../electron/engine/library/place';
import { libraryHub } from '../command-line';
import { run } from './child';
import type { Piece } from './mock/script';
import type { Place } from './place';

const commandLine = join(import.meta.dirname, '../../electron/scripts/cli.mjs');

interface ShownPart {
  id: string;
  kind: string;
  text?: string;
  tool?: { name: string; target: string | null; output: string | null };
}

export interface ShownMessage {
  id: string;
  role: string;
  parts: ShownPart[];
}

interface Shown {
  session: { id: SessionId; title: string | null; nativeId: string };
  messages: ShownMessage[];
}

interface ContextDocument {
  parts: { id: string | null; role: string; kind: string; state: string; output?: string; text?: string }[];
}

export interface Listed {
  id: SessionId;
  agent: string;
  nativeId: string;
  title: string | null;
  parent: { id: SessionId; kind: string; certainty: string } | null;
  reverted: boolean;
}

/** A write that was done: the session it made or changed, and the name that takes it back. */
export interface Done {
  session: SessionId;
  native: string;
  undo: string;
  plan: PlanView;
}

/** Retrace as a person uses it on a place: a command line of its own each time. */
export class Retrace {
  constructor(readonly place: Place) {}

  async #json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await run(process.execPath, [commandLine, ...args, '--json'], { cwd: this.place.project, env: this.place.env });
    if (code !== 0) throw new Error(`retrace ${args.join(' ')} ended with ${code}: ${stderr}`);
    // The document is the command's own; docs/cli.md says what stands in it.
    return JSON.parse(stdout) as T;
  }

  list(): Promise<Listed[]> {
    return this.#json('ls');
  }

  async only(agent: string): Promise<Listed> {
    const found = (await this.list()).filter((each) => each.agent === agent);
    if (found.length !== 1 || !found[0]) throw new Error(`${found.length} sessions of ${agent}`);
    return found[0];
  }

  async messages(session: string): Promise<ShownMessage[]> {
    return (await this.#json<Shown>('show', session)).messages;
  }

  /** The prompts of a session, in order. */
  async prompts(session: string): Promise<{ id: string; text: string }[]> {
    return (await this.messages(session)).filter(({ role, parts }) => role === 'user' && parts.some(({ kind }) => kind === 'text')).map(({ id, parts }) => ({ id, text: parts.find(({ kind }) => kind === 'text')?.text ?? '' }));
  }

  async promptThatSays(session: string, words: string): Promise<string> {
    const found = (await this.prompts(session)).find(({ text }) => text.includes(words));
    if (!found) throw new Error(`no prompt with ${words}`);
    return found.id;
  }

  /** What Retrace says the agent would send, piece by piece. */
  async context(session: string, at?: string): Promise<Piece[]> {
    const { parts } = await this.#json<ContextDocument>('context', session, ...(at === undefined ? [] : ['--at', at]));
    const bodies = new Map((await this.messages(session)).flatMap((message) => message.parts.map((part) => [part.id, part] as const)));
    return parts.flatMap(({ id, role, kind, output, text }): Piece[] => {
      const body = id === null ? undefined : bodies.get(id);
      if (body?.tool) return [`call ${body.tool.name}`, `output ${output === 'whole' ? (body.tool.output ?? '') : (text ?? '')}`];
      return [`${kind === 'reasoning' ? 'reasoning' : role} ${text ?? body?.text ?? ''}`];
    });
  }

  /** `worktree`: a folder that is not there yet. */
  fork(session: string, { at, way, title, worktree }: { at?: string; way?: string; title?: string; worktree?: string } = {}): Promise<Done> {
    return this.#written('fork', session, ...(worktree === undefined ? [] : [`--worktree=${worktree}`]), ...(title === undefined ? [] : ['--title', title]), ...(at === undefined ? [] : ['--at', at]), ...(way === undefined ? [] : ['--way', way]));
  }

  revert(session: string, at: string, { scope = 'conversation', way }: { scope?: 'conversation' | 'files' | 'both'; way?: string } = {}): Promise<Done> {
    return this.#written('revert', session, '--at', at, '--scope', scope, ...(way === undefined ? [] : ['--way', way]));
  }

  act(act: 'archive' | 'unarchive' | 'trash' | 'restore', session: string): Promise<Done> {
    return this.#written('session', act, session);
  }

  rename(session: string, title: string): Promise<Done> {
    return this.#written('session', 'rename', session, title);
  }

  async undo(entry: string): Promise<void> {
    await this.#written('undo', entry);
  }

  async #written(...args: string[]): Promise<Done> {
    const { plan, applied, session, undo } = await this.#json<{ plan: PlanView; applied: boolean; session?: SessionId; undo: string }>(...args, '--yes');
    if (!applied) throw new Error(`retrace ${args.join(' ')} was not applied`);
    return done(plan, session ?? plan.session, undo);
  }

  /** Writes a session to a file, with nothing masked. */
  async export(session: string, format: 'bundle' | 'opencode', file: string): Promise<string> {
    await this.#json('export', session, '--format', format, '--no-redact', '--out', file);
    return file;
  }

  /** Asked of an engine in this process, as the page does. */
  async import(from: string): Promise<Done> {
    const leave = enter(this.place.env);
    const connection = connectTo(libraryHub({ home: this.place.home, library: libraryFile({}, this.place.home, process.platform, {}) }));
    try {
      const plan = await connection.engine.call('plan.import', { from });
      if (plan === null || !('steps' in plan)) throw new Error(`Retrace does not import ${from}: ${plan?.refused}`);
      const outcome = await connection.engine.call('plan.apply', { plan: plan.id });
      if (!outcome?.applied) throw new Error(`Retrace did not import ${from}: ${outcome?.refused}`);
      return done(plan, outcome.entry.result, outcome.entry.id);
    } finally {
      await connection.close();
      leave();
    }
  }
}

function done(plan: PlanView, session: SessionId | null, undo: string): Done {
  const id = session ?? ('' as SessionId);
  return { session: id, native: id.slice(id.indexOf('/') + 1), undo, plan };
}

/** The engine in this process sees what a program of its own would see; returns how that ends. */
function enter(env: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env };
  const set = (to: NodeJS.ProcessEnv): void => {
    for (const name of Object.keys(process.env)) if (!(name in to)) delete process.env[name];
    Object.assign(process.env, to);
  };
  set(env);
  return () => set(before);
}
