import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type FixtureFamily, openFixture } from '../../../e2e/fixtures';
import { examine } from '../queries/doctor';
import { inWrittenHome, lineAgents, textAgents } from '../reliability/home.test-support';
import { Shelf } from '../stores/acceptance';
import { claudeCode } from '../stores/claude-code';
import { opencode } from '../stores/opencode';
import type { SessionStore } from '../stores/store';
import { openLibrary } from './database';
import { migrations } from './schema';

/** Each damage of each session: what stands before it and behind it in the timeline. */
const surroundings = (shelf: Shelf) =>
  shelf.content().flatMap(({ detail, parts }) => detail.damage.map(({ before, reason }) => [parts[before - 1]?.text?.text.trim() ?? null, reason, parts[before]?.text?.text.trim() ?? null]));

async function within(family: FixtureFamily, name: string, store: SessionStore, change: (home: string) => void, check: (shelf: Shelf) => void): Promise<void> {
  const fixture = openFixture(family, name);
  const shelf = new Shelf(fixture.home, store);
  try {
    change(fixture.home);
    await shelf.pass();
    check(shelf);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
}

test('a NUL run lies between the two records around it; the doctor names the part behind it', () =>
  within('field', 'cc-nul-run', claudeCode, () => undefined, (shelf) => {
    expect(surroundings(shelf)).toEqual([['Add a test for an empty list.', 'NUL bytes, no record', 'Added: an empty list sums to 0.']]);
    const [session] = shelf.content();
    expect(session?.detail.damage.map(({ before }) => before)).toEqual([3]);
    const { skipped } = examine(shelf.library.db, ':memory:', [claudeCode], 0).stores[0] ?? { skipped: [] };
    expect(skipped.map(({ part }) => part)).toEqual([session?.parts[3]?.id]);
  }));

test.each(lineAgents)('broken lines of $agent lie where they stand: in front of all, between, and behind all', (agent) =>
  inWrittenHome(agent, async (home) => {
    const lines = agent.lines(1, ['one', 'two']);
    const harmed = [...lines.slice(0, -1), 'broken here', lines.at(-1) ?? '', 'broken at the end'];
    home.write(1, `${harmed.join('\n')}\n`);
    const found = surroundings(await home.read()).filter(([, reason]) => /not a record/.test(reason ?? ''));
    expect(found.map(([, reason]) => reason)).toHaveLength(2);
    expect(found[0]?.[0]).toMatch(/^(two|Yes: two)$/);
    expect(found[1]?.[2]).toBe(null);
  }));

test('a broken first line of Claude Code stands at the beginning', () =>
  inWrittenHome(textAgents[0] as (typeof textAgents)[number], async (home) => {
    home.write(1, `broken\n${home.agent.lines(1, ['one']).join('\n')}\n`);
    expect(surroundings(await home.read())).toEqual([[null, 'not a record: it does not begin as a JSON object', 'one']]);
  }));

test('bytes of Aider that are no UTF-8 stand at the words they are in', () =>
  inWrittenHome(textAgents[2] as (typeof textAgents)[number], async (home) => {
    home.write(1, Buffer.from(`${home.agent.lines(1, ['one', 'caf@ here', 'three']).join('\n')}\n`.replaceAll('@', '\u00e9'), 'latin1'));
    const [first] = surroundings(await home.read());
    expect(first?.[1]).toContain('not UTF-8');
    expect([first?.[0], first?.[2]].join(' ')).toContain('caf\ufffd here');
  }));

test('a row of OpenCode that is no JSON is drawn at the part that stands for it', () =>
  within('opencode', 'v118-live', opencode, (home) => {
    const db = new Database(join(home, '.local/share/opencode/opencode.db'));
    db.exec("UPDATE part SET data = 'none' WHERE id = (SELECT id FROM part WHERE session_id = 'ses_e2046f261ffefE1s9Vr81n5g9L' ORDER BY id LIMIT 1 OFFSET 3)");
    db.close();
  }, (shelf) => {
    const session = shelf.session('opencode/ses_e2046f261ffefE1s9Vr81n5g9L' as Parameters<Shelf['session']>[0]);
    const [damage] = session.detail.damage;
    expect(session.detail.damage).toHaveLength(1);
    expect(session.parts[damage?.before ?? -1]).toMatchObject({ kind: 'notice', title: 'this part could not be read' });
  }));

test('places follow when a session grows, and go with their damage', () =>
  inWrittenHome(lineAgents[0] as (typeof lineAgents)[number], async (home) => {
    const whole = `${home.agent.lines(1, ['one', 'two']).join('\n')}\n`;
    home.write(1, whole.slice(0, -40));
    // Long ago: nobody is in the middle of the line.
    utimesSync(home.file(1), new Date(0), new Date(0));
    const shelf = await home.read();
    const places = () => shelf.library.db.prepare('SELECT before FROM damage_place').pluck().all();
    expect(places()).toEqual([3]);
    appendFileSync(home.file(1), whole.slice(-40));
    await shelf.pass();
    expect(places()).toEqual([]);
    expect(readFileSync(home.file(1), 'utf8')).toBe(whole);
  }));

test('a library of the first version gets the new tables, and a place goes with its damage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-library-'));
  try {
    const file = join(folder, 'library.db');
    writeFileSync(file, '');
    const old = new Database(file);
    old.pragma(`application_id = ${0x52747263}`);
    old.exec(migrations[0] ?? '');
    old.pragma('user_version = 1');
    old.close();
    const { db } = openLibrary(file);
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length);
    // Each entry may run on a library that has its tables already.
    for (const sql of migrations.slice(1)) db.exec(sql);
    db.exec("INSERT INTO damage(store, place, reason) VALUES (1, 'x', 'y'); INSERT INTO damage_place(damage, before) VALUES (1, 4); DELETE FROM damage");
    expect(db.prepare('SELECT count(*) FROM damage_place').pluck().get()).toBe(0);
    db.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
