import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answers, Method, Params } from '@shared/contract';
import type { PlanRefusal, PlanView } from '@shared/model';
import { afterEach, expect, test } from 'vitest';
import { type FixtureFamily, openFixture } from '../../../e2e/fixtures';
import { type RunningEngine, startEngine } from '../engine';
import { Indexer } from '../indexing/indexer';
import { readStores, stores } from '../stores';
import { stateOf } from './home.test-support';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function opened(family: FixtureFamily, name: string) {
  const fixture = openFixture(family, name);
  const folder = mkdtempSync(join(tmpdir(), 'retrace-restore-'));
  const file = join(folder, 'library.db');
  const { home } = fixture;
  const engine: RunningEngine = startEngine({ file, home, stores, locks: join(folder, 'locks'), bounds: { confined: true }, index: (events) => new Indexer({ file, options: { home }, home: '/nobody', watch: false }, readStores, events) }, () => undefined);
  ends.push(async () => {
    await engine.close();
    fixture.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  // The answer is the one the contract names for the method.
  const ask = async <M extends Method>(method: M, params: Params<M>): Promise<Answers[M]> => (await (engine.methods[method] as (request: unknown, call: { signal: AbortSignal }) => unknown)(params, { signal: new AbortController().signal })) as Answers[M];
  await ask('index.run', {});
  const listed = async () => (await ask('session.list', { filter: { archived: 'include' }, sort: 'created', from: 0, count: 100 })).sessions;
  return { home, folder, ask, listed };
}

const drawn = (view: PlanView | PlanRefusal | null): PlanView => {
  if (view === null || !('id' in view)) throw new Error(view?.refused ?? 'no plan');
  return view;
};

test('Claude Code: what it deleted comes back byte for byte, with subagents and saved outputs, and goes again', async () => {
  const { home, ask, listed } = await opened('claude-code', 'agents');
  const projects = join(home, '.claude/projects');
  const before = Object.fromEntries(Object.entries(stateOf(projects)).map(([path, state]) => [path, state.split(' ').at(-1)]));
  rmSync(projects, { recursive: true });
  mkdirSync(projects);
  await ask('index.run', {});
  const [session] = (await listed()).filter(({ kind }) => kind === 'session');
  expect(session?.source).toBe('gone');
  const plan = drawn(await ask('plan.restore', { session: session?.id ?? '' }));
  expect(plan.title).toBe('Bring back "Please survey the repo with helpers"');
  expect(plan.steps.map((step) => (step.kind === 'file' ? step.path.slice(projects.length + 1).replace(/^[^/]+\/ac464ab6-da7a-4724-bdcd-ef89b67cc317/, '~') : '')).sort()).toEqual([
    '~.jsonl', '~/subagents/agent-a0f5bb3410d20be6c.jsonl', '~/subagents/agent-a0f5bb3410d20be6c.meta.json', '~/subagents/agent-a2b5aeb2c67dfaa4e.jsonl', '~/subagents/agent-a2b5aeb2c67dfaa4e.meta.json',
    '~/subagents/agent-ac56de977359ed615.jsonl', '~/subagents/agent-ac56de977359ed615.meta.json', '~/subagents/agent-ade9958cbcb27e428.jsonl', '~/subagents/agent-ade9958cbcb27e428.meta.json', '~/tool-results/bow6v1i31.txt',
  ]);
  expect(await ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  expect(Object.fromEntries(Object.entries(stateOf(projects)).map(([path, state]) => [path, state.split(' ').at(-1)]))).toEqual(before);
  expect((await listed()).every(({ source }) => source === 'present')).toBe(true);
  const undo = drawn(await ask('plan.undo', { entry: plan.id }));
  expect(await ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
  expect(stateOf(projects)).toEqual({});
});

test('Codex: a rollout comes back to the folder of its day', async () => {
  const { home, ask, listed } = await opened('codex', 'compaction');
  const sessions = join(home, '.codex/sessions');
  const kept = join(home, 'kept');
  cpSync(sessions, kept, { recursive: true });
  rmSync(sessions, { recursive: true });
  mkdirSync(sessions);
  rmSync(join(home, '.codex/state_5.sqlite'), { force: true });
  await ask('index.run', {});
  const gone = (await listed()).filter(({ source }) => source === 'gone');
  expect(gone.length).toBeGreaterThan(0);
  for (const { id } of gone) expect(await ask('plan.apply', { plan: drawn(await ask('plan.restore', { session: id })).id })).toMatchObject({ applied: true });
  const hashes = (folder: string) => Object.fromEntries(Object.entries(stateOf(folder)).filter(([, state]) => state !== 'folder').map(([path, state]) => [path, state.split(' ').at(-1)]));
  expect(hashes(sessions)).toEqual(hashes(kept));
});

test('what lies in the trash is brought back from there, with its checkpoints', async () => {
  const { ask, listed, home } = await opened('claude-code', 'rewind');
  const before = stateOf(join(home, '.claude'));
  const [session] = await listed();
  const trash = drawn(await ask('plan.act', { session: session?.id ?? '', act: 'trash' }));
  expect(await ask('plan.apply', { plan: trash.id })).toMatchObject({ applied: true });
  expect(await ask('plan.restore', { session: session?.id ?? '' })).toEqual({ refused: `It lies in the trash of Retrace: bring it back from there, with all that went along (retrace undo ${trash.id}).`, instead: [] });
  expect(await ask('plan.apply', { plan: drawn(await ask('plan.undo', { entry: trash.id })).id })).toMatchObject({ applied: true });
  expect(stateOf(join(home, '.claude'))).toEqual(before);
});

test('a session that is there, and one of a database, are not brought back', async () => {
  const { ask, listed } = await opened('opencode', 'v118-main');
  const [session] = await listed();
  expect(await ask('plan.restore', { session: session?.id ?? '' })).toEqual({ refused: 'OpenCode still has it.', instead: [] });
});

test('an export of OpenCode goes on in the database that OpenCode reads', async () => {
  const { ask, listed } = await opened('opencode', 'v118-share-import');
  const imported = drawn(await ask('plan.import', { from: join(import.meta.dirname, '../../../e2e/fixtures/import/ses_e2b38726bffec1bGQpB4nw029f.json') }));
  expect(await ask('plan.apply', { plan: imported.id })).toMatchObject({ applied: true });
  const session = (await listed()).find(({ agent }) => agent === 'retrace');
  const plan = drawn(await ask('plan.fork', { session: session?.id ?? '' }));
  expect(plan).toMatchObject({ kind: 'continue', agent: 'opencode', refused: null, way: 'New rows in OpenCode’s database: no program has it open, and every column of its tables is known.' });
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['rows', 'library']);
  const outcome = await ask('plan.apply', { plan: plan.id });
  expect(outcome).toMatchObject({ applied: true });
  const made = (await listed()).find(({ id }) => id === (outcome?.applied ? outcome.entry.result : null));
  expect(made).toMatchObject({ agent: 'opencode', counts: { ...session?.counts, parts: 14 }, source: 'present' });
});

test('an imported session goes on in the store of its agent', async () => {
  const { ask, listed, home } = await opened('claude-code', 'killed');
  const other = openFixture('claude-code', 'fork');
  const file = join(other.home, '.claude/projects/-home-dev-projects-demo/8c79ba69-f3c3-4e6e-8769-51c5ae17641c.jsonl');
  expect(existsSync(file)).toBe(true);
  const imported = drawn(await ask('plan.import', { from: file }));
  expect(await ask('plan.apply', { plan: imported.id })).toMatchObject({ applied: true });
  const session = (await listed()).find(({ agent }) => agent === 'retrace');
  const prompts = (await ask('revert.points', { session: session?.id ?? '', from: 0, count: 10 }))?.points ?? [];
  const inside = drawn(await ask('plan.fork', { session: session?.id ?? '', at: prompts[1]?.message ?? '', way: 'library' }));
  expect(inside.title).toMatch(/^Fork ".*" before turn 2, in the library$/);
  const forked = await ask('plan.apply', { plan: inside.id });
  const copy = (await listed()).find(({ id }) => id === (forked?.applied ? forked.entry.result : null));
  expect(copy).toMatchObject({ agent: 'retrace', nativeId: session?.nativeId, counts: { user: 1 } });
  expect(copy?.id).not.toBe(session?.id);
  expect((await ask('session.get', { session: copy?.id ?? '' }))?.imported).toMatchObject({ kind: 'fork', from: session?.id });
  const plan = drawn(await ask('plan.fork', { session: session?.id ?? '' }));
  expect(plan).toMatchObject({ kind: 'continue', agent: 'claude-code', refused: null });
  const outcome = await ask('plan.apply', { plan: plan.id });
  expect(outcome).toMatchObject({ applied: true });
  const made = (await listed()).find(({ id }) => id === (outcome?.applied ? outcome.entry.result : null));
  expect(made).toMatchObject({ agent: 'claude-code', counts: session?.counts, source: 'present' });
  const written = outcome?.applied ? outcome.entry.written.filter((path) => path.endsWith('.jsonl')) : [];
  expect(written[0]?.startsWith(join(home, '.claude/projects'))).toBe(true);
  expect(readFileSync(written[0] ?? '', 'utf8').split('\n').length).toBeGreaterThan(5);
  other.dispose();
});
