import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '@shared/model';
import { openFixture } from '../../../e2e/fixtures';
import { Shelf } from '../stores/acceptance';
import { opencode } from '../stores/opencode';
import { answered, inWrittenHome, lineAgents, said } from './home.test-support';

const codexAgent = lineAgents[1] as (typeof lineAgents)[number];
/** The first instant of a year, as milliseconds. */
const year = (number: number): number => Number(new Date(0).setUTCFullYear(number, 0, 1));

test.each(['0001-01-01T00:00:00.000Z', '+060000-01-01T00:00:00.000Z'])('19: records of Codex dated %s are shown without a time, in the order of the file, and counted', (odd) =>
  inWrittenHome(codexAgent, async (home) => {
    const lines = codexAgent.lines(1, ['one', 'two']);
    // All of the second turn, the last record of the file among it.
    const from = lines.findIndex((line, at) => at > 1 && line.includes('two'));
    home.write(1, `${lines.map((line, at) => (at >= from ? line.replace(/"timestamp":"[^"]*"/, `"timestamp":"${odd}"`) : line)).join('\n')}\n`);
    const shelf = await home.read();
    expect(said(shelf)).toEqual([answered('one', 'two')]);
    const [session] = shelf.content();
    const { created, updated } = session?.detail.summary ?? {};
    expect([created, updated].every((time) => time?.startsWith('2026-'))).toBe(true);
    expect(session?.parts.map(({ time }) => time).filter((time) => time !== null && !time.startsWith('2026-'))).toEqual([]);
    expect(session?.parts.at(-1)?.time).toBe(null);
    expect(session?.detail.notices.filter(({ kind }) => kind === 'time').map(({ text }) => text)).toEqual([expect.stringMatching(/^\d records have a time that cannot be true \(before 2000, or from 2100 on\); they are shown without one/)]);
  }));

test.each([1, 60_000])('19: rows of OpenCode dated in the year %i are shown without a time, where their ids put them', async (odd) => {
  const fixture = openFixture('opencode', 'v118-live');
  const shelf = new Shelf(fixture.home, opencode);
  try {
    const id = 'ses_e2046f261ffefE1s9Vr81n5g9L' as const;
    const usual = new Shelf(fixture.home, opencode);
    await usual.pass();
    const before = usual.session(`opencode/${id}` as SessionId);
    usual.dispose();
    const db = new Database(join(fixture.home, '.local/share/opencode/opencode.db'));
    const last = db.prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1').get(id) as { id: string; data: string };
    const data = JSON.parse(last.data) as { time: { created: number; completed?: number } };
    const wasEnded = data.time.completed !== undefined;
    data.time = { created: year(odd), ...(wasEnded && { completed: year(odd) }) };
    db.prepare('UPDATE message SET time_created = ?, data = ? WHERE id = ?').run(year(odd), JSON.stringify(data), last.id);
    db.prepare('UPDATE session SET time_updated = ?, time_archived = ? WHERE id = ?').run(year(odd), Math.abs(year(odd)), id);
    db.close();
    await shelf.pass();
    const { detail, parts } = shelf.session(`opencode/${id}` as SessionId);
    expect(parts.map(({ id: part }) => part)).toEqual(before.parts.map(({ id: part }) => part));
    expect(parts.filter(({ message }) => message.nativeId === last.id).map(({ message }) => message.time)).toEqual(parts.filter(({ message }) => message.nativeId === last.id).map(() => null));
    expect(detail.condition).toBe(before.detail.condition);
    expect(detail.summary.updated).toBe(null);
    expect(detail.summary.archived).toBe(detail.summary.created);
    expect(detail.notices.filter(({ kind }) => kind === 'time').map(({ text }) => text)).toEqual([
      'A time of the session itself cannot be true (before 2000, or from 2100 on); it is shown as unknown.',
      `${last.id} has a time that cannot be true (before 2000, or from 2100 on); it is shown without one and stands where its id puts it.`,
    ]);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
});

test('19: a session of OpenCode dated far ahead does not hide what is new in others', async () => {
  const fixture = openFixture('opencode', 'v12-sqlite');
  const shelf = new Shelf(fixture.home, opencode);
  try {
    const file = join(fixture.home, '.local/share/opencode/opencode.db');
    const run = (sql: string) => {
      const db = new Database(file);
      db.exec(sql);
      db.close();
    };
    const db = new Database(file, { readonly: true });
    const [first, second] = db.prepare('SELECT id FROM session ORDER BY id').pluck().all() as string[];
    db.close();
    run(`UPDATE session SET time_updated = ${year(60_000)} WHERE id = '${first}'`);
    await shelf.pass();
    run(`UPDATE session SET title = 'A new name', time_updated = ${Date.UTC(2026, 11, 31)} WHERE id = '${second}'`);
    await shelf.pass();
    expect(shelf.session(`opencode/${second}` as SessionId).detail.summary.title).toBe('A new name');
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
});
