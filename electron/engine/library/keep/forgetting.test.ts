import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FixtureFamily, openFixture } from '../../../../e2e/fixtures';
import { inWrittenHome, textAgents } from '../../reliability/home.test-support';
import { stores } from '../../stores';
import { aiderWith } from '../../stores/aider/fixture-home.test-support';
import { KeepHome } from './keep-home.test-support';

async function onFixture(family: FixtureFamily, name: string, check: (home: KeepHome) => Promise<void>): Promise<void> {
  const fixture = openFixture(family, name);
  const home = new KeepHome(fixture.home, family === 'aider' ? [aiderWith(['proj/calc'])] : stores);
  try {
    await home.pass();
    await check(home);
  } finally {
    home.dispose();
    fixture.dispose();
  }
}

const ids = (sessions: readonly { id: string }[]): string[] => sessions.map(({ id }) => id).sort();

describe.each(textAgents)('a session of $agent whose source is gone', (agent) => {
  test('leaves no byte of its words in the file once that is compacted, and the others as they were', () =>
    inWrittenHome(agent, async (written) => {
      written.say(1, 'plain words stay');
      // Letters that one chunk of packed bytes keeps as they are, and the index too.
      const file = written.say(2, 'the quagmirestone word', 'and zephyrlattice again');
      const home = new KeepHome(written.path, [written.agent.store]);
      try {
        await home.pass();
        const [first, second] = home.listed().sort((a, b) => Number(home.hits('quagmirestone').includes(a)) - Number(home.hits('quagmirestone').includes(b))) as [string, string];
        const before = home.session(first);
        expect((await home.plan({ kind: 'sessions', sessions: [second] })).refusals.map(({ reason }) => reason)).toEqual(['still there']);
        rmSync(file);
        await home.pass();
        expect(home.occurrences('quagmirestone')).toBeGreaterThan(0);
        const outcome = await home.forget({ kind: 'sessions', sessions: [second] });
        expect(outcome).toMatchObject({ applied: true, plan: { sessions: 1, onlyCopies: 1, along: 0, descendantsTotal: 0, refusals: [] } });
        expect(outcome.plan.frees.log).toBeGreaterThan(0);
        expect(home.listed()).toEqual([first]);
        expect(home.hits('quagmirestone')).toEqual([]);
        expect(await home.act({ act: 'compact' })).toMatchObject({ done: true, cancelled: false, refusal: null });
        home.library.tidy();
        for (const word of ['quagmirestone', 'zephyrlattice', second.slice(second.indexOf('/') + 1)]) expect(home.occurrences(word), word).toBe(0);
        expect(home.session(first)).toEqual(before);
        expect(home.hits('plain')).toEqual([first, first].slice(0, home.hits('plain').length));
        expect(home.library.db.pragma('integrity_check', { simple: true })).toBe('ok');
        // Should its file come back it is read as any other.
        written.say(2, 'the quagmirestone word', 'and zephyrlattice again');
        await home.pass();
        expect(home.listed()).toHaveLength(2);
      } finally {
        home.dispose();
      }
    }), 60_000);
});

