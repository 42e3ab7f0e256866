import Database from 'better-sqlite3';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Fixture, type FixtureFamily, openFixture } from '../../../e2e/fixtures';
import { Search } from '../search/search';
import { Shelf } from '../stores/acceptance';
import { claudeCode } from '../stores/claude-code';
import { codex } from '../stores/codex';
import { opencode } from '../stores/opencode';
import { familyHits, familyOf } from './family';
import { Timeline } from './timeline';

const stores = { 'claude-code': claudeCode, codex, opencode } as const;
const later = Date.parse('2027-03-01T00:00:00Z');

async function withFixture(agent: keyof typeof stores, family: FixtureFamily, name: string, check: (shelf: Shelf) => void, change: (fixture: Fixture) => void = () => undefined): Promise<void> {
  const fixture = openFixture(family, name);
  const shelf = new Shelf(fixture.home, stores[agent]);
  try {
    change(fixture);
    await shelf.pass();
    check(shelf);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
}

const ends = (id: string | null) => id?.slice(-6) ?? null;

/** Each session by the end of its id, with what it hangs under; edges as `child kind certainty parent`. */
function drawn(shelf: Shelf, id: string, limit?: number) {
  const family = familyOf(shelf.library.db, id, later, limit);
  return {
    sessions: family?.sessions.map((session) => `${ends(session.id)} under ${ends(session.under)}${session.known ? '' : ' (missing)'}`),
    edges: family?.edges.map((edge) => `${ends(edge.child)} ${edge.kind} ${edge.certainty} ${ends(edge.parent)} after ${ends(edge.after)} part ${ends(edge.part)}`),
    cut: family?.cut,
  };
}

const helpers = 'claude-code/ac464ab6-da7a-4724-bdcd-ef89b67cc317';

test('Claude Code helpers: a nested one hangs under the helper that started it; tokens stand apart and rolled up', () =>
  withFixture('claude-code', 'claude-code', 'agents', (shelf) => {
    expect(drawn(shelf, helpers)).toEqual({
      sessions: ['7cc317 under null', '27e428 under 7cc317', '9ed615 under 7cc317', '20be6c under 7cc317', 'dfaa4e under 20be6c'],
      edges: [
        '27e428 subagent recorded 7cc317 after null part d0f323', '9ed615 subagent recorded 7cc317 after null part 7da244',
        '20be6c subagent recorded 7cc317 after null part d36196', 'dfaa4e subagent recorded 20be6c after null part 31a51e',
      ],
      cut: null,
    });
    const family = familyOf(shelf.library.db, helpers, later);
    const figures = family?.sessions.map(({ id, tokens, rolledUp, subagents, untold }) => [ends(id), tokens?.input, rolledUp?.input, subagents, untold]);
    expect(figures).toEqual([['7cc317', 143, 253, 4, 0], ['27e428', 22, 22, 0, 0], ['9ed615', 22, 22, 0, 0], ['20be6c', 44, 66, 1, 0], ['dfaa4e', 22, 22, 0, 0]]);
    expect(family?.sessions[0]).toMatchObject({ title: 'Please survey the repo with helpers', agent: 'claude-code', kind: 'session', live: false, known: true, damage: 0, source: 'present', created: '2026-11-29T15:31:59.438Z' });
  }));

test('the family is the same from any of its members, that member first', () =>
  withFixture('claude-code', 'claude-code', 'agents', (shelf) => {
    const { sessions } = drawn(shelf, `${helpers}.agent-a2b5aeb2c67dfaa4e`);
    expect(sessions).toEqual(['dfaa4e under 20be6c', '20be6c under 7cc317', '7cc317 under null', '27e428 under 7cc317', '9ed615 under 7cc317']);
  }));

test('a Claude Code fork names its source and the message it departs after; only it and its source are a family', () =>
  withFixture('claude-code', 'claude-code', 'fork', (shelf) => {
    expect(drawn(shelf, 'claude-code/3419ba3e-4eb6-48dd-92f7-057ce8956c77')).toEqual({
      sessions: ['956c77 under 17641c', '17641c under null'],
      edges: ['956c77 fork recorded 17641c after cdd158 part null'], cut: null,
    });
    const family = familyOf(shelf.library.db, 'claude-code/3419ba3e-4eb6-48dd-92f7-057ce8956c77', later);
    expect(family?.sessions.map(({ created, began }) => [created, began])).toEqual([
      ['2026-11-29T15:30:13.085Z', '2026-11-29T15:30:29.808Z'], ['2026-11-29T15:30:13.085Z', '2026-11-29T15:30:13.085Z'],
    ]);
  }));

test('branches of a rewound session: where each departs, how far in, how much is its own', () =>
  withFixture('claude-code', 'claude-code', 'rewind', (shelf) => {
    const family = familyOf(shelf.library.db, 'claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5', later);
    expect(family?.sessions.map(({ branches }) => branches.map((branch) => [branch.id, ends(branch.tip), branch.count, ends(branch.departs), Math.round(branch.at * 100)]))).toEqual([
      [['1', 'ce7abd', 8, '455467', 49], ['2', 'de9f35', 4, '3cb503', 76]],
    ]);
  }));

test('a tree of Codex forks: each hangs under the thread it was forked from', () =>
  withFixture('codex', 'codex', 'fork-tree', (shelf) => {
    expect(drawn(shelf, 'codex/01a22802-93eb-7702-8562-6597124c7eff').sessions).toEqual([
      '4c7eff under null', '93df78 under 4c7eff', '154e1e under 4c7eff', 'ce3048 under 4c7eff', '30b2d6 under 4c7eff', 'a587b3 under 93df78', '9221ef under 154e1e', '8c0398 under 9221ef',
    ]);
  }));

test('a limit keeps the nearest and says how many more there are', () =>
  withFixture('codex', 'codex', 'fork-tree', (shelf) => {
    expect(drawn(shelf, 'codex/01a22802-93eb-7702-8562-6597124c7eff', 3)).toEqual({
      sessions: ['4c7eff under null', '93df78 under 4c7eff', '154e1e under 4c7eff'],
      edges: ['93df78 fork recorded 4c7eff after eff#58 part null', '154e1e fork recorded 4c7eff after eff#38 part null'],
      cut: { limit: 3, more: 4 },
    });
  }));

test('a parent that no store has is a node of its own, and its children are one family', () =>
  withFixture('codex', 'codex', 'fork-tree', (shelf) => {
    const { sessions } = drawn(shelf, 'codex/01a22802-9b70-7672-bdec-cb4616154e1e');
    expect(sessions).toContain('4c7eff under null (missing)');
    expect(sessions).toContain('154e1e under 4c7eff');
    expect(sessions).toContain('93df78 under 4c7eff');
    expect(sessions).toHaveLength(8);
    const family = familyOf(shelf.library.db, 'codex/01a22802-93eb-7702-8562-6597124c7eff', later);
    expect(family?.sessions[0]).toMatchObject({ known: false, title: null, agent: 'codex', counts: null });
    expect(family?.sessions).toHaveLength(8);
  }, ({ home }) => {
    const folder = join(home, '.codex/sessions');
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) if (file.includes('6597124c7eff')) rmSync(join(folder, file));
    for (const file of readdirSync(join(home, '.codex'))) if (file.includes('.sqlite')) rmSync(join(home, '.codex', file));
  }));

