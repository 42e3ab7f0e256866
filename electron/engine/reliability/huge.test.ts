import { appendFileSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Timeline } from '../queries/timeline';
import { answered, claudeAgent, claudeLine, damageIn, inWrittenHome, said, textAgents } from './home.test-support';

const isSlow = process.env['RETRACE_SLOW'] === '1';
/** Bytes of the line: over the limit of 64 MB for one record. */
const lineBytes = isSlow ? 1_000_000_000 : 80_000_000;
/** Bytes the process may grow by. The limit for a record is 64 MB; a room that grew towards it stands beside the one before. */
const memoryLimit = 400_000_000;

test.each(textAgents)('17: a 1 GB line in a file of $agent (80 MB in the short run): named with its size, all others shown, memory bounded', (agent) =>
  inWrittenHome(agent, async (home) => {
    home.say(1, 'healthy');
    const lines = agent.lines(2, ['one', 'two']);
    const middle = agent.agent === 'Aider' ? lines.length : lines.length - 1;
    const path = home.write(2, `${lines.slice(0, middle).join('\n')}\n`);
    const piece = Buffer.alloc(10_000_000, 'x');
    appendFileSync(path, '{"type":"user","text":"');
    for (let left = lineBytes; left > 0; left -= piece.length) appendFileSync(path, piece);
    appendFileSync(path, `"}\n${lines.slice(middle).map((line) => `${line}\n`).join('')}`);
    const shelf = home.shelf();
    await nextTick();
    const before = process.resourceUsage().maxRSS;
    const started = performance.now();
    await shelf.pass();
    expect((process.resourceUsage().maxRSS - before) * 1024).toBeLessThan(memoryLimit);
    expect(performance.now() - started).toBeLessThan(isSlow ? 60_000 : 10_000);
    expect(said(shelf).map((texts) => texts.slice(0, 4))).toEqual([answered('healthy'), answered('one', 'two')]);
    expect(damageIn(shelf)).toEqual([expect.stringMatching(new RegExp(`${agent.named(2)}:${middle + 1} a (record|line) of .*, over the limit of .*: not read`))]);
  }), 300_000);

test('17: a result of 20 MB is carried in parts, and shown whole part by part', () =>
  inWrittenHome(claudeAgent, async (home) => {
    const text = `${'0123456789'.repeat(2_000_000)}end`;
    const lines = claudeAgent.lines(1, ['one']);
    writeFileSync(home.say(1, 'one'), `${[...lines, claudeLine(1, '1-u9', '1-a0', 'user', text)].join('\n')}\n`);
    const shelf = await home.read();
    const [session] = shelf.content();
    const part = session?.parts.at(-1);
    expect(part?.text?.total ?? 0).toBe(text.length);
    const timeline = new Timeline(shelf.library.db, () => claudeAgent.store);
    const shown = timeline.parts(session?.id ?? '', 0, 2, 1, false)?.parts[0];
    expect(shown?.text?.text.length).toBeLessThan(24_000);
    expect(timeline.text(shown?.id ?? '', 'text', text.length - 5, 100)).toEqual({ text: '89end', from: text.length - 5, total: text.length });
  }));
