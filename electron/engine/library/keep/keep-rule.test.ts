import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { idOf, inWrittenHome, lineAgents, type TextAgent } from '../../reliability/home.test-support';
import { stores } from '../../stores';
import { KeepHome } from './keep-home.test-support';

const [claude] = lineAgents as [TextAgent, TextAgent];
const day = 86_400_000;
const id = (n: number): string => `claude-code/${idOf(n)}`;

test('sessions are due so many days after their source was seen to be gone, and nothing goes by itself', () =>
  inWrittenHome(claude, async (written) => {
    const home = new KeepHome(written.path, [claude.store]);
    const rule = (days: number | null, dryRun = false) => home.act({ act: 'rule', days, dryRun });
    const files = [1, 2, 3].map((n) => written.say(n, `words of ${n}`));
    await home.pass();
    rmSync(files[0] as string);
    await home.pass();
    home.now += 10 * day;
    rmSync(files[1] as string);
    await home.pass();
    expect(await rule(null)).toMatchObject({ days: null, due: { sessions: 0 }, held: 0 });
    // Shown before it is so.
    expect(await rule(10, true)).toMatchObject({ days: 10, due: { sessions: 1, named: [{ id: id(1), goneSince: '2027-01-01T00:00:00.000Z' }] } });
    expect((await home.act({ act: 'figures' })).rule).toMatchObject({ days: null, due: { sessions: 0 } });
    expect(await rule(11)).toMatchObject({ days: 11, due: { sessions: 0 } });
    home.now += day;
    await home.pass();
    const { rule: due } = await home.act({ act: 'figures' });
    expect(due).toMatchObject({ days: 11, due: { sessions: 1, named: [{ id: id(1), gone: true }] } });
    expect(due.due.stored).toBeGreaterThan(0);
    expect(home.listed()).toEqual([id(1), id(2), id(3)]);
    // Its file comes back: its time begins anew.
    written.say(1, 'words of 1');
    await home.pass();
    expect((await home.act({ act: 'figures' })).rule.due.sessions).toBe(0);
    rmSync(files[0] as string);
    await home.pass();
    expect((await home.act({ act: 'figures' })).rule.due.sessions).toBe(0);
    home.now += 11 * day;
    expect((await home.forget({ kind: 'due' })).plan).toMatchObject({ sessions: 2, onlyCopies: 2, refusals: [] });
    expect(home.listed()).toEqual([id(3)]);
    expect((await home.plan({ kind: 'due' })).refusals.map(({ reason }) => reason)).toEqual(['nothing']);
    home.dispose();
  }));

test('what another session descends from is held as long as that one stays', async () => {
  const fixture = openFixture('claude-code', 'fork');
  const home = new KeepHome(fixture.home, stores);
  await home.pass();
  const [edge] = home.library.db.prepare("SELECT 'claude-code/' || e.parent AS parent, 'claude-code/' || c.native AS child, c.native FROM edge e JOIN session c ON c.id = e.child").all() as { parent: string; child: string; native: string }[];
  const { parent, child } = edge as { parent: string; child: string };
  const [folder] = home.library.db.prepare("SELECT key FROM source WHERE key LIKE ?").pluck().all(`%${parent.slice('claude-code/'.length)}.jsonl`) as string[];
  rmSync(join(fixture.home, '.claude', folder as string));
  await home.pass();
  home.now += 40 * day;
  expect(await home.act({ act: 'rule', days: 30, dryRun: false })).toMatchObject({ due: { sessions: 0 }, held: 1 });
  rmSync(join(fixture.home, '.claude/projects'), { recursive: true });
  await home.pass();
  expect(await home.act({ act: 'rule', days: 30, dryRun: false })).toMatchObject({ due: { sessions: 0 }, held: 1 });
  home.now += 30 * day;
  const rule = await home.act({ act: 'rule', days: 30, dryRun: false });
  expect(rule.held).toBe(0);
  expect(rule.due.named.map((session) => session.id)).toEqual(expect.arrayContaining([parent, child]));
  home.dispose();
  fixture.dispose();
});

test('a subagent stays with the session that started it', async () => {
  const fixture = openFixture('claude-code', 'agents');
  const home = new KeepHome(fixture.home, stores);
  await home.pass();
  rmSync(join(fixture.home, '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317'), { recursive: true });
  await home.pass();
  home.now += 40 * day;
  const gone = (await home.act({ act: 'figures' })).sessions.gone;
  expect(gone).toBe(4);
  expect(await home.act({ act: 'rule', days: 30, dryRun: false })).toMatchObject({ due: { sessions: 0 }, held: 4 });
  home.dispose();
  fixture.dispose();
});