test('Codex subagents of subagents are rolled up to the top', () =>
  withFixture('codex', 'codex', 'subagents-v1', (shelf) => {
    const family = familyOf(shelf.library.db, 'codex/01a22803-5a51-7be2-b245-54d738d8333b', later);
    expect(family?.sessions.map(({ id, under, subagents }) => [ends(id), ends(under), subagents])).toEqual([
      ['d8333b', null, 3], ['59ffd7', 'd8333b', 1], ['afb6f0', 'd8333b', 0], ['cf8d45', '59ffd7', 0],
    ]);
    expect(family?.edges.map(({ part }) => ends(part))).toEqual(['33b#11', '33b#12', 'fd7#14']);
  }));

test('inferred forks of OpenCode carry their evidence; a subagent names the call that started it', () =>
  withFixture('opencode', 'field', 'oc-fork-shared-child', (shelf) => {
    expect(drawn(shelf, 'opencode/ses_e6483597fffeFJ6kPU9541PZwI')).toEqual({
      sessions: ['41PZwI under null', 'GDyx1r under 41PZwI', 'LqvZno under 41PZwI', '4PfxvB under 41PZwI'],
      edges: ['GDyx1r subagent recorded 41PZwI after ajuJsm part HBMRlb', 'LqvZno fork inferred 41PZwI after T12Mi5 part null', '4PfxvB fork inferred 41PZwI after T12Mi5 part null'],
      cut: null,
    });
    const family = familyOf(shelf.library.db, 'opencode/ses_e6483597fffeFJ6kPU9541PZwI', later);
    expect(family?.edges[1]?.evidence).toBe('Likely: its first 3 messages equal those of ses_e6483597fffeFJ6kPU9541PZwI in time and content, and its title is that of a fork of it.');
  }));

