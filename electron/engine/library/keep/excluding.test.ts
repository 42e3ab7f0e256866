import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FixtureFamily, openFixture } from '../../../../e2e/fixtures';
import { claudeLine, idOf, inWrittenHome, lineAgents, type TextAgent, type WrittenHome } from '../../reliability/home.test-support';
import { stores } from '../../stores';
import type { SessionStore } from '../../stores/store';
import { KeepHome } from './keep-home.test-support';

const [claude] = lineAgents as [TextAgent, TextAgent];

async function onHome(agent: TextAgent, check: (home: KeepHome, written: WrittenHome) => Promise<void>): Promise<void> {
  await inWrittenHome(agent, async (written) => {
    const home = new KeepHome(written.path, [agent.store]);
    try {
      await check(home, written);
    } finally {
      home.dispose();
    }
  });
}

async function onFixture(family: FixtureFamily, name: string, check: (home: KeepHome) => Promise<void>): Promise<void> {
  const fixture = openFixture(family, name);
  const home = new KeepHome(fixture.home, stores);
  try {
    await check(home);
  } finally {
    home.dispose();
    fixture.dispose();
  }
}

/** A transcript of Claude Code in a folder of the person's choice. */
function sayIn(written: WrittenHome, n: number, folder: string, ...prompts: string[]): void {
  const lines = prompts.flatMap((prompt, at) => [
    claudeLine(n, `${n}-u${at}`, at === 0 ? null : `${n}-a${at - 1}`, 'user', prompt),
    claudeLine(n, `${n}-a${at}`, `${n}-u${at}`, 'assistant', `Yes: ${prompt}`),
  ]);
  written.write(n, `${lines.join('\n').replaceAll('/home/dev/app', folder)}\n`);
}

const id = (n: number): string => `claude-code/${idOf(n)}`;

describe('a project that is excluded', () => {
  test('is not read, not found and not listed, and what was read before is kept until it is forgotten', () =>
    onHome(claude, async (home, written) => {
      sayIn(written, 1, '/home/dev/open', 'open words');
      sayIn(written, 2, '/home/dev/closed', 'closed words');
      await home.pass();
      expect(await home.exclude('project', '/home/dev/closed')).toMatchObject({ applied: true, already: false, exclusion: { kind: 'project', key: '/home/dev/closed', name: 'closed', sessions: 1 } });
      expect(await home.exclude('project', '/home/dev/closed')).toMatchObject({ applied: false, already: true });
      expect(await home.exclude('project', 'nowhere')).toBeNull();
      expect(home.listed()).toEqual([id(1)]);
      expect(home.hits('words')).toEqual([id(1), id(1)]);
      // By its name it is opened as before.
      expect(home.session(id(2))?.parts.map(({ text }) => text?.text)).toEqual(['closed words', 'Yes: closed words']);

      sayIn(written, 2, '/home/dev/closed', 'closed words', 'later words');
      sayIn(written, 3, '/home/dev/closed', 'unseenword of a new session');
      const { bytesRead } = await home.pass();
      // Whose a new file is shows when it is read; nothing of it stays.
      expect(bytesRead).toBe(readFileSync(written.file(3)).length);
      expect(home.known()).toEqual([id(1), id(2)]);
      expect(home.session(id(2))?.parts).toHaveLength(2);
      expect(home.indexed('unseenword')).toBe(false);
      // Nor is it read again.
      expect(await home.pass()).toMatchObject({ bytesRead: 0, recordsProjected: 0, partsWritten: 0 });

      const reader: SessionStore = { ...claude.store, reader: claude.store.reader + 1 };
      await home.pass([reader]);
      expect(home.known()).toEqual([id(1), id(2)]);
      expect(home.listed()).toEqual([id(1)]);

      expect(await home.include('project', '/home/dev/closed')).toMatchObject({ applied: true, again: 1 });
      await home.pass([reader]);
      expect(home.listed()).toEqual([id(1), id(2), id(3)]);
      expect(home.session(id(2))?.parts).toHaveLength(4);
      expect(home.hits('unseenword')).toEqual([id(3), id(3)]);
    }));

  test('is forgotten only after that, frees its room, and never touches the store', () =>
    onHome(claude, async (home, written) => {
      sayIn(written, 1, '/home/dev/open', 'open words');
      sayIn(written, 2, '/home/dev/closed', 'marrowfat words');
      await home.pass();
      const target = { kind: 'project', key: '/home/dev/closed' } as const;
      expect((await home.plan(target)).refusals.map(({ reason }) => reason)).toEqual(['not excluded']);
      await home.exclude('project', '/home/dev/closed');
      const before = readFileSync(written.file(2));
      const first = home.session(id(1));
      const plan = await home.plan(target);
      expect(plan).toMatchObject({ sessions: 1, onlyCopies: 0, streams: 1, refusals: [], named: [{ id: id(2), project: 'closed', gone: false }] });
      expect((await home.forget(target)).applied).toBe(true);
      expect(await home.act({ act: 'compact' })).toMatchObject({ done: true });
      home.library.tidy();
      expect(home.occurrences('marrowfat')).toBe(0);
      expect(readFileSync(written.file(2))).toEqual(before);
      expect(home.session(id(1))).toEqual(first);
      // Its file grows and the store is looked at again: nothing comes back.
      sayIn(written, 2, '/home/dev/closed', 'marrowfat words', 'and more');
      expect(await home.pass()).toMatchObject({ bytesRead: 0 });
      expect(home.known()).toEqual([id(1)]);
      expect((await home.plan(target)).refusals.map(({ reason }) => reason)).toEqual(['nothing']);
      await home.include('project', '/home/dev/closed');
      await home.pass();
      expect(home.session(id(2))?.parts).toHaveLength(4);
    }));

  test('with what lies beside its sessions: memory and saved output are neither read nor kept', () =>
    onHome(claude, async (home, written) => {
      sayIn(written, 1, '/home/dev/closed', 'closed words');
      const memory = join(written.path, '.claude/projects/-home-dev-app-1/memory/MEMORY.md');
      mkdirSync(join(memory, '..'), { recursive: true });
      writeFileSync(memory, 'remember tamarisk\n');
      await home.pass();
      expect(home.library.db.prepare("SELECT count(*) FROM source WHERE key LIKE '%MEMORY.md'").pluck().get()).toBe(1);
      await home.exclude('project', '/home/dev/closed');
      appendFileSync(memory, 'and more\n');
      expect((await home.pass()).bytesRead).toBe(0);
      expect((await home.forget({ kind: 'project', key: '/home/dev/closed' })).plan.streams).toBe(2);
      await home.act({ act: 'compact' });
      expect(home.library.db.prepare('SELECT count(*) FROM chunk').pluck().get()).toBe(0);
      appendFileSync(memory, 'and still more\n');
      utimesSync(memory, new Date(), new Date(Date.now() + 5_000));
      expect((await home.pass()).bytesRead).toBe(0);
      expect(existsSync(memory)).toBe(true);
    }));
});

