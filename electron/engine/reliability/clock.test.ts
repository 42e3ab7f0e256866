import { utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LibraryTree } from '../queries/tree';
import { claudeAgent, claudeLine, idOf, inWrittenHome, said, textAgents } from './home.test-support';

/** A session of six records with these times, one after the other. */
const withTimes = (n: number, times: unknown[]): string =>
  `${times.map((time, at) => claudeLine(n, `${n}-${at}`, at === 0 ? null : `${n}-${at - 1}`, at % 2 === 0 ? 'user' : 'assistant', `text ${at}`, time)).join('\n')}\n`;
const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`);

test('19: clock skew: the order of the file decides, odd times are marked', () =>
  inWrittenHome(claudeAgent, async (home) => {
    const usual = '2026-11-29T12:00:00.000Z';
    const cases: [unknown[], string[]][] = [
      [[usual, usual], []],
      // In the future.
      [[usual, '2031-01-01T00:00:00.000Z', usual], ['Times go back at record 1-2; the order shown is that of the records, not of their times.', 'The time of record 1-1 lies in the future.']],
      // Going backwards: two machines mixed, and the hour that comes twice.
      [[usual, '2026-11-29T11:00:00.000Z'], ['Times go back at record 1-1; the order shown is that of the records, not of their times.']],
      // Without a time, in seconds, and no time at all.
      [[undefined, usual, 1_796_000_000, 'yesterday', null, {}], []],
      // With a zone: 12:00 UTC each.
      [['2026-11-29T14:00:00.000+02:00', '2026-11-29T02:00:00.000-10:00'], []],
    ];
    for (const [n, [times, notices]] of cases.entries()) {
      home.write(1, withTimes(1, times));
      const [session] = (await home.read()).content();
      expect(session?.parts.map(({ text }) => text?.text), `case ${n}`).toEqual(texts(times.length));
      expect(session?.detail.notices.filter(({ kind }) => kind === 'time').map(({ text }) => text), `case ${n}`).toEqual(notices);
    }
  }));

test('19: days are those of UTC, whatever zone a record names', () =>
  inWrittenHome(claudeAgent, async (home) => {
    home.write(1, withTimes(1, ['2026-11-30T01:00:00.000+14:00', '2026-11-30T01:00:01.000+14:00']));
    home.write(2, withTimes(2, ['2026-11-29T23:30:00.000-01:00', '2026-11-29T23:30:01.000-01:00']));
    const shelf = await home.read();
    const rows = new LibraryTree(shelf.library.db).rows({ filter: {}, sort: 'updated', group: 'day', toggled: [] }, 1, 0, 10).rows;
    expect(rows.map((row) => (row.type === 'group' ? `${row.name} ${row.detail}` : row.summary.id))).toEqual([
      '2026-11-30 UTC', `claude-code/${idOf(2)}`, '2026-11-29 UTC', `claude-code/${idOf(1)}`,
    ]);
  }));

test.each(textAgents)('19: files of $agent dated by another clock are read all the same', (agent) =>
  inWrittenHome(agent, async (home) => {
    utimesSync(home.say(1, 'from the past'), 0, 0);
    utimesSync(home.say(2, 'from the future'), 4_000_000_000, 4_000_000_000);
    expect(said(await home.read()).map(([first]) => first)).toEqual(['from the future', 'from the past']);
  }));
