import { afterEach, expect, test } from 'vitest';
import { nativeId } from '@shared/model';
import { PlanHome } from './home.test-support';
import { copyOfSession } from './rows.test-support';

const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

test('where a fork comes from is kept by the library, outlives its own edges made anew, and goes with an undo', async () => {
  const home = await PlanHome.open('opencode', 'v118-main');
  opened.push(home);
  const step = copyOfSession(home.home, 'y1');
  const child = nativeId(String([...(step.inserts[0]?.rows() ?? [])][0]?.['id']));
  const parent = nativeId(child.slice(0, -2));
  // Another parent than the one that comparing finds: of two that fit, the library knows.
  const told = nativeId((await home.ask('session.list', { filter: {}, sort: 'created', from: 0, count: 100 })).sessions.map(({ nativeId: native }) => native).find((native) => native !== parent) ?? '');
  const plan = await home.plan([step, { kind: 'library', fact: { type: 'lineage', child, parent: told, after: null }, does: 'Keeps in the library where it was forked from.' }], { session: child });
  expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  const edge = { id: `opencode/${told}`, kind: 'fork', certainty: 'recorded', evidence: 'Forked with Retrace' };
  expect((await home.ask('session.get', { session: plan.result ?? '' }))?.summary.parent).toEqual(edge);
  // A later copy changes the family, and a pass compares it anew.
  const later = await home.plan([copyOfSession(home.home, 'y2')]);
  expect(await home.ask('plan.apply', { plan: later.id })).toMatchObject({ applied: true });
  await home.restart();
  expect((await home.ask('session.get', { session: plan.result ?? '' }))?.summary.parent).toEqual(edge);
  const undo = await home.undo(plan.id);
  expect(undo.steps.map((each) => (each.kind === 'library' ? each.does : each.kind))).toEqual(['Takes out of the library where the session was forked from.', 'rows']);
  expect(await home.ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
});