test('subagents go with their session, and cannot go without it', () =>
  onFixture('claude-code', 'agents', async (home) => {
    const main = 'claude-code/ac464ab6-da7a-4724-bdcd-ef89b67cc317';
    const all = home.listed();
    expect(all).toHaveLength(5);
    rmSync(join(home.home, '.claude/projects'), { recursive: true });
    await home.pass();
    const alone = await home.plan({ kind: 'sessions', sessions: [`${main}.agent-a0f5bb3410d20be6c`] });
    expect(alone.refusals.map(({ reason }) => reason)).toEqual(['shared']);
    expect(ids(alone.refusals[0]?.sessions ?? [])).toContain(main);
    const plan = await home.plan({ kind: 'sessions', sessions: [main] });
    expect({ sessions: plan.sessions, along: plan.along, refusals: plan.refusals }).toEqual({ sessions: 5, along: 4, refusals: [] });
    // Saved output lies beside the session and goes with it.
    expect(plan.streams).toBe(10);
    expect((await home.forget({ kind: 'sessions', sessions: [main] })).applied).toBe(true);
    expect(home.known()).toEqual([]);
    for (const table of ['source', 'chunk', 'part', 'record', 'message', 'evidence', 'source_session', 'edge', 'doc', 'gone_since', 'project']) {
      expect([table, home.library.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toEqual([table, 0]);
    }
  }));

describe.each([
  ['claude-code', 'fork'], ['codex', 'fork-tree'], ['field', 'cx-fork-by-reference'], ['field', 'cx-fork-by-copy'], ['opencode', 'v118-main'], ['field', 'oc-fork-shared-child'],
] as const)('forks of %s/%s', (family, name) => {
  test('stay readable when what they were forked from is forgotten, or the forgetting is refused with their names', () =>
    onFixture(family, name, async (home) => {
      const store = { 'claude-code': '.claude', codex: '.codex', opencode: '.local/share/opencode', field: name.startsWith('cx') ? '.codex' : '.local/share/opencode', aider: '', omo: '' }[family];
      const root = join(home.home, store);
      const edges = home.library.db.prepare("SELECT st.key || '/' || e.parent AS parent, st.key || '/' || c.native AS child FROM edge e JOIN session c ON c.id = e.child JOIN store st ON st.id = c.store WHERE e.kind <> 'subagent'").all() as { parent: string; child: string }[];
      expect(edges.length).toBeGreaterThan(0);
      // The store's folder stays, so that its sessions are gone and not only out of sight.
      for (const part of ['projects', 'sessions', 'archived_sessions', 'session_index.jsonl', 'history.jsonl', 'state_5.sqlite', 'opencode.db', 'opencode.db-wal', 'opencode.db-shm', 'storage']) rmSync(join(root, part), { recursive: true, force: true });
      for (const file of home.library.db.prepare("SELECT DISTINCT key FROM source WHERE key LIKE '%.db' OR key LIKE '%.sqlite'").pluck().all() as string[]) rmSync(join(root, file), { force: true });
      await home.pass();
      for (const parent of new Set(edges.map((edge) => edge.parent))) {
        if (!home.known().includes(parent)) continue;
        const others = home.known().filter((id) => id !== parent);
        const before = new Map(others.map((id) => [id, home.session(id)]));
        const plan = await home.plan({ kind: 'sessions', sessions: [parent] });
        if (plan.refusals.length > 0) {
          expect(plan.refusals.every(({ reason, sessions }) => reason === 'shared' && sessions.length > 0), JSON.stringify(plan.refusals)).toBe(true);
          continue;
        }
        const children = new Set(edges.filter((edge) => edge.parent === parent).map(({ child }) => child).filter((child) => home.known().includes(child)));
        expect(plan.descendantsTotal).toBeGreaterThanOrEqual([...children].filter((child) => !plan.named.some(({ id }) => id === child)).length);
        expect((await home.forget({ kind: 'sessions', sessions: [parent] })).applied).toBe(true);
        const left = home.known();
        expect(left).toHaveLength(others.length + 1 - plan.sessions);
        for (const id of left) {
          const { edges: _, ...was } = before.get(id) ?? { edges: [] };
          const { edges: __, ...is } = home.session(id) ?? { edges: [] };
          expect(is, id).toEqual(was);
        }
      }
      expect((await home.act({ act: 'compact' })).done).toBe(true);
      expect(home.library.db.pragma('integrity_check', { simple: true })).toBe('ok');
    }), 60_000);
});

test('runs of one history go together or not at all', () =>
  onFixture('aider', 'basic', async (home) => {
    const all = home.listed();
    expect(all.length).toBeGreaterThan(1);
    await home.exclude('agent', 'aider');
    const plan = await home.plan({ kind: 'sessions', sessions: [all[0] as string] });
    expect(plan.refusals.map(({ reason, total }) => ({ reason, total }))).toEqual([{ reason: 'shared', total: all.length - 1 }]);
    expect((await home.forget({ kind: 'agent', key: 'aider' })).applied).toBe(true);
    expect(home.known()).toEqual([]);
    await home.pass();
    expect(home.known()).toEqual([]);
  }));

test('a plan that is not true any more is refused', () =>
  inWrittenHome(textAgents[0] as (typeof textAgents)[number], async (written) => {
    const file = written.say(1, 'one');
    const home = new KeepHome(written.path, [written.agent.store]);
    try {
      await home.pass();
      const [id] = home.listed() as [string];
      rmSync(file);
      await home.pass();
      const { token } = await home.plan({ kind: 'sessions', sessions: [id] });
      writeFileSync(written.file(1), `${written.agent.lines(1, ['one', 'two']).join('\n')}\n`);
      await home.pass();
      rmSync(written.file(1));
      await home.pass();
      const outcome = await home.act({ act: 'forget', target: { kind: 'sessions', sessions: [id] }, token });
      expect({ applied: outcome.applied, reasons: outcome.plan.refusals.map(({ reason }) => reason) }).toEqual({ applied: false, reasons: ['changed'] });
      expect(home.listed()).toEqual([id]);
      expect(readFileSync(home.file).length).toBeGreaterThan(0);
    } finally {
      home.dispose();
    }
  }));
