import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { DraftStep } from '../stores/store';
import { FaultyMachine } from './faults.test-support';
import { changes, creates, PlanHome, present, stateOf } from './home.test-support';
import { copyOfSession, databaseState } from './rows.test-support';

/** The n-th call fails, for every n until a run has no fault (reliability: each end is a typed one, the store as before or as after). */
const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/**
 * Steps between two calls that fail; `npm run test:slow` leaves none out. An apply makes some hundreds of calls, and each
 * that fails costs an apply, a start and an undo: the usual run takes about ten of them, spread over all its phases (a
 * prime, so that the same place of a loop is not met each time).
 */
const stride = process.env['RETRACE_SLOW'] === '1' ? 1 : 67;

async function faultyHome(): Promise<{ home: PlanHome; machine: FaultyMachine }> {
  const machine = new FaultyMachine();
  const home = await PlanHome.open('opencode', 'v118-main', machine);
  opened.push(home);
  mkdirSync(home.project, { recursive: true });
  for (const name of ['a', 'b', 'c']) writeFileSync(join(home.project, `${name}.txt`), `${name}\n`);
  return { home, machine };
}

const stepsIn = (home: PlanHome, mark: string): DraftStep[] => {
  const file = (name: string) => join(home.project, name);
  return [
    changes(home.project, file('a.txt'), 'changed\n'),
    { kind: 'file', path: file('b.txt'), within: home.project, before: present(file('b.txt')), after: { append: Buffer.from('more\n') }, why: 'A line.' },
    { kind: 'file', path: file('c.txt'), within: home.project, before: present(file('c.txt')), after: null, why: 'It goes.' },
    creates(home.project, file('new/deep/d.txt'), 'new\n'),
    { ...copyOfSession(home.home, mark), expects: [] },
    creates(home.project, file('e.txt'), 'last\n'),
  ];
};

const whole = (home: PlanHome) => ({ project: stateOf(home.project), rows: databaseState(home.home) });

describe.each([{ onwards: false, name: 'one call' }, { onwards: true, name: 'every call from one on' }])('$name fails', ({ onwards }) => {
  test('the store is as before or as after, and the end is told', { timeout: 3_600_000 }, async () => {
    const { home, machine } = await faultyHome();
    const before = whole(home);
    const ends = new Map<string, number>();
    for (let call = 1; ; call += stride) {
      const plan = await home.plan(stepsIn(home, `f${call}`));
      expect(plan.refused, `${call}`).toBe(null);
      machine.failAt(call, onwards);
      const outcome = await home.ask('plan.apply', { plan: plan.id }).catch((error: unknown) => ({ threw: String(error) }));
      const fault = machine.failed;
      machine.mend();
      if (outcome === null || 'threw' in outcome) throw new Error(`call ${call} (${fault}): ${outcome?.threw ?? 'no answer'}`);
      // The next start settles what a broken disk left.
      if (onwards) await home.restart();
      const entry = await home.ask('journal.entry', { id: plan.id });
      const end = entry?.state ?? 'not begun';
      ends.set(end, (ends.get(end) ?? 0) + 1);
      const told = `call ${call}, ${fault}: ${JSON.stringify(entry?.because)} ${JSON.stringify(outcome)}`;
      if (end === 'applied') {
        const undo = await home.undo(plan.id);
        expect(undo.refused, told).toBe(null);
        expect(await home.ask('plan.apply', { plan: undo.id }), told).toMatchObject({ applied: true });
      } else if (end === 'interrupted') {
        const back = await home.ask('plan.settle', { entry: plan.id, go: 'back' });
        if (back === null || !('steps' in back)) throw new Error(`${told}: ${back?.refused}`);
        expect(await home.ask('plan.apply', { plan: back.id }), told).toMatchObject({ applied: true });
      } else expect(['failed', 'not begun'], told).toContain(end);
      expect(whole(home), told).toEqual(before);
      expect(readdirSync(home.project).sort(), told).toEqual(['a.txt', 'b.txt', 'c.txt']);
      if (fault === null) break;
    }
    expect(ends.get('failed')).toBeGreaterThan(2);
    expect(ends.get('applied')).toBeGreaterThan(0);
    expect(ends.has('unsettled')).toBe(false);
  });
});

test('a fault while a write is taken back leaves it to be taken back again', { timeout: 300_000 }, async () => {
  const { home, machine } = await faultyHome();
  const before = whole(home);
  for (let call = 1; ; call += stride * 3) {
    const plan = await home.plan(stepsIn(home, `u${call}`));
    expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
    const undo = await home.undo(plan.id);
    machine.failAt(call);
    const outcome = await home.ask('plan.apply', { plan: undo.id });
    const fault = machine.failed;
    machine.mend();
    if (outcome?.applied !== true) {
      expect((await home.ask('journal.entry', { id: plan.id }))?.state, `${call} ${fault}`).toBe('applied');
      expect(await home.ask('plan.apply', { plan: (await home.undo(plan.id)).id }), `${call} ${fault}`).toMatchObject({ applied: true });
    }
    expect(whole(home), `${call} ${fault}`).toEqual(before);
    if (fault === null) break;
  }
});

test('a backup that is gone is named, and nothing is changed', async () => {
  const { home } = await faultyHome();
  const plan = await home.plan([changes(home.project, join(home.project, 'a.txt'), 'x')]);
  await home.ask('plan.apply', { plan: plan.id });
  const folder = `${home.library}.backups/${plan.id}`;
  expect(readdirSync(folder)).toEqual(['0.before']);
  appendFileSync(join(folder, '0.before'), 'damaged');
  const undo = await home.undo(plan.id);
  expect(undo.refused).toBe(`The backup of ${join(home.project, 'a.txt')} is not what was kept.`);
  expect(existsSync(join(home.project, 'a.txt'))).toBe(true);
});
