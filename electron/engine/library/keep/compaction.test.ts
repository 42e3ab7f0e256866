import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { stores } from '../../stores';
import { openLibrary } from '../database';
import { compact, compactCopy } from './compaction';
import { KeepHome } from './keep-home.test-support';

async function onLibrary(check: (home: KeepHome) => Promise<void>): Promise<void> {
  const fixture = openFixture('opencode', 'v118-main');
  const home = new KeepHome(fixture.home, stores);
  try {
    await home.pass();
    await check(home);
  } finally {
    home.dispose();
    fixture.dispose();
  }
}

const contentOf = (home: KeepHome) => home.known().map((id) => home.session(id));
const filesBeside = (home: KeepHome): string[] => readdirSync(dirname(home.file)).filter((name) => !/-(wal|shm)$/.test(name));

test('the file gets smaller, another connection reads on, and all is as before', () =>
  onLibrary(async (home) => {
    const before = contentOf(home);
    const other = openLibrary(home.file).db;
    const sessions = other.prepare('SELECT count(*) FROM session').pluck();
    expect(sessions.get()).toBe(24);
    home.library.db.exec("CREATE TABLE ballast(data BLOB); INSERT INTO ballast SELECT randomblob(8000) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n); DROP TABLE ballast");
    const { compaction, bytes } = await home.act({ act: 'figures' });
    expect(compaction.free).toBeGreaterThan(3_900_000);
    expect(compaction).toMatchObject({ refusal: null, running: null });
    const outcome = await home.act({ act: 'compact' });
    expect(outcome).toMatchObject({ done: true, before: bytes });
    expect(outcome.after).toBe(statSync(home.file).size);
    expect(outcome.after).toBeLessThan(bytes - 3_900_000);
    expect((await home.act({ act: 'figures' })).compaction.free).toBe(0);
    expect(sessions.get()).toBe(24);
    expect(contentOf(home)).toEqual(before);
    expect(home.progress.map((each) => each?.phase ?? null).filter((phase, at, all) => phase !== all[at - 1])).toEqual(['words', 'copy', 'write', null]);
    expect(home.progress.at(-2)?.total).toBeGreaterThan(0);
    expect(filesBeside(home)).toEqual(['library.db']);
    expect(statSync(home.file).mode & 0o777).toBe(0o600);
    for (const mark of ['application_id', 'user_version', 'page_size', 'journal_mode']) expect(home.library.db.pragma(mark, { simple: true })).toBe(other.pragma(mark, { simple: true }));
    // It goes on being written and searched.
    await home.pass();
    expect(home.hits('endpoint').length).toBeGreaterThan(0);
    other.close();
  }), 60_000);

test('it is refused where the room is not there, and nothing is begun', () =>
  onLibrary(async (home) => {
    const before = statSync(home.file).size;
    const outcome = await compact(home.library, { progress: () => undefined, stopped: () => false, available: () => 1_000_000 });
    expect(outcome).toMatchObject({ done: false, cancelled: false, before: outcome.after });
    expect(outcome.refusal).toMatch(/^There is not enough room in .*: \d+ MB are needed while it is done, 1 MB are free\.$/);
    expect(statSync(home.file).size).toBe(before);
    expect(filesBeside(home)).toEqual(['library.db']);
  }));

test.each(['words', 'copy', 'write'] as const)('cancelled at %s it leaves the library as it was', (phase) =>
  onLibrary(async (home) => {
    const before = contentOf(home);
    let reached = false;
    const outcome = await compact(home.library, { progress: (progress) => (reached ||= progress.phase === phase), stopped: () => reached });
    expect(outcome).toMatchObject({ done: false, cancelled: true, refusal: null });
    expect(existsSync(compactCopy(home.file))).toBe(false);
    expect(contentOf(home)).toEqual(before);
    expect(home.library.db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(await home.act({ act: 'compact' })).toMatchObject({ done: true });
  }));

test('what another connection writes meanwhile is not lost', () =>
  onLibrary(async (home) => {
    const other = openLibrary(home.file).db;
    let writes = 0;
    // After the copy was made and before it is written back.
    const write = (most: number) => () => {
      if (existsSync(compactCopy(home.file)) && statSync(compactCopy(home.file)).size > 0 && writes < most) other.prepare('INSERT INTO meta(key, value) VALUES (?, 1)').run(`written meanwhile ${writes++}`);
      return false;
    };
    expect(await compact(home.library, { progress: () => undefined, stopped: write(1) })).toMatchObject({ done: true });
    expect(home.library.meta('written meanwhile 0')).toBe(1);
    writes = 10;
    const outcome = await compact(home.library, { progress: () => undefined, stopped: write(100) });
    expect(outcome).toMatchObject({ done: false, cancelled: false, refusal: 'The library was written to while its copy was made, each time. Try again when it is quiet.' });
    expect([10, 11, 12].map((n) => home.library.meta(`written meanwhile ${n}`))).toEqual([1, 1, 1]);
    other.close();
  }));

test('a copy that a crash left is taken away by the next one', () =>
  onLibrary(async (home) => {
    writeFileSync(compactCopy(home.file), 'half a copy');
    expect(await home.act({ act: 'compact' })).toMatchObject({ done: true });
    expect(existsSync(compactCopy(home.file))).toBe(false);
  }));

test('figures add up, and name the copies that still hold what was forgotten', () =>
  onLibrary(async (home) => {
    writeFileSync(`${home.file}.version-3`, 'old');
    const keep = await home.act({ act: 'figures' });
    expect(keep.copies).toEqual([{ file: `${home.file}.version-3`, bytes: 3 }]);
    rmSync(`${home.file}.version-3`);
    const { log, words, rows, free, other } = keep.room;
    expect(log + words + rows + free + other).toBe(keep.bytes);
    expect(keep.agents).toMatchObject([{ key: 'opencode', name: 'opencode', sessions: 24, gone: 0, excluded: false, log }]);
    expect(keep.projects.reduce((sum, each) => sum + each.log, 0)).toBe(log);
    expect(keep.projects.reduce((sum, each) => sum + each.sessions, 0)).toBe(24);
    expect(Math.abs(keep.projects.reduce((sum, each) => sum + each.words, 0) - words)).toBeLessThan(keep.projects.length);
    expect(keep.streams).toMatchObject({ gone: 0 });
    expect(keep.streams.read).toBe(keep.agents[0]?.read);
    expect(keep.sessions).toEqual({ total: 24, gone: 0, excluded: 0 });
  }));
