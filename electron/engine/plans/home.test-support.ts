import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Answers, Checked, Method } from '@shared/contract';
import type { PlanView } from '@shared/model';
import { type FixtureFamily, openFixture } from '../../../e2e/fixtures';
import { type RunningEngine, startEngine } from '../engine';
import { Indexer } from '../indexing/indexer';
import { stores } from '../stores';
import type { Draft, DraftStep, ExpectedFile, FileContent, FileStep, SessionStore, StoreWriter } from '../stores/store';
import type { Machine } from './disk/machine';

const call = { signal: new AbortController().signal };

export const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
export const text = (content: string): FileContent => ({ size: Buffer.byteLength(content), pieces: () => [Buffer.from(content)] });
export const present = (path: string): ExpectedFile => ({ state: 'present', sha256: sha(readFileSync(path)), bytes: readFileSync(path).length });
export const creates = (within: string, path: string, content: string): FileStep => ({ kind: 'file', path, within, before: { state: 'absent' }, after: { content: text(content) }, why: 'A new file.' });
export const changes = (within: string, path: string, content: string): FileStep => ({ kind: 'file', path, within, before: present(path), after: { content: text(content) }, why: 'A change.' });

/** Every file below a folder with its bits, its time and its bytes; folders by their names. */
export function stateOf(folder: string): Record<string, string> {
  const state: Record<string, string> = {};
  const walk = (path: string, name: string): void => {
    const fact = lstatSync(path);
    if (fact.isDirectory()) {
      if (name !== '') state[`${name}/`] = 'folder';
      for (const child of readdirSync(path).sort()) walk(join(path, child), name === '' ? child : `${name}/${child}`);
    } else if (fact.isSymbolicLink()) state[name] = 'link';
    else state[name] = `${(fact.mode & 0o7777).toString(8)} ${Math.round(fact.mtimeMs)} ${sha(readFileSync(path)).slice(0, 16)}`;
  };
  if (existsSync(folder)) walk(folder, '');
  return state;
}

/** A writer that draws what a test says: the mechanism is tested, not a store's way of forking. */
export function drawingWriter(draw: () => Partial<Draft> & { steps: DraftStep[] }, more: Partial<StoreWriter> = {}): StoreWriter {
  const drafted = (): Draft => ({ way: 'A new file.', limits: [], session: null, ...draw() });
  return {
    forkWays: () => [{ id: 'file', name: 'New file', says: 'A new file.', refused: null }],
    planFork: drafted, planAct: drafted, planRevert: drafted,
    busy: () => ({ busy: null, checked: ['Nobody was looked for.'] }),
    ...more,
  };
}

/** A fixture's home with an engine whose store draws what the test says. */
export class PlanHome {
  readonly project: string;
  writer: StoreWriter = drawingWriter(() => ({ steps: [] }));
  /** Where recorded folders are looked for, from the next start on. */
  maps: { from: string; to: string }[] = [];
  engine: RunningEngine;
  readonly events: string[] = [];
  session = '';

  private constructor(
    readonly home: string,
    readonly library: string,
    readonly agent: string,
    readonly machine: Machine | undefined,
    readonly dispose: () => void,
  ) {
    this.project = join(this.home, 'projects/demo');
    this.engine = this.start();
  }

  static async open(family: FixtureFamily = 'claude-code', name = 'rewind', machine?: Machine): Promise<PlanHome> {
    const fixture = openFixture(family, name);
    const folder = mkdtempSync(join(tmpdir(), 'retrace-plans-'));
    const home = new PlanHome(fixture.home, join(folder, 'library.db'), family, machine, () => {
      fixture.dispose();
      rmSync(folder, { recursive: true, force: true });
    });
    await home.ask('index.run', {});
    await home.firstSession();
    return home;
  }

  /** A home that another process made. */
  static at(home: string, library: string, agent: string, machine: Machine): PlanHome {
    return new PlanHome(home, library, agent, machine, () => undefined);
  }

  async firstSession(): Promise<void> {
    const { sessions } = await this.ask('session.list', { filter: {}, sort: 'created', from: 0, count: 100 });
    this.session = sessions[0]?.id ?? '';
  }

  start(library = this.library): RunningEngine {
    const file = library;
    const own: SessionStore[] = stores.map((store) => (store.agent === this.agent ? Object.create(store, { writer: { get: () => this.writer } }) as SessionStore : store));
    return startEngine(
      { file, home: this.home, stores: own, idle: true, locks: join(dirname(this.library), 'locks'), ...(this.machine && { machine: this.machine }), bounds: { confined: true, maps: this.maps },
        index: (events) => new Indexer({ file, options: { home: this.home }, home: '/nobody', watch: false }, own, events) },
      (name) => this.events.push(name),
    );
  }

  /** Ends the engine in order and starts another, as the next day would. */
  async restart(): Promise<void> {
    await this.engine.close();
    this.engine = this.start();
    await this.ask('index.run', {});
  }

  async ask<M extends Method>(method: M, params: Checked<M>): Promise<Answers[M]> {
    return (await this.engine.methods[method](params, call)) as never;
  }

  /** Draws a fork of these steps. */
  async plan(steps: DraftStep[], draft: Partial<Draft> = {}): Promise<PlanView> {
    this.writer = drawingWriter(() => ({ ...draft, steps }), { ...(this.writer.perform && { perform: this.writer.perform }), busy: this.writer.busy });
    const plan = await this.ask('plan.fork', { session: this.session });
    if (plan === null || !('steps' in plan)) throw new Error(plan?.refused ?? 'no session');
    return plan;
  }

  async undo(entry: string): Promise<PlanView> {
    const plan = await this.ask('plan.undo', { entry });
    if (plan === null || !('steps' in plan)) throw new Error(plan?.refused ?? 'no entry');
    return plan;
  }

  async close(): Promise<void> {
    await this.engine.close();
    this.dispose();
  }
}
