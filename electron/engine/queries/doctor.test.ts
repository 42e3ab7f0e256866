import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FixtureFamily, openFixture } from '../../../e2e/fixtures';
import { Indexer } from '../indexing/indexer';
import { openLibrary } from '../library/database';
import { stores } from '../stores';
import { examine } from './doctor';

const now = Date.parse('2026-12-01T12:00:00Z');
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'retrace-doctor-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const library = () => join(folder, 'library.db');

async function index(home: string): Promise<void> {
  const indexer = new Indexer({ file: library(), options: { home }, home, watch: false }, stores, { progress: () => undefined, changed: () => undefined, compaction: () => undefined });
  await indexer.run();
  await indexer.close();
}

function examined(agent: string) {
  const { db } = openLibrary(library());
  try {
    return examine(db, library(), stores, now).stores.find((store) => store.agent === agent && store.found);
  } finally {
    db.close();
  }
}

/** A fixture's home in the test's own folder. */
function homeOf(family: FixtureFamily, name: string): string {
  const fixture = openFixture(family, name);
  const home = join(folder, 'home');
  cpSync(fixture.home, home, { recursive: true, preserveTimestamps: true });
  fixture.dispose();
  return home;
}

const transcript = '.claude/projects/-home-dev-projects-ledger/e88b7591-31db-4e32-98dc-b35f94c662cd.jsonl';
const inStore = transcript.slice('.claude/'.length);

test('a place that could not be read is named with file, line, bytes, reason and session', async () => {
  await index(homeOf('field', 'cc-nul-run'));
  expect(examined('claude-code')).toMatchObject({
    sessions: 1, problem: null, skippedTotal: 1,
    skipped: [{ file: inStore, line: 4, at: 1600, bytes: 420, reason: 'NUL bytes, no record', session: 'claude-code/e88b7591-31db-4e32-98dc-b35f94c662cd' }],
    read: { sources: 1, bytes: 3959, records: 6 },
  });
});

test('what was written since the last pass is counted', async () => {
  const home = homeOf('field', 'cc-nul-run');
  await index(home);
  appendFileSync(join(home, transcript), '{"type":"x"}\n');
  expect(examined('claude-code')?.notices).toContain(`13 bytes of 1 file are not in the library (written since, or a line without an end): ${inStore}.`);
});

test('a source that went away is first missed, then its session is gone and kept', async () => {
  const home = homeOf('field', 'cc-nul-run');
  await index(home);
  unlinkSync(join(home, transcript));
  expect(examined('claude-code')?.notices[0]).toBe(`1 file that the library has is not on disk any more: ${inStore}. The next pass marks what stood there as gone.`);
  await index(home);
  const after = examined('claude-code');
  expect(after?.gone).toEqual({ total: 1, sessions: ['claude-code/e88b7591-31db-4e32-98dc-b35f94c662cd'] });
  expect(after?.notices).toEqual(['The source of 1 session is gone; the library keeps it: claude-code/e88b7591-31db-4e32-98dc-b35f94c662cd.']);
  expect(after?.deletions).toBeNull();
});

test('transcripts are deleted after 30 days, or after what the settings of that folder say', async () => {
  const home = homeOf('field', 'cc-nul-run');
  utimesSync(join(home, transcript), new Date('2026-11-20T00:00:00Z'), new Date('2026-11-20T00:00:00Z'));
  await index(home);
  expect(examined('claude-code')?.deletions).toEqual({ days: 30, from: 'default', transcripts: 1, due: 0, next: [{ file: inStore, time: '2026-12-20T00:00:00.000Z' }] });
  writeFileSync(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 7}');
  expect(examined('claude-code')?.deletions).toEqual({ days: 7, from: 'settings.json', transcripts: 1, due: 1, next: [] });
  expect(examined('claude-code')?.notices).toEqual(['The agent deletes transcripts 7 days after their last change (set in settings.json): 1 of 1 is due now. The library keeps what it has read.']);
  // Claude Code refuses 0.
  writeFileSync(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 0}');
  expect(examined('claude-code')?.deletions?.days).toBe(30);
});