test('forks of forks in OpenCode, and a session without kin is a family of one', () =>
  withFixture('opencode', 'opencode', 'v118-main', (shelf) => {
    expect(drawn(shelf, 'opencode/ses_e1239077effevnpTtgj1qWpooG').sessions).toEqual(['qWpooG under wBek3Z', 'wBek3Z under 8sgW3P', '8sgW3P under null', 'xGix4h under 8sgW3P', '2zP1x6 under 8sgW3P']);
    expect(drawn(shelf, 'opencode/ses_e0762e6efffedNXO6ObahX01E1')).toEqual({ sessions: ['hX01E1 under null'], edges: [], cut: null });
    expect(familyOf(shelf.library.db, 'opencode/ses_nowhere', later)).toBe(null);
    expect(familyOf(shelf.library.db, 'nonsense', later)).toBe(null);
  }));

test('a fork by reference of Codex', () =>
  withFixture('codex', 'field', 'cx-fork-by-reference', (shelf) => {
    expect(drawn(shelf, 'codex/01a19b81-3a60-79fd-8eb7-ae2ff7179bf4')).toEqual({
      sessions: ['179bf4 under 1380f3', '1380f3 under null'], edges: ['179bf4 fork recorded 1380f3 after 0f3#13 part null'], cut: null,
    });
  }));

test('a circle of parents is one family in which each hangs once; an own parent is no one', () =>
  withFixture('opencode', 'opencode', 'v118-live', (shelf) => {
    // They copy a session that is there, so they are taken for its forks as well.
    expect(drawn(shelf, 'opencode/ses_loopA').sessions).toEqual(['_loopA under _loopC', '1n5g9L under null', '_loopC under _loopB', '_loopB under null', 'itself under 1n5g9L']);
  }, ({ home }) => {
    const db = new Database(join(home, '.local/share/opencode/opencode.db'));
    const columns = (db.prepare("SELECT name FROM pragma_table_info('session')").pluck().all() as string[]).filter((name) => !['id', 'parent_id', 'title'].includes(name)).join(', ');
    db.pragma('foreign_keys = OFF');
    const add = db.prepare(`INSERT INTO session(id, parent_id, title, ${columns}) SELECT ?, ?, ?, ${columns} FROM session LIMIT 1`);
    for (const [id, parent] of [['ses_loopA', 'ses_loopC'], ['ses_loopB', 'ses_loopA'], ['ses_loopC', 'ses_loopB'], ['ses_itself', 'ses_itself']]) add.run(id, parent, id);
    db.close();
  }));

test('hits are counted for each session of the family, inherited messages and all', () =>
  withFixture('claude-code', 'claude-code', 'agents', (shelf) => {
    const { db } = shelf.library;
    const search = new Search(db, new Timeline(db, () => claudeCode));
    const counted = (query: string) => familyHits(db, search, helpers, query).hits.map(({ session, count }) => [ends(session), count]);
    expect(counted('helper')).toEqual([['7cc317', 6], ['20be6c', 2], ['9ed615', 1], ['27e428', 1]]);
    expect(counted('zebrafish')).toEqual([]);
    expect(counted('')).toEqual([]);
    expect(counted('helper agent:codex')).toEqual([]);
    expect(familyHits(db, search, 'claude-code/none', 'helper')).toEqual({ hits: [], capped: false });
  }));
