import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../../../e2e/fixtures';
import { Timeline } from '../queries/timeline';
import { Shelf } from '../stores/acceptance';
import { claudeCode } from '../stores/claude-code';
import { Search } from './search';

let fixture: Fixture;
let shelf: Shelf;
let search: Search;
beforeAll(async () => {
  fixture = openFixture('claude-code', 'rewind');
  shelf = new Shelf(fixture.home, claudeCode);
  await shelf.pass();
  search = new Search(shelf.library.db, new Timeline(shelf.library.db, () => claudeCode));
});
afterAll(() => {
  shelf.dispose();
  fixture.dispose();
});

const find = (query: string) => search.run({ query, from: 0, count: 50 }, false);

test('prompts, answers, reasoning, tool input and tool output are found', () => {
  expect(find('salute').hits.map(({ kind, role, state }) => `${role} ${kind} ${state}`)).toContain('user text off-branch');
  expect(find('"A small module is enough"').hits.map(({ kind }) => kind)).toEqual(['reasoning']);
  expect(find('"echo built"').hits.map(({ tool }) => tool)).toEqual(['Bash']);
  expect(find('toUpperCase').hits.map(({ tool }) => tool)).toContain('Edit');
});

test('filters narrow what words find', () => {
  const all = find('greeting').total;
  expect(find('greeting role:user').hits.every(({ role }) => role === 'user')).toBe(true);
  expect(find('greeting role:user').total).toBeLessThan(all);
  expect(find('greeting project:demo').total).toBe(all);
  expect(find('greeting project:other').total).toBe(0);
  expect(find('greeting agent:codex').total).toBe(0);
  expect(find('greeting before:2020').total).toBe(0);
});

test('filters alone list the parts they name', () => {
  const { hits, total } = find('tool:bash');
  expect(total).toBeGreaterThan(0);
  expect(hits.every(({ tool }) => tool === 'Bash')).toBe(true);
  expect(find('before:2020').total).toBe(0);
  expect(find('agent:nobody').total).toBe(0);
  expect(find('').total).toBe(0);
});