test('a write-ahead log beside a database is told with its size', async () => {
  const home = homeOf('opencode', 'v118-main');
  await index(home);
  writeFileSync(join(home, '.local/share/opencode/opencode.db-wal'), Buffer.alloc(4_152));
  expect(examined('opencode')?.notices.filter((notice) => !notice.includes('snapshot'))).toEqual([
    'opencode.db-wal holds 4,152 bytes beside opencode.db: changes that may not stand in the database file itself yet. They are read with it.',
  ]);
});

test('record types that nobody knows are counted by name', async () => {
  const home = homeOf('field', 'cc-nul-run');
  appendFileSync(join(home, transcript), '{"type":"brand-new"}\n{"type":"brand-new"}\n');
  await index(home);
  expect(examined('claude-code')?.unknown).toEqual([{ type: 'brand-new', count: 2 }]);
  expect(examined('claude-code')?.notices[0]).toBe('Record types that this version does not know; they are kept: brand-new (2).');
});

test.each([
  ['codex', 'compressed'], ['codex', 'v039'], ['claude-code', 'agents'], ['claude-code', 'fork-1.0.16'], ['claude-code', 'legacy-2.0.77'], ['claude-code', 'killed'], ['opencode', 'v12-sqlite'],
] as const)('nothing is said to be missing or unread in %s %s right after a pass', async (family, name) => {
  await index(homeOf(family, name));
  const store = examined(family);
  expect(store?.read.records).toBeGreaterThan(0);
  expect(store?.notices.filter((notice) => /not in the library|not on disk|not read yet/.test(notice))).toEqual([]);
});

test('the indexes of Codex are held against its rollouts, each difference named', async () => {
  await index(homeOf('field', 'cx-index-out-of-step'));
  expect(examined('codex')?.notices).toEqual([
    '1 thread of state_5.sqlite is without a rollout: 01a0f6e8-1500-7cf5-82be-5d12a34268c7.',
    '1 thread with a rollout is not in state_5.sqlite: 01a1a0d9-f100-765a-aaab-ef5c6e09ff05.',
    'The source of 1 session is gone; the library keeps it: codex/01a0f6e8-1500-7cf5-82be-5d12a34268c7.',
  ]);
  // A name of a thread that is nowhere, an archived row of a rollout that is not, and a row that names another file.
  appendFileSync(join(folder, 'home/.codex/session_index.jsonl'), '{"id":"0000dead-0000-7000-8000-000000000000","thread_name":"Old","updated_at":"2026-11-01T00:00:00Z"}\n');
  const db = new Database(join(folder, 'home/.codex/state_5.sqlite'));
  const [first, second] = db.prepare("SELECT id FROM threads WHERE id <> '01a0f6e8-1500-7cf5-82be-5d12a34268c7' ORDER BY id").pluck().all() as string[];
  db.prepare('UPDATE threads SET archived = 1 - archived WHERE id = ?').run(first);
  db.prepare("UPDATE threads SET rollout_path = '/home/dev/.codex/sessions/nowhere.jsonl' WHERE id = ?").run(second);
  db.close();
  expect(examined('codex')?.notices.filter((notice) => /said to lie|archived by|name in/.test(notice))).toEqual([
    ...(second === undefined ? [] : [`1 thread of state_5.sqlite is said to lie in a file that is not there, though it has a rollout: ${second}.`]),
    `1 thread is archived by state_5.sqlite or by its folder, not by both: ${first}.`,
    '1 name in session_index.jsonl is of threads that have neither a rollout nor a row: 0000dead-0000-7000-8000-000000000000.',
  ]);
});

