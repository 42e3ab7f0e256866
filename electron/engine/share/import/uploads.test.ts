import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { safeName, Uploads } from './uploads';

let uploads: Uploads;
beforeEach(() => void (uploads = new Uploads(1_000)));
afterEach(() => uploads.close());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const first = (name: string, text: string, size = text.length) => uploads.take({ upload: null, name, size, at: 0, data: base64(text) });
const idOf = (answer: ReturnType<typeof first>): string => {
  if ('refused' in answer) throw new Error(answer.refused);
  return answer.upload;
};

test('a file comes up in pieces, is there when it is whole, and goes', () => {
  const id = idOf(first('notes.jsonl', 'one ', 7));
  expect(uploads.whole(id)).toBeNull();
  expect(uploads.take({ upload: id, name: 'notes.jsonl', size: 7, at: 4, data: base64('two') })).toEqual({ upload: id, received: 7 });
  const { path, name } = uploads.whole(id) ?? { path: '', name: '' };
  expect([name, readFileSync(path, 'utf8'), readdirSync(dirname(path))]).toEqual(['notes.jsonl', 'one two', ['notes.jsonl']]);
  uploads.discard(id);
  expect([uploads.whole(id), existsSync(dirname(dirname(path)))]).toEqual([null, false]);
});

test('what is too large, out of order or forgotten is refused, and leaves nothing', () => {
  expect(first('big.json', 'x', 1_001)).toEqual({ refused: 'The file has 1,001 bytes; up to 1,000 are sent up. Import it on the machine that Retrace runs on: retrace import FILE.' });
  const id = idOf(first('a.json', 'abc', 6));
  expect(uploads.take({ upload: id, name: 'a.json', size: 6, at: 2, data: base64('x') })).toEqual({ refused: 'The file changed while it was sent up. Choose it again.' });
  expect(uploads.take({ upload: id, name: 'a.json', size: 6, at: 3, data: base64('def') })).toEqual({ refused: 'The file that was being sent up is not here any more. Choose it again.' });
  expect(first('b.json', 'abcdef', 3)).toEqual({ refused: 'The file changed while it was sent up. Choose it again.' });
});

test('four are kept: the one longest untouched goes for a fifth', () => {
  const ids = [1, 2, 3, 4].map((at) => idOf(first(`${at}.json`, 'x', 2)));
  const [oldest = '', second = ''] = ids;
  uploads.take({ upload: oldest, name: '1.json', size: 2, at: 1, data: base64('y') });
  idOf(first('5.json', 'x'));
  expect([uploads.whole(oldest)?.name, uploads.take({ upload: second, name: '2.json', size: 2, at: 1, data: base64('y') })]).toEqual(['1.json', { refused: 'The file that was being sent up is not here any more. Choose it again.' }]);
});

test.each([
  ['rollout-2026-11-29T15-53-10-01a22802.jsonl.zst', 'rollout-2026-11-29T15-53-10-01a22802.jsonl.zst'],
  ['/home/me/ses_1.json', 'ses_1.json'],
  ['C:\\Users\\me\\ses_1.json', 'ses_1.json'],
  ['../../.git/hooks/x', 'x'],
  ['..', 'session'],
  ['.aider.chat.history.md', 'session.md'],
  ['CON', 'session'],
  ['con.json', 'session.json'],
  ['a\u0000.json', 'session.json'],
  ['trailing.', 'session'],
  [`${'a'.repeat(300)}.json`, 'session.json'],
  ['ein Gespräch.retrace.jsonl', 'session.jsonl'],
  ['C:', 'session'],
  ['', 'session'],
])('the file %j lies as %s', (name, safe) => {
  expect(safeName(name)).toBe(safe);
});
