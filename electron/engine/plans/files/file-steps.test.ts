import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RevertTake } from '@shared/model';
import { afterEach, expect, test } from 'vitest';
import { RevertHome } from '../../revert/revert-home.test-support';
import type { FileStep } from '../../stores/store';
import { draftFiles, type FilesDraft } from './file-steps';

const open: RevertHome[] = [];
afterEach(() => open.splice(0).forEach((each) => each.dispose()));

async function rewound(): Promise<RevertHome> {
  const opened = await RevertHome.open('claude-code', 'rewind', 'claude-code');
  open.push(opened);
  return opened;
}

async function drafted(home: RevertHome, turn: number, takes: Record<string, RevertTake> = {}): Promise<FilesDraft> {
  const session = home.session('668bfb69');
  const looked = await home.reverts.looked(session, home.points(session)[turn - 1]?.message ?? '');
  if (looked === null || 'refused' in looked) throw new Error('no point');
  return draftFiles(looked.files, looked.disk, new Map(Object.entries(takes)));
}

const told = (home: RevertHome, { path, before, after }: FileStep) => ({
  path: path.slice(home.home.length + 1), before: before.state === 'present' ? before.bytes : before.state, after: after === null ? null : 'content' in after ? Buffer.concat([...after.content.pieces()]).toString() : 'append',
});

const greet = '/home/dev/projects/demo/greet.js';

test('each file that the session changed after the point is one step, with what is on the disk now as its condition', async () => {
  const home = await rewound();
  const { steps, conflicts, limits } = await drafted(home, 7);
  expect(steps.map((step) => told(home, step))).toEqual([
    { path: 'projects/demo/greet.js', before: 58, after: 'export function salute(name) {\n  return ("hello " + name).toUpperCase() + "!";\n}\n' },
    { path: 'projects/demo/app.js', before: 48, after: 'import { greet } from "./greet.js";\nconsole.log(greet("dev"));\nexport const version = 1;\n' },
  ]);
  for (const step of steps) expect(step.before).toMatchObject({ sha256: createHash('sha256').update(readFileSync(step.path)).digest('hex') });
  expect(steps.every(({ within }) => within === join(home.home, 'projects/demo'))).toBe(true);
  expect({ conflicts, limits }).toEqual({ conflicts: [], limits: [] });
  expect((await drafted(home, 1)).steps.map((step) => told(home, step))).toEqual([{ path: 'projects/demo/greet.js', before: 58, after: null }]);
  expect((await drafted(home, 7, { [greet]: 'mine' })).steps.map(({ path }) => path.slice(-6))).toEqual(['app.js']);
});

test('a file that a person changed waits for a choice, and is never written without one', async () => {
  const home = await rewound();
  home.write('projects/demo/greet.js', 'export function greet(name) {\n  return "hello " + name;\n}\n// mine\n');
  const undecided = await drafted(home, 7);
  expect(undecided.steps.map(({ path }) => path.slice(-6))).toEqual(['app.js']);
  expect(undecided.conflicts).toEqual([{ path: greet, file: join(home.home, 'projects/demo/greet.js'), take: 'undecided', because: undecided.conflicts[0]?.because, disputed: 0, mergeable: true }]);
  const merged = await drafted(home, 7, { [greet]: 'merge' });
  expect(told(home, merged.steps.find(({ path }) => path.endsWith('greet.js')) as FileStep).after).toBe('export function salute(name) {\n  return ("hello " + name).toUpperCase() + "!";\n}\n// mine\n');
  // A choice names it as recorded, or as it lies here.
  const taken = await drafted(home, 7, { [join(home.home, 'projects/demo/greet.js')]: 'checkpoint' });
  expect(told(home, taken.steps.find(({ path }) => path.endsWith('greet.js')) as FileStep).after).toBe('export function salute(name) {\n  return ("hello " + name).toUpperCase() + "!";\n}\n');
  expect((await drafted(home, 7, { [greet]: 'mine' })).steps).toHaveLength(1);
});

test('what was not there before cannot be merged, and stays with its reason', async () => {
  const home = await rewound();
  home.write('projects/demo/greet.js', '// mine\n');
  const { steps, conflicts, limits } = await drafted(home, 1, { [greet]: 'merge' });
  expect({ steps, conflicts: conflicts.map(({ take, mergeable }) => ({ take, mergeable })), limit: limits[0] }).toEqual({
    steps: [], conflicts: [{ take: 'merge', mergeable: false }], limit: 'greet.js stays as it is: It cannot be merged: it was not there before, or is no text.',
  });
});

test('a place that both changed is marked when it is merged', async () => {
  const home = await rewound();
  home.write('projects/demo/greet.js', 'export function greet(name) {\r\n  return "good day " + name;\r\n}\r\n');
  const { steps, conflicts } = await drafted(home, 7, { [greet]: 'merge' });
  expect(conflicts[0]).toMatchObject({ take: 'merge', mergeable: true });
  expect(conflicts[0]?.disputed).toBe(1);
  const text = told(home, steps.find(({ path }) => path.endsWith('greet.js')) as FileStep).after ?? '';
  expect(text).toContain('<<<<<<< now\r\n');
  expect(text).toContain('  return "good day " + name;\r\n');
  expect(text).toMatch(/>>>>>>> before the message\r?\n/);
});

test('a link is never a step, nor what lies in another folder', async () => {
  const home = await rewound();
  const outside = join(home.home, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'greet.js'), 'not the project\n');
  const file = join(home.home, 'projects/demo/greet.js');
  unlinkSync(file);
  symlinkSync(join(outside, 'greet.js'), file);
  const { steps, limits } = await drafted(home, 7);
  expect(steps.map(({ path }) => path.slice(-6))).toEqual(['app.js']);
  expect(limits).toHaveLength(1);
  expect(limits[0]).toMatch(/^greet\.js stays as it is: /);
});
