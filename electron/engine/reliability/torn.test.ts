import { utimesSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answered, claudeAgent, damageIn, inWrittenHome, lineAgents, said, textAgents } from './home.test-support';

/** Bytes between two cuts: each is a whole pass. */
const step = process.env['RETRACE_SLOW'] === '1' ? 1 : 61;

describe.each(textAgents)('2: torn write in a transcript of $agent', (agent) => {
  // Each cut is a pass of its own here; the stores' own tests cut at every byte in memory.
  test('cut anywhere in its last two records: whole records shown, the cut one named, the other session untouched', () =>
    inWrittenHome(agent, async (home) => {
      home.say(1, 'healthy');
      const whole = Buffer.from(`${agent.lines(2, ['one', 'two']).join('\n')}\n`);
      const lines = agent.lines(2, ['one', 'two']).map((line) => Buffer.byteLength(line) + 1);
      const start = whole.length - (lines.at(-1) ?? 0) - (lines.at(-2) ?? 0);
      const ends = [start, whole.length - (lines.at(-1) ?? 0), whole.length];
      for (let cut = start; cut <= whole.length; cut += step) {
        // Long ago: nobody is in the middle of a line.
        utimesSync(home.write(2, whole.subarray(0, cut)), new Date(0), new Date(0));
        const shelf = await home.read();
        expect(said(shelf)[0]?.slice(0, 2), `cut at ${cut}`).toEqual(answered('healthy'));
        expect(said(shelf)[1]?.slice(0, 2), `cut at ${cut}`).toEqual(answered('one'));
        const isTorn = !ends.some((end) => cut === end || cut === end - 1);
        // A Markdown line that is cut is still a line: it is shown as far as it goes.
        if (agent.agent !== 'Aider') expect(damageIn(shelf).map((place) => place.replace(/:\d+/, '')), `cut at ${cut}`).toEqual(isTorn ? [`${agent.named(2)} cut: the last line ends in the middle of a record`] : []);
      }
    }), 120_000);
});

describe.each(lineAgents)('3: damage in the middle of a transcript of $agent', (agent) => {
  test.each([
    ['NUL run', '\0'.repeat(64), /NUL bytes, no record/],
    ['half record', agent.lines(2, ['one'])[1]?.slice(0, 80) ?? '', /half a record: it ends in the middle/],
    ['blank line', '', null],
  ] as const)('%s at each line border: one damaged place, all others shown', (_, line, reason) =>
    inWrittenHome(agent, async (home) => {
      home.say(1, 'healthy');
      const lines = agent.lines(2, ['one', 'two']);
      for (let border = 1; border <= lines.length; border++) {
        home.write(2, `${lines.toSpliced(border, 0, line).join('\n')}\n`);
        const shelf = await home.read();
        expect(said(shelf)).toEqual([answered('healthy'), answered('one', 'two')]);
        if (reason === null) expect(damageIn(shelf)).toEqual([]);
        else expect(damageIn(shelf)).toEqual([expect.stringMatching(new RegExp(`^${agent.source(2)}:${border + 1} .*${reason.source}`))]);
      }
    }));

  test('two records on one line: both shown, the line named', () =>
    inWrittenHome(agent, async (home) => {
      const lines = agent.lines(2, ['one', 'two']);
      for (let at = 1; at < lines.length; at++) {
        home.write(2, `${lines.toSpliced(at - 1, 2, `${lines[at - 1]}${lines[at]}`).join('\n')}\n`);
        const shelf = await home.read();
        expect(said(shelf)).toEqual([answered('one', 'two')]);
        expect(damageIn(shelf)).toEqual([expect.stringMatching(new RegExp(`^${agent.source(2)}:${at} .*on one line`))]);
      }
    }));
});

test('3: a NUL run in a transcript of Claude Code counts for its session alone', () =>
  inWrittenHome(claudeAgent, async (home) => {
    home.say(1, 'healthy');
    home.write(2, `${claudeAgent.lines(2, ['one']).join(`\n${'\0'.repeat(9)}\n`)}\n`);
    const sessions = (await home.read()).content();
    expect(sessions.map(({ detail }) => [detail.damage.length, detail.condition])).toEqual([[0, 'finished'], [1, 'recovered']]);
  }));