describe.each([
  ['claude-code', 'worktree'], ['claude-code', 'agents'], ['codex', 'fork-tree'], ['opencode', 'v118-main'], ['opencode', 'v11-json'],
] as const)('each project of %s/%s', (family, name) => {
  test('excluded, forgotten and included again gives what was there before', () =>
    onFixture(family, name, async (home) => {
      await home.pass();
      const before = new Map(home.known().map((each) => [each, home.session(each)]));
      for (const key of home.library.db.prepare('SELECT key FROM project').pluck().all() as string[]) {
        await home.exclude('project', key);
        const target = { kind: 'project', key } as const;
        const plan = await home.plan(target);
        const outcome = await home.forget(target);
        expect(outcome.applied, JSON.stringify(plan.refusals)).toBe(plan.refusals.length === 0);
        await home.pass();
        expect(home.known().length).toBe(before.size - (outcome.applied ? plan.sessions : 0));
        await home.include('project', key);
        await home.pass();
        expect(home.known()).toEqual([...before.keys()]);
        for (const [each, was] of before) expect(home.session(each), each).toEqual(was);
      }
      expect(await home.pass()).toMatchObject({ bytesRead: 0, recordsProjected: 0 });
    }), 120_000);

  test('excluded before the first pass is never there', () =>
    onFixture(family, name, async (home) => {
      const other = new KeepHome(home.home, stores);
      await other.pass();
      const keys = other.library.db.prepare('SELECT key, name, folder FROM project').all() as { key: string; name: string; folder: string | null }[];
      const write = home.library.db.prepare("INSERT INTO excluded(kind, key, name, folder, time) VALUES ('project', @key, @name, @folder, 0)");
      for (const row of keys) write.run(row);
      await home.pass();
      expect(home.known()).toEqual([]);
      for (const table of ['chunk', 'part', 'record', 'message', 'doc', 'evidence', 'edge']) expect([table, home.library.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toEqual([table, table === 'chunk' ? chunksOfNobody(home) : 0]);
      for (const { key } of keys) await home.include('project', key);
      await home.pass();
      expect(home.known()).toEqual(other.known());
      for (const each of other.known()) expect(home.session(each), each).toEqual(other.session(each));
      other.dispose();
    }), 120_000);
});

/** Streams without words of anybody: a database as a whole is one. */
const chunksOfNobody = (home: KeepHome): number =>
  (home.library.db.prepare("SELECT count(*) FROM chunk c JOIN source s ON s.id = c.source WHERE s.key LIKE '%.db' AND s.length < 100").pluck().get() as number);

describe('an agent that is excluded', () => {
  test('is not looked at; its sessions leave the lists and come back', () =>
    onFixture('opencode', 'v118-main', async (home) => {
      await home.pass();
      const listed = home.listed();
      await home.exclude('agent', 'opencode');
      expect(home.listed()).toEqual([]);
      expect(home.hits('search')).toEqual([]);
      expect(await home.pass()).toMatchObject({ sourcesSeen: 0, bytesRead: 0 });
      expect((await home.forget({ kind: 'agent', key: 'opencode' })).applied).toBe(true);
      for (const table of ['session', 'source', 'chunk', 'part', 'overlay', 'doc']) expect([table, home.library.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toEqual([table, 0]);
      await home.include('agent', 'opencode');
      await home.pass();
      expect(home.listed()).toEqual(listed);
    }), 60_000);

  test('one store of it can be left out alone', () =>
    onHome(claude, async (home, written) => {
      sayIn(written, 1, '/home/dev/open', 'open words');
      await home.pass();
      await home.exclude('store', 'claude-code');
      rmSync(written.file(1));
      sayIn(written, 2, '/home/dev/open', 'more');
      expect(await home.pass()).toMatchObject({ sourcesSeen: 0 });
      expect(home.listed()).toEqual([]);
      await home.include('store', 'claude-code');
      await home.pass();
      expect(home.listed()).toEqual([id(1), id(2)]);
    }));
});
