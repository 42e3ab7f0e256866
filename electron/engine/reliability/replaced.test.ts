import { appendFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RawBatch, SessionStore } from '../stores/store';
import { answered, inWrittenHome, said, textAgents, type WrittenHome } from './home.test-support';

/** Something happens to a file once, before its batch of this number is asked for: 0 is between looking and reading. */
function disturbed(store: SessionStore, batch: number, happens: () => void): SessionStore {
  let left: (() => void) | null = happens;
  return {
    ...store,
    *read(...args): Iterable<RawBatch> {
      let count = 0;
      const batches = store.read(...args)[Symbol.iterator]();
      for (;;) {
        if (count++ === batch) {
          left?.();
          left = null;
        }
        const next = batches.next();
        if (next.done) return;
        // The room of a batch may be used again.
        yield { ...next.value, bytes: Uint8Array.from(next.value.bytes) };
      }
    },
  };
}

/** In the short run the file changes between its batches, in the long one also before and behind. */
const batches = process.env['RETRACE_SLOW'] === '1' ? [0, 1, 2] : [1];
/** A session of several batches of 4 MB. */
const prompts = (word: string) => Array.from({ length: 3 }, (_, n) => `${word} ${n} ${word[0]?.repeat(900_000)}`);
const text = (home: WrittenHome, word: string) => `${home.agent.lines(2, prompts(word)).join('\n')}\n`;

const changes: [string, (file: string, home: WrittenHome) => void][] = [
  ['truncated', (file) => truncateSync(file, Math.floor(statSync(file).size / 3))],
  ['replaced by another under its name', (file, home) => (writeFileSync(`${file}.new`, text(home, 'newer')), renameSync(`${file}.new`, file))],
  ['written over with other content', (file, home) => writeFileSync(file, text(home, 'newer'))],
  ['deleted', (file) => rmSync(file)],
  ['appended to', (file, home) => appendFileSync(file, `${home.agent.lines(2, [...prompts('older'), 'more']).slice(home.agent.lines(2, prompts('older')).length).join('\n')}\n`)],
  [
    'given other content of the same size and time', (file, home) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, text(home, 'other'));
      utimesSync(file, atime, mtime);
    },
  ],
];

describe.each(textAgents)('25: file of $agent replaced while reading', (agent) => {
  test.each(changes.flatMap(([what, change]) => batches.map((batch) => ({ what, change, batch }))))('$what before batch $batch: the next pass shows one state, the new one', ({ change, batch }) =>
    inWrittenHome(agent, async (home) => {
      home.say(1, 'healthy');
      const file = home.write(2, text(home, 'older'));
      const shelf = home.shelf();
      let reads = 0;
      // Of the two files only the large one has a second batch.
      const store = disturbed({ ...agent.store, read: agent.store.read.bind(agent.store) }, batch, () => {
        reads++;
        change(file, home);
      });
      await shelf.pass(store);
      expect(reads).toBe(1);
      await shelf.pass();
      const present = shelf.content().filter(({ source }) => source === 'present');
      const fresh = await home.read();
      const digest = (sessions: typeof present) => sessions.map(({ id, parts }) => [id, parts.map((part) => `${part.text?.total} ${part.text?.text.slice(0, 12)}`)]);
      expect(digest(present)).toEqual(digest(fresh.content()));
      expect(said(shelf).some((texts) => texts.join() === answered('healthy').join())).toBe(true);
    }));
});
