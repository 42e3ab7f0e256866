import { expect, test } from 'vitest';
import { readBoulder } from './boulder';

const boulder = (value: unknown) => readBoulder(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
const work = (id: string, more = {}) => ({ work_id: id, active_plan: `/p/.omo/plans/${id}.md`, plan_name: id, status: 'active', session_ids: [], ...more });

test.each([
  ['', 'The file is empty.'],
  ['{"works":', 'It is no JSON.'],
  ['[]', 'It is JSON, but no object.'],
  ['null', 'It is JSON, but no object.'],
  ['{}', 'It names no plan: Oh-My-OpenCode takes it for absent.'],
  ['['.repeat(100_000), 'It is no JSON.'],
  [`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 'It is nested too deeply to be read.'],
])('%.20s is told and holds no work', (text, problem) => {
  expect(boulder(text)).toMatchObject({ works: [], active: null, problems: [problem] });
});

test('a null entry does not hide the others', () => {
  const { works, problems } = boulder({ works: { a: null, b: work('b'), c: 7, d: work('d', { task_sessions: { 'todo:1': null, 'todo:2': { session_id: 'opencode:ses_1', task_title: 'Two' } } }) } });
  expect(works.map(({ id }) => id)).toEqual(['b', 'd']);
  expect(works[1]?.tasks).toMatchObject([{ key: 'todo:2', title: 'Two', session: { agent: 'opencode', native: 'ses_1' }, status: null }]);
  expect(problems).toEqual([
    'Its work "a" is null: Oh-My-OpenCode takes the whole file for absent because of that.',
    'Its work "c" is no object: Oh-My-OpenCode takes the whole file for absent because of that.',
    'Its task "todo:1" is null.',
  ]);
});

test('works are read before the mirror, and an empty map means none', () => {
  expect(boulder({ active_plan: '/p/.omo/plans/x.md', works: {} })).toEqual({ layout: 'works', works: [], active: null, problems: [] });
  expect(boulder({ active_plan: '/p/.omo/plans/x.md', plan_name: 'x', works: { y: work('y') } }).works.map(({ name }) => name)).toEqual(['y']);
  expect(boulder({ active_plan: '/p/.omo/plans/x.md', works: [1] })).toMatchObject({ layout: 'flat', works: [{ id: null, name: 'x' }], problems: ['Its `works` are no map: the fields of the active work are read instead.'] });
});

test('the active work is the named one, else the newest; times that are none are the oldest', () => {
  const works = { a: work('a', { updated_at: '2026-01-01T00:00:00Z' }), b: work('b', { updated_at: '2026-03-01T00:00:00Z' }), c: work('c', { updated_at: 'yesterday' }) };
  expect(boulder({ active_work_id: 'a', works }).active).toBe('a');
  expect(boulder({ active_work_id: 'nothing', works }).active).toBe('b');
  expect(boulder({ works: { c: works.c } }).active).toBe('c');
});

test('prefixes are stripped, and origins are found under either spelling', () => {
  const { works } = boulder({
    works: { a: work('a', { session_ids: ['opencode:ses_1', 'ses_2', 'codex:x-1', 'ses_2', 5], session_origins: { 'opencode:ses_1': 'direct', 'opencode:ses_2': 'appended' } }) },
  });
  expect(works[0]?.sessions).toEqual([
    { agent: 'opencode', native: 'ses_1', origin: 'direct' },
    { agent: 'opencode', native: 'ses_2', origin: 'appended' },
    { agent: 'codex', native: 'x-1', origin: null },
  ]);
});

test('a worktree, its end and how long it took are read', () => {
  expect(boulder({ works: { a: work('a', { worktree_path: '/p-a', ended_at: '2026-01-01T00:00:01Z', elapsed_ms: 5, status: 'completed' }) } }).works[0]).toMatchObject({
    worktree: '/p-a', ended: '2026-01-01T00:00:01.000Z', elapsedMs: 5, status: 'completed',
  });
});
