import { expect, test } from 'vitest';
import { body } from './body';

const of = (record: string, block = 0, result?: string) =>
  body({ record: Buffer.from(record), block, result: result === undefined ? null : { record: Buffer.from(result), block: 0 }, file: () => null });

test('text of a run, a prompt, a command, an answer and messages', () => {
  expect(of('\n# aider chat started at 2026-03-01 10:00:00\n\n> Aider v0.86.1  \n> Main model: m with diff edit format  ').text).toBe('Aider v0.86.1\nMain model: m with diff edit format');
  expect(of('\n#### first  \n####   \n#### > last  ').text).toBe('first\n\n> last');
  expect(of('\r\n#### first  \r\n#### last  ').text).toBe('first\nlast');
  expect(of('\n#### A heading\n\n> and a quote').text).toBe('#### A heading\n\n> and a quote');
  expect(of('> one  \n> two\n\n> of three lines  ').text).toBe('one\ntwo\n\n> of three lines');
});

test('an edit of an answer, with what the program said of it', () => {
  const answer = '\nSure.\n\na.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```';
  expect(of(answer, 1, '> Applied edit to a.py  ').tool).toEqual({
    target: 'a.py', input: '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE', output: 'Applied edit to a.py', exitCode: null, durationMs: null, todos: [], images: [], child: null, note: null,
    edits: [{ path: 'a.py', kind: 'edit', added: 1, removed: 1, patch: '--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-a\n+b\n', recorded: { unplaced: true, asked: true } }],
  });
  expect(of(answer, 2).tool).toBeNull();
});

test('an edit that only the program names', () => {
  expect(of('> Applied edit to total.js  ').tool).toMatchObject({ target: 'total.js', output: 'Applied edit to total.js', edits: [{ path: 'total.js', patch: null }] });
});

test('a whole file has no diff, and says why', () => {
  expect(of('\na.py\n```\nprint(1)\n```', 1).tool).toMatchObject({ target: 'a.py', input: 'print(1)', note: 'The answer has the whole new file; what it replaced is not recorded.' });
});
