import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CommandResult, retrace } from '../../e2e/command-line';
import { type FixtureFamily, openFixture } from '../../e2e/fixtures';
import { memoryHome } from '../../e2e/memory-home';
import { notepadHome } from '../../e2e/notepad-home';

/**
 * What the command line prints on real histories, kept in e2e/golden. `UPDATE_GOLDEN=1` writes the files anew: read
 * every change against the fixture's expected.json before it is kept.
 */
const golden = join(import.meta.dirname, '../../e2e/golden');
const update = process.env['UPDATE_GOLDEN'] === '1';

interface Case {
  family: FixtureFamily | 'memory' | 'notepads' | 'empty';
  fixture: string;
  /** Golden file → arguments. Names that end in `.json` get `--json`. */
  commands: Record<string, string[]>;
}

const cases: Case[] = [
  {
    family: 'claude-code', fixture: 'rewind',
    commands: {
      'ls-rewind.json': ['ls'],
      'show-rewind.json': ['show', '668bfb69'],
      'show-rewind.txt': ['show', '668bfb69'],
      'show-rewind-at.txt': ['show', '668bfb69', '--at', 'c51f63ce-8d16-431c-930d-07c3f7434a54'],
      'context-rewind-at.json': ['context', '668bfb69', '--at', 'c51f63ce-8d16-431c-930d-07c3f7434a54'],
      'compare-rewind.json': ['compare', '668bfb69', '668bfb69', '--branch-a', '1'],
      'compare-rewind.txt': ['compare', '668bfb69', '668bfb69', '--branch-a', '2', '--branch-b', 'current'],
      'compare-rewind-none.txt': ['compare', '668bfb69', '668bfb69', '--branch-b', '9'],
      'search-rewind.json': ['search', 'greet*', 'tool:edit'],
      'diff-rewind.txt': ['diff', '668bfb69'],
      'diff-rewind-turn.json': ['diff', '668bfb69', '--turn', '2'],
      'diff-rewind-patch.txt': ['diff', '668bfb69', '--turn', '2', '--patch'],
      'diff-rewind-revert.txt': ['diff', '668bfb69', '--revert-to', 'b337a1ea-c572-4ee3-a024-ba021e86932e', '--map', '/home/dev=<home>'],
      'diff-rewind-revert-patch.txt': ['diff', '668bfb69', '--revert-to', 'c51f63ce-8d16-431c-930d-07c3f7434a54', '--patch', '--map', '/home/dev=<home>'],
      'diff-rewind-revert-none.txt': ['diff', '668bfb69', '--revert-to', 'nowhere'],
      'diff-rewind-none.txt': ['diff', '668bfb69', '--turn', '99'],
      'doctor-rewind.json': ['doctor'],
    },
  },
  {
    family: 'claude-code', fixture: 'compact',
    commands: { 'ls-compact.json': ['ls'], 'show-compact.txt': ['show', '2b529454'], 'context-compact.txt': ['context', '2b529454'], 'search-compact.txt': ['search', '"closing brackets"', 'role:user'] },
  },
  {
    family: 'claude-code', fixture: 'fork',
    commands: { 'index-fork.json': ['index'], 'ls-fork.json': ['ls'], 'tree-fork.json': ['tree'], 'tree-fork.txt': ['tree'], 'show-fork.txt': ['show', '3419'], 'export-fork.json': ['export', '3419'], 'export-fork.txt': ['export', '3419', '--turns', '1', '--no-tool-output'], 'export-fork-none.txt': ['export', '3419', '--turns', '70-80'], 'export-fork-unused.txt': ['export', '3419', '--turns', '1', '--no-tool-output', '--mask', 'zzyzx', '--keep', 'mail-0000000000', '--keep', 'secret'], 'diff-fork-against.json': ['diff', '3419', '--against', '8c79'], 'compare-fork.json': ['compare', '8c79', '3419'], 'compare-fork.txt': ['compare', '8c79', '3419'] },
  },
  {
    family: 'claude-code', fixture: 'agents',
    commands: {
      'ls-agents.txt': ['ls'],
      'tree-agents.json': ['tree'],
      'tree-agents.txt': ['tree', 'ac464ab6-da7a-4724-bdcd-ef89b67cc317.agent-a0f'],
      'show-agents.txt': ['show', 'ac464'],
      'show-agents-ambiguous.txt': ['show', 'ac464ab6-da7a-4724-bdcd-ef89b67cc317.agent-a'],
      'search-agents.json': ['search', 'helper', 'role:user'],
    },
  },
  {
    // Each is done on what the one before left.
    family: 'claude-code', fixture: 'worktree',
    commands: {
      'library-worktree.json': ['library'],
      'library-worktree.txt': ['library'],
      'library-worktree-exclude.txt': ['library', 'exclude', 'demo'],
      'library-worktree-excluded.txt': ['library'],
      'library-worktree-forget.json': ['library', 'forget', 'demo'],
      'library-worktree-forget.txt': ['library', 'forget', 'demo', '--yes'],
      'library-worktree-keep.txt': ['library', 'keep', '--days', '90'],
      'library-worktree-include.json': ['library', 'include', 'demo'],
    },
  },
  {
    // Of a home without a session; each is done on what the one before left.
    family: 'empty', fixture: 'import',
    commands: {
      'import-cut.txt': ['import', '<import>/cut.json'],
      'import-salvage.txt': ['import', '<import>/cut.json', '--salvage'],
      'import-notes.txt': ['import', '<import>/notes.md'],
      'import-none.txt': ['import', '<import>/none.json'],
      'import-host.txt': ['import', 'https://share.example.org/share/abc'],
      'import-plan.json': ['import', '<import>/ses_e2b38726bffec1bGQpB4nw029f.json'],
      'import-plan.txt': ['import', '<import>/ses_e2b38726bffec1bGQpB4nw029f.json', '--dry-run'],
      'import-done.json': ['import', '<import>/ses_e2b38726bffec1bGQpB4nw029f.json', '--yes'],
      'import-again.txt': ['import', '<import>/ses_e2b38726bffec1bGQpB4nw029f.json', '--yes'],
      'import-update.txt': ['import', '<import>/renamed.json', '--yes'],
      'import-ls.txt': ['ls', '--agent', 'retrace'],
      'import-servers.txt': ['library', 'servers', 'add', 'https://share.example.org/opencode/'],
      'import-servers.json': ['library', 'servers'],
      'import-servers-refused.txt': ['library', 'servers', 'add', 'http://share.example.org'],
      'import-servers-removed.txt': ['library', 'servers', 'remove', 'https://share.example.org/opencode'],
    },
  },
  { family: 'claude-code', fixture: 'titles', commands: { 'ls-titles.json': ['ls', '--sort', 'created'], 'tree-titles.txt': ['tree'] } },
  {
    family: 'field', fixture: 'cc-nul-run',
    commands: {
      'index-cc-nul-run.txt': ['index'],
      'ls-cc-nul-run.txt': ['ls'],
      'show-cc-nul-run.json': ['show', 'e88b'],
      'show-cc-nul-run.txt': ['show', 'e88b'],
      'doctor-cc-nul-run.json': ['doctor'],
      'doctor-cc-nul-run.txt': ['doctor'],
    },
  },
  {
    family: 'opencode', fixture: 'v118-main',
    commands: {
      'ls-v118-main.json': ['ls'],
      'diff-v118-main.txt': ['diff', 'ses_e1c6'],
      'ls-v118-main-archived.txt': ['ls', '--only-archived'],
      'ls-v118-main-since.txt': ['ls', '--since', '2026-11-21', '--until', '2026-11-22', '--project', 'notes-api', '--no-archived'],
      'tree-v118-main.txt': ['tree'],
      'show-v118-main.txt': ['show', 'ses_e1c6'],
      'show-v118-main-full.txt': ['show', 'ses_e0762f', '--full'],
      'compare-v118-main.txt': ['compare', 'ses_e1c685', 'ses_e12390403'],
      'compare-v118-main-apart.txt': ['compare', 'ses_e1c4', 'ses_e0762f'],
      'search-v118-main.json': ['search', 'search', 'endpoint', 'role:user'],
      'doctor-v118-main.json': ['doctor'],
      'doctor-v118-main.txt': ['doctor'],
      'search-v118-main-nothing.txt': ['search', 'nowhere-to-be-found'],
    },
  },
  {
    family: 'opencode', fixture: 'v118-revert',
    commands: { 'diff-v118-revert.json': ['diff', 'ses_e3b6', '--turn', '3'], 'diff-v118-revert-to.json': ['diff', 'ses_e3b6', '--revert-to', 'msg_1c99f08f4001GDYdeKFnDOW5yg', '--map', '/home/dev=<home>'], 'ls-v118-revert.txt': ['ls'], 'show-v118-revert.json': ['show', 'ses_e3b6'], 'show-v118-revert.txt': ['show', 'ses_e3b8'] },
  },
  {
    family: 'opencode', fixture: 'v118-compaction',
    commands: { 'ls-v118-compaction.json': ['ls'], 'show-v118-compaction.txt': ['show', 'ses_e5a88f5d'], 'context-v118-compaction.json': ['context', 'ses_e5faf3c1'], 'context-v118-compaction.txt': ['context', 'ses_e5faf3c1'] },
  },
  {
    family: 'opencode', fixture: 'v05-json',
    commands: { 'index-v05-json.txt': ['index'], 'ls-v05-json.json': ['ls'], 'tree-v05-json.txt': ['tree'], 'show-v05-json.txt': ['show', 'ses_7153e940'] },
  },
  {
    family: 'field', fixture: 'oc-fork-shared-child',
    commands: {
      'ls-oc-fork-shared-child.json': ['ls'],
      'tree-oc-fork-shared-child.json': ['tree'],
      'show-oc-fork-shared-child.json': ['show', 'ses_e64833e2'],
      'show-oc-fork-shared-child-none.txt': ['show', 'ses_e64833e2', '--branch', '7'],
    },
  },
  {
    // Put together from several fixtures.
    family: 'memory', fixture: 'memory',
    commands: { 'memory.json': ['memory'], 'memory.txt': ['memory'], 'memory-demo.json': ['memory', 'demo'], 'memory-demo.txt': ['memory', 'demo'], 'memory-nothing.txt': ['memory', 'nowhere'] },
  },
  {
    // A real fixture whose sessions are made to have written notepads.
    family: 'notepads', fixture: 'notepads',
    commands: { 'memory-notepads.json': ['memory', 'ratelimit', '--map', '/home/dev=<home>'], 'memory-notepads.txt': ['memory', 'ratelimit', '--map', '/home/dev=<home>'] },
  },
  {
    // Recorded folders lie in /home/dev: without a map nothing is looked for there.
    family: 'omo', fixture: 'boulder-active',
    commands: {
      'show-boulder-active.json': ['show', 'ses_dd82c233', '--map', '/home/dev=<home>'],
      'show-boulder-active.txt': ['show', 'ses_dd82c6f5', '--map', '/home/dev=<home>'],
    },
  },
  {
    family: 'omo', fixture: 'goals',
    commands: { 'show-goals.txt': ['show', 'ses_dd826d652', '--map', '/home/dev=<home>'] },
  },
  {
    family: 'omo', fixture: 'migrated-omo',
    commands: { 'show-migrated-omo.txt': ['show', 'ses_dd81ae85', '--map', '/home/dev=<home>'] },
  },
];

