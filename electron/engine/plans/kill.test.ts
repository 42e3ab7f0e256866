import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HookPoint } from './disk/machine';
import { PlanHome, stateOf } from './home.test-support';
import { databaseState } from './rows.test-support';

/**
 * kill -9 at every place of an apply, and at moments nobody chose: the store is as before or as after, and the next
 * start says which (reliability of writes). The process that is ended is a real one, with an engine of its own.
 */
const root = resolve(import.meta.dirname, '../../..');
let bundle = '';
let child = '';

beforeAll(async () => {
  // Inside the checkout, so that the database's addon is found.
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  bundle = mkdtempSync(join(root, 'node_modules/.cache/kill-'));
  await build({
    configFile: false, root, logLevel: 'error', resolve: { alias: { '@shared': join(root, 'shared') } },
    build: { ssr: join(import.meta.dirname, 'kill.test-support.ts'), outDir: bundle, emptyOutDir: false, minify: false, target: 'node22', rollupOptions: { output: { entryFileNames: 'child.mjs' } } },
    ssr: { external: ['better-sqlite3'], noExternal: true },
  });
  child = join(bundle, 'child.mjs');
}, 120_000);
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

/**
 * Every place and 25 moments in the slow run. Each costs a process, a start and an undo, so the usual run ends it once in
 * each state the next start has to tell apart: nothing changed yet, a part changed (by each kind of step), all changed.
 */
const isSlow = process.env['RETRACE_SLOW'] === '1';
const usual = new Set<string>(['staged', 'appended', 'rows-inserted', 'rows-committed', 'changed', 'renamed:2', 'removed']);

/** Where it is ended, and what the next start says of it. */
const adds: [HookPoint, string][] = [
  ['journaled', 'failed'], ['backed-up', 'failed'], ['staged', 'failed'], ['all-staged', 'failed'], ['changing', 'failed'], ['renamed', 'failed'], ['appending', 'failed'], ['appended', 'failed'],
  ['rows-inserted', 'failed'], ['rows-committed', 'failed'], ['changed', 'applied'], ['verified', 'applied'], ['applied', 'applied'],
];
const changed: [HookPoint | `${HookPoint}:${number}`, string][] = [
  ['backed-up', 'failed'], ['staged:2', 'failed'], ['changing', 'failed'], ['renamed', 'interrupted'], ['renamed:2', 'interrupted'], ['renamed:3', 'interrupted'], ['removed', 'interrupted'],
  ['renamed:4', 'applied'], ['changed', 'applied'], ['verified', 'applied'], ['applied', 'applied'],
];

const whole = (home: PlanHome) => ({ project: stateOf(home.project), rows: databaseState(home.home) });
type Whole = ReturnType<typeof whole>;

async function preparedHome(): Promise<PlanHome> {
  const home = await PlanHome.open('opencode', 'v118-main');
  mkdirSync(home.project, { recursive: true });
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(home.project, `${name}.txt`), `${name}\n`);
  await home.engine.close();
  return home;
}