test('a write-ahead log of Codex is found where its databases were moved to', async () => {
  const home = homeOf('codex', 'compressed');
  mkdirSync(join(home, 'tables'));
  writeFileSync(join(home, '.codex/config.toml'), `sqlite_home = "${join(home, 'tables')}"\n`);
  for (const name of readdirSync(join(home, '.codex')).filter((each) => /\.sqlite/.test(each))) renameSync(join(home, '.codex', name), join(home, 'tables', name));
  const [table = 'state_5.sqlite'] = readdirSync(join(home, 'tables')).filter((name) => /^state_\d+\.sqlite$/.test(name));
  await index(home);
  writeFileSync(join(home, 'tables', `${table}-wal`), Buffer.alloc(4_152));
  expect(examined('codex')?.notices.filter((notice) => notice.includes('-wal'))).toEqual([
    `${join(home, 'tables')}/${table}-wal holds 4,152 bytes beside ${table}: changes that may not stand in the database file itself yet. They are read with it.`,
  ]);
});

test('a list of sessions beside transcripts of Claude Code is compared with them', async () => {
  const home = homeOf('field', 'cc-nul-run');
  const list = join(home, '.claude/projects/-home-dev-projects-ledger/sessions-index.json');
  const own = 'e88b7591-31db-4e32-98dc-b35f94c662cd';
  const said = () => examined('claude-code')?.notices.filter((notice) => notice.includes('sessions-index') || notice.includes('list'));
  await index(home);
  expect(said()).toEqual([]);
  writeFileSync(list, JSON.stringify({ version: 1, entries: [{ sessionId: own }] }));
  expect(said()).toEqual([]);
  writeFileSync(list, JSON.stringify({ version: 1, entries: [{ sessionId: 'gone' }] }));
  expect(said()).toEqual([
    '1 session named in sessions-index.json has no transcript: projects/-home-dev-projects-ledger/gone.',
    `1 transcript is not named in the sessions-index.json beside it: projects/-home-dev-projects-ledger/${own}.`,
  ]);
  writeFileSync(list, '{"entries":');
  expect(said()).toEqual(['1 list of sessions could not be compared (no JSON, too large, or not to be read): projects/-home-dev-projects-ledger/sessions-index.json.']);
});

test('snapshot folders of OpenCode are told with size and age, and those of projects without a session', async () => {
  const home = homeOf('opencode', 'v118-revert');
  await index(home);
  const said = () => examined('opencode')?.notices.filter((notice) => notice.includes('snapshot'));
  expect(said()).toEqual([expect.stringMatching(/^3 snapshot folders take [\d,]+ bytes in 63 files\. Last used on 2026-11-20; what is in them is kept by OpenCode for about seven days\.$/)]);
  const stale = join(home, '.local/share/opencode/snapshot/gone/0123');
  mkdirSync(join(stale, 'objects'), { recursive: true });
  writeFileSync(join(stale, 'HEAD'), 'ref: refs/heads/master\n');
  writeFileSync(join(stale, 'objects/x'), Buffer.alloc(1_000));
  for (const path of [join(stale, 'HEAD'), stale]) utimesSync(path, new Date('2026-11-20T00:00:00Z'), new Date('2026-11-20T00:00:00Z'));
  expect(said()).toEqual([
    expect.stringMatching(/^4 snapshot folders take [\d,]+ bytes in 65 files\. Last used on 2026-11-20;/),
    '1 snapshot folder is of projects that no session here belongs to any more: snapshot/gone/0123 (1,023 bytes, last used on 2026-11-20).',
  ]);
});

test('the thread that writes the library examines it', async () => {
  const home = homeOf('field', 'cc-nul-run');
  const indexer = new Indexer({ file: library(), options: { home }, home, watch: false }, stores, { progress: () => undefined, changed: () => undefined, compaction: () => undefined });
  await indexer.run();
  expect((await indexer.examine()).stores.find(({ agent }) => agent === 'claude-code')).toMatchObject({ sessions: 1, skippedTotal: 1 });
  await indexer.close();
});