const opened = (family: Case['family'], name: string): { home: string; dispose(): void } => (family === 'memory' ? memoryHome() : family === 'notepads' ? notepadHome() : family === 'empty' ? emptyHome() : openFixture(family, name));

function emptyHome(): { home: string; dispose(): void } {
  const home = mkdtempSync(join(tmpdir(), 'retrace-empty-'));
  return { home, dispose: () => rmSync(home, { recursive: true, force: true }) };
}

/** Exports, whole and cut, as one is given them. */
const imports = join(import.meta.dirname, '../../e2e/fixtures/import');

beforeAll(() => {
  // What is running and how old a hit is depends on the day.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-01T12:00:00Z') });
  process.env['TZ'] = 'UTC';
});
afterAll(() => void vi.useRealTimers());

describe.each(cases)('$fixture', ({ family, fixture: name, commands }) => {
  let fixture: ReturnType<typeof opened>;
  let folder: string;
  beforeAll(async () => {
    fixture = opened(family, name);
    folder = mkdtempSync(join(tmpdir(), 'retrace-golden-'));
  });
  afterAll(() => {
    fixture.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(Object.entries(commands))('%s', async (file, args) => {
    const isJson = file.endsWith('.json');
    const result = await retrace({ home: fixture.home, library: join(folder, 'library.db') }, ...args.map((argument) => argument.replace('<home>', fixture.home).replace('<import>', imports)), ...(isJson ? ['--json'] : []));
    const text = printed(result, isJson, { '<home>': fixture.home, '<library>': folder, '<import>': imports });
    const path = join(golden, file);
    if (update) writeFileSync(path, text);
    expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : '');
  });
});

test('every golden file is made by a case', () => {
  expect(readdirSync(golden).sort()).toEqual(cases.flatMap(({ commands }) => Object.keys(commands)).sort());
});

/** The output with the places of this machine taken out; JSON with a field a line, so that a change is easy to read. */
function printed({ code, stdout, stderr }: CommandResult, isJson: boolean, places: Record<string, string>): string {
  if (isJson) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const remarks = [...(code === 0 ? [] : [`exit code ${code}`]), ...(stderr === '' ? [] : [`stderr: ${stderr.trimEnd()}`])];
  const text = isJson ? `${JSON.stringify(settled(JSON.parse(stdout)), null, 1)}\n` : stdout + remarks.map((line) => `${line}\n`).join('');
  // How much room the library takes depends on the versions of SQLite and zstd.
  const tellsRoom = /^library {2}.*\n.*: log /.test(text) || /^(To be f|F)orgotten: /.test(text);
  // A plan has a name of its own, and writes down where the file of this machine lies.
  const tellsPlan = text.includes('/library.db.imports/');
  const steady = isJson ? text
    : tellsPlan ? text.replace(/\b[\d.]+ (B|kB|MB)/g, '<size>').replace(/retrace undo \S+/, 'retrace undo <plan>')
    : tellsRoom ? text.replace(/\b[\d.]+ (B|kB|MB)/g, '<size>').replace(/(\S) {2,}/g, '$1  ')
    : text.replace(/^ {2}\S+ \S+ · keeps .*$/m, '  <size> · keeps <size> of what was read in <size>');
  return Object.entries(places).reduce((all, [sign, path]) => all.replaceAll(path, sign), steady);
}

/**
 * How much room the library takes depends on the versions of SQLite and zstd. Scores weigh the age of a hit, and with it the order of hits: both depend on the day. Which agents were looked for in
 * vain depends on what other stores there are.
 */
function settled(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'plan' in value && typeof value.plan === 'object' && value.plan !== null && 'steps' in value.plan && 'id' in value.plan) return settledPlan(value, value.plan.id);
  if (typeof value === 'object' && value !== null && ('compaction' in value || ('plan' in value && typeof value.plan === 'object' && value.plan !== null && 'onlyCopies' in value.plan))) return withoutSizes(value);
  if (typeof value === 'object' && value !== null && 'places' in value && Array.isArray(value.places)) {
    return { ...value, places: (value.places as { found: boolean }[]).filter(({ found }) => found) };
  }
  if (typeof value === 'object' && value !== null && 'library' in value && 'stores' in value && Array.isArray(value.stores)) {
    const { path, log } = value.library as { path: string; log: { bytes: number } };
    return { library: { path, log: { bytes: log.bytes } }, stores: (value.stores as { found: boolean }[]).filter(({ found }) => found) };
  }
  if (typeof value !== 'object' || value === null || !('hits' in value) || !Array.isArray(value.hits)) return value;
  const hits = (value.hits as { part: string; score: number }[]).map(({ score, ...hit }) => ({ ...hit, score: typeof score }));
  return { ...value, hits: hits.sort((a, b) => (a.part < b.part ? -1 : 1)) };
}

const planSizes = new Set(['free', 'needed', 'after', 'added']);

/** A plan without its name, and without sizes that depend on where the file of this machine lies. */
function settledPlan(value: unknown, id: unknown): unknown {
  if (value === id) return '<plan>';
  if (Array.isArray(value)) return value.map((each) => settledPlan(each, id));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, planSizes.has(key) ? typeof each : settledPlan(each, id)]));
}

const sizes = new Set(['bytes', 'log', 'words', 'rows', 'free', 'other', 'stored', 'needed', 'available', 'token']);

/** The same with the type of a size in its place. */
function withoutSizes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSizes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sizes.has(key) && typeof each !== 'object' ? typeof each : withoutSizes(each)]));
}
