import { appendFileSync, cpSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const indexer = new Indexer({ file: library(), options: { home }, home, watch: false }, stores, { progress: () => undefined, changed: () => undefined });
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
  expect(examined('opencode')?.notices).toEqual([
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