/** Applies in a process of its own; `hook` ends it there, `after` so many ms after it began. Gives the plan's name. */
async function applied(home: PlanHome, kind: 'add' | 'change', mark: string, { hook, after }: { hook?: string; after?: number }): Promise<string> {
  const running = spawn(process.execPath, [child, home.home, home.library, kind, mark], { env: { ...process.env, ...(hook !== undefined && { RETRACE_PLAN_HOOK: hook }) }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let wrong = '';
  running.stderr.on('data', (data: Buffer) => (wrong += data.toString()));
  const ready = new Promise<string>((done) => running.stdout.on('data', (data: Buffer) => {
    out += data.toString();
    if (out.includes('\n')) done(out);
  }));
  const ended = new Promise<void>((done) => running.once('exit', () => done()));
  await Promise.race([ready, ended]);
  if (!out.startsWith('ready ')) throw new Error(`the process did not begin: ${wrong}`);
  if (after !== undefined) {
    await delay(after);
    running.kill('SIGKILL');
  }
  await ended;
  if (hook !== undefined && out.includes('true')) throw new Error(`${hook} was never reached`);
  return out.slice(6).split('\n')[0] ?? '';
}

/** Starts Retrace anew and brings the store back to where it was, by what the journal says; tells what it said. */
async function settled(home: PlanHome, id: string, before: Whole, told: string): Promise<string> {
  home.engine = home.start();
  await home.ask('index.run', {});
  const entry = await home.ask('journal.entry', { id });
  const state = entry?.state ?? 'not begun';
  if (state === 'failed') expect(entry?.backups, told).toBe(0);
  if (state === 'failed' || state === 'not begun') expect(whole(home), `${told}: ${state}`).toEqual(before);
  else if (state === 'applied') {
    expect(await home.ask('plan.apply', { plan: (await home.undo(id)).id }), told).toMatchObject({ applied: true });
  } else {
    expect(state, told).toBe('interrupted');
    const go = await home.ask('plan.settle', { entry: id, go: 'back' });
    if (go === null || !('steps' in go)) throw new Error(`${told}: ${go?.refused}`);
    expect(await home.ask('plan.apply', { plan: go.id }), told).toMatchObject({ applied: true });
    expect(await home.ask('journal.entry', { id }), told).toMatchObject({ state: 'undone', undoneBy: go.id });
  }
  expect(whole(home), told).toEqual(before);
  expect(whole(home).rows, told).toMatchObject({ integrity: [{ integrity_check: 'ok' }], foreignKeys: [] });
  expect(readdirSync(home.project).filter((name) => name.includes('retrace')), told).toEqual([]);
  await home.engine.close();
  return state;
}

describe.each([{ kind: 'add' as const, hooks: adds }, { kind: 'change' as const, hooks: changed }])('$kind', ({ kind, hooks }) => {
  test('ended at each place', { timeout: 300_000 }, async () => {
    const home = await preparedHome();
    const before = whole(home);
    for (const [hook, said] of hooks.filter(([place]) => isSlow || usual.has(place))) expect(await settled(home, await applied(home, kind, `k${hook.replace(/\W/g, '')}`, { hook }), before, hook), hook).toBe(said);
    await home.close();
  });

  test('ended at moments nobody chose', { timeout: 900_000 }, async () => {
    const home = await preparedHome();
    const before = whole(home);
    for (let time = 0; time < (isSlow ? 25 : 1); time++) {
      // An apply takes some 100 to 300 ms here.
      const after = Math.random() * 250;
      expect(['not begun', 'failed', 'applied', 'interrupted']).toContain(await settled(home, await applied(home, kind, `r${time}`, { after }), before, `${kind} after ${after} ms`));
    }
    await home.close();
  });
});

test('an interrupted change goes on to its end, and is taken back from there', { timeout: 60_000 }, async () => {
  const home = await preparedHome();
  const before = whole(home);
  const id = await applied(home, 'change', 'on', { hook: 'renamed:2' });
  home.engine = home.start();
  // Whoever asks while the next start still looks at the store is not told that it runs.
  expect((await home.ask('journal.list', { from: 0, count: 10 })).entries).toMatchObject([{ id, state: 'interrupted' }]);
  await home.ask('index.run', {});
  expect(await home.ask('journal.entry', { id })).toMatchObject({ state: 'interrupted', because: ['Retrace ended while it was applied: 2 of 5 steps are done.'], noUndo: 'It did not come to its end: it goes on, or back.' });
  const on = await home.ask('plan.settle', { entry: id, go: 'on' });
  if (on === null || !('steps' in on)) throw new Error(on?.refused);
  expect(on.steps.map((step) => (step.kind === 'file' ? `${step.act} ${step.path.slice(home.project.length + 1)}` : step.kind))).toEqual(['change c.txt', 'delete d.txt', 'create new/e.txt']);
  expect(await home.ask('plan.apply', { plan: on.id })).toMatchObject({ applied: true });
  expect(await home.ask('journal.entry', { id })).toMatchObject({ state: 'applied', noUndo: null });
  expect(Object.keys(stateOf(home.project))).toEqual(['a.txt', 'b.txt', 'c.txt', 'new/', 'new/e.txt']);
  expect(await home.ask('plan.apply', { plan: (await home.undo(id)).id })).toMatchObject({ applied: true });
  expect(whole(home)).toEqual(before);
  await home.close();
});
