import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { FileStep } from '../stores/store';
import { PlanHome } from './home.test-support';
import { copyOfSession } from './rows.test-support';

const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Counts how often something is gone through from its beginning. */
function counted<T>(give: () => Iterable<T>): { give: () => Iterable<T>; times: () => number } {
  let times = 0;
  return { give: () => (times++, give()), times: () => times };
}

test('a content of unknown length is gone through once to plan and once to write, and the plan tells its length', async () => {
  const home = await PlanHome.open('claude-code', 'rewind');
  opened.push(home);
  mkdirSync(home.project, { recursive: true });
  // More than is compared for the counts of lines.
  const content = counted(() => [Buffer.alloc(1_500_000, 'a\n'), Buffer.alloc(1_500_000, 'b\n')]);
  const path = join(home.project, 'long.txt');
  const step: FileStep = { kind: 'file', path, within: home.project, before: { state: 'absent' }, after: { content: { size: null, pieces: content.give } }, why: 'A long one.' };
  const plan = await home.plan([step]);
  expect([plan.refused, content.times()]).toEqual([null, 1]);
  expect(plan.steps).toMatchObject([{ act: 'create', after: 3_000_000, added: null }]);
  expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  expect(content.times()).toBe(2);
  expect(readFileSync(path).length).toBe(3_000_000);
});

test('rows are drawn once to plan and once to be put in', async () => {
  const home = await PlanHome.open('opencode', 'v118-main');
  opened.push(home);
  const step = copyOfSession(home.home, 'm1');
  const tables = step.inserts.map((insert) => ({ insert, rows: counted(insert.rows) }));
  const plan = await home.plan([{ ...step, inserts: tables.map(({ insert, rows }) => ({ ...insert, rows: rows.give })) }]);
  expect([plan.refused, ...tables.map(({ rows }) => rows.times())]).toEqual([null, 1, 1, 1]);
  expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  expect(tables.map(({ rows }) => rows.times())).toEqual([2, 2, 2]);
  // Undo asks the backups, not the one who drew it.
  expect(await home.ask('plan.apply', { plan: (await home.undo(plan.id)).id })).toMatchObject({ applied: true });
  expect(tables.map(({ rows }) => rows.times())).toEqual([2, 2, 2]);
});
