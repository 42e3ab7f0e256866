import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixtureNames } from '../../../../e2e/fixtures';
import { contentOf } from './content';
import { historiesOf, placedIn, projectAll, withFixture, written } from './fixture-home.test-support';
import { project } from './project';

const source = '/home/dev/shop/.aider.chat.history.md';
const readAll = (text: string | Uint8Array) => projectAll(source, [Buffer.from(text as string)]);
const spoken = (text: string | Uint8Array) => readAll(text).records.map(({ type, message, parts }) => [type, message?.role, parts[0]?.text]);

const histories = fixtureNames('aider').flatMap((name) => historiesOf(name).map(({ file }) => [`${name} ${file}`, name, file] as const));

describe('a history in pieces is the history in one', () => {
  test.each(histories)('%s, cut in two at sixty places', (_title, name, file) => {
    const bytes = withFixture('aider', name, ({ home }) => readFileSync(placedIn(home, file)));
    const whole = projectAll(source, [bytes]);
    for (let cut = 1; cut < bytes.length; cut += Math.ceil(bytes.length / 60)) {
      expect(projectAll(source, [bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
    }
  });

  test('byte by byte, with a byte that is not UTF-8', () => {
    const bytes = withFixture('field', 'aider-fences', ({ home }) => readFileSync(`${home}/projects/ledger/.aider.chat.history.md`));
    expect(projectAll(source, [...bytes].map((byte) => Buffer.from([byte])))).toEqual(projectAll(source, [bytes]));
  });

  test('line by line, where an answer holds headers of which some are real', () => {
    const text = [
      written.run('2026-03-01 10:00:00', 'Aider v0.86.1'), written.ask('show a header'),
      written.answer('Like so:\n\n# aider chat started at 2020-01-01 00:00:00\n\nand so on.'),
      written.run('2026-03-01 11:00:00'), written.run('2026-03-01 11:00:00', 'Aider v0.86.1'), written.ask('again'), written.answer('Yes.'),
      written.run('2026-03-01 12:00:00', 'Aider v0.86.1'),
    ].join('');
    const lines = text.split(/(?<=\n)/).map((line) => Buffer.from(line));
    const whole = readAll(text);
    expect(projectAll(source, lines)).toEqual(whole);
    expect(whole.evidence.map(({ data }) => data['started'])).toEqual(['2026-03-01 10:00:00', '2026-03-01 11:00:00', '2026-03-01 11:00:00', '2026-03-01 12:00:00']);
    expect(new Set(whole.records.map(({ session }) => session)).size).toBe(4);
  });
});

test.each(histories)('bodies can be made from the bytes alone: %s', (_title, name, file) => {
  const bytes = withFixture('aider', name, ({ home }) => readFileSync(placedIn(home, file)));
  const forms = { run: 'run', user: 'user', 'user/command': 'user', answer: 'answer' } as const;
  for (const record of projectAll(source, [bytes]).records) {
    const content = contentOf(bytes.subarray(record.at, record.at + record.bytes));
    expect(content.form).toBe(forms[record.type as keyof typeof forms] ?? 'tool');
    if (record.parts[0]?.block === 0 && record.parts[0].kind !== 'tool') expect(content.text).toBe(record.parts[0].text);
  }
});

test('records say where they stand: the empty line before a prompt or answer is part of it', () => {
  const text = written.run('2026-03-01 10:00:00', 'Aider v0.86.1') + written.ask('hi') + written.answer('Hello.') + written.say('Tokens: 10 sent, 2 received.');
  expect(readAll(text).records.map(({ key, type, at, bytes }) => ({ key, type, at, bytes }))).toEqual([
    { key: '0', type: 'run', at: 0, bytes: 63 },
    { key: '64', type: 'user', at: 64, bytes: 10 },
    { key: '75', type: 'answer', at: 75, bytes: 7 },
    { key: '84', type: 'tool/usage', at: 84, bytes: 32 },
  ]);
  expect(text.slice(64, 74)).toBe('\n#### hi  ');
});

test('a Windows history reads as another one does', () => {
  const text = written.run('2026-03-01 10:00:00', 'Aider v0.86.1') + written.ask('two\nlines') + written.answer('First.\n\nSecond.') + written.say('Commit 1234567 fix');
  expect(spoken(text.replaceAll('\n', '\r\n'))).toEqual(spoken(text));
  expect(spoken(text)).toEqual([
    ['run', 'system', 'Aider v0.86.1'], ['user', 'user', 'two\nlines'], ['answer', 'assistant', 'First.\n\nSecond.'], ['tool/commit', 'assistant', 'Commit 1234567 fix'],
  ]);
});

test('an answer with CR LF inside keeps it in a history that has only LF', () => {
  const text = written.run('2026-03-01 10:00:00') + written.ask('x') + '\nOne\r\n\r\nTwo\r\n#### Three  \r\nlast\n\n';
  expect(spoken(text).at(-1)).toEqual(['answer', 'assistant', 'One\r\n\r\nTwo\r\n#### Three  \r\nlast']);
});

test('bytes that are not UTF-8 are named once, by line and place', () => {
  const text = Buffer.concat([Buffer.from(written.run('2026-03-01 10:00:00') + '\n#### Caf'), Buffer.from([0xe9, 0xff]), Buffer.from('?  \n')]);
  const { damage, records, evidence } = projectAll(source, [text.subarray(0, 55), text.subarray(55)]);
  expect(damage).toEqual([{ place: '.aider.chat.history.md', line: 5, at: 55, bytes: 2, reason: '2 bytes of this line are not UTF-8, shown as \ufffd' }]);
  expect(records.at(-1)?.parts[0]?.text).toBe('Caf\ufffd\ufffd?');
  expect(evidence[0]?.data['foreign']).toBe(2);
});

test('a line without an end is said to be torn until it is whole', () => {
  const text = written.run('2026-03-01 10:00:00') + written.ask('hi') + '\nHel';
  const torn = readAll(text);
  expect(torn.records.map(({ type }) => type)).toEqual(['run', 'user']);
  expect(torn.evidence[0]?.data['torn']).toBe(3);
  const whole = projectAll(source, [Buffer.from(text), Buffer.from('lo.\n')]);
  expect(whole.evidence[0]?.data['torn']).toBeUndefined();
  expect(whole.records.at(-1)?.parts[0]?.text).toBe('Hello.');
  expect([torn.damage, whole.damage]).toEqual([[], []]);
});

test('a file that ends in its first line is damage until it goes on', () => {
  const text = '\n# aider chat sta';
  expect(readAll(text).damage).toEqual([
    { place: '.aider.chat.history.md', line: 2, at: 17, bytes: 0, reason: 'the file ends inside a line, 16 bytes after its beginning: cut, or still being written' },
  ]);
  expect(projectAll(source, [Buffer.from(text), Buffer.from('rted at 2026-03-01 10:00:00\n')])).toEqual(readAll(written.run('2026-03-01 10:00:00').trimEnd() + '\n'));
});

test('an answer that grows is one record that grows', () => {
  const begin = Buffer.from(written.run('2026-03-01 10:00:00') + written.ask('hi') + '\nOne line.\nAnd a be');
  const first = projectAll(source, [begin]).records.at(-1);
  expect(first?.parts[0]?.text).toBe('One line.\nAnd a be');
  const grown = projectAll(source, [begin, Buffer.from('ginning.\n\n> Tokens: 5 sent, 1 received.  \n')]).records;
  expect(grown.map(({ key, type }) => [key, type])).toEqual([['0', 'run'], ['46', 'user'], ['57', 'answer'], ['86', 'tool/usage']]);
  expect(grown[2]?.parts[0]?.text).toBe('One line.\nAnd a beginning.');
});

test('an empty file, and one with nothing but blanks, hold nothing', () => {
  expect(readAll('')).toEqual({ records: [], evidence: [], damage: [], unknown: {} });
  expect(readAll('\n\n\n')).toEqual({ records: [], evidence: [], damage: [], unknown: {} });
});

test('two runs in the same second are two sessions', () => {
  const one = written.run('2026-03-01 10:00:00', 'Aider v0.86.1') + written.ask('a');
  const { evidence } = readAll(one + one.replace('#### a', '#### b'));
  expect(evidence.map(({ session, data }) => [session, data['started'], data['prompt']])).toEqual([
    ['c58593136758-0', '2026-03-01 10:00:00', 'a'],
    ['c58593136758-74', '2026-03-01 10:00:00', 'b'],
  ]);
});

test('what stands before the first header is a run without a start', () => {
  const { evidence, records } = readAll(`#### lost head  \n\nAn answer.\n\n${written.run('2026-03-01 10:00:00', 'Aider v0.86.1')}`);
  expect(evidence.map(({ data }) => data['started'])).toEqual([null, '2026-03-01 10:00:00']);
  expect(records.map(({ type }) => type)).toEqual(['user', 'answer', 'run']);
});

test('a gap in the stream costs the line that was not read', () => {
  const before = Buffer.from(written.run('2026-03-01 10:00:00') + written.ask('hi') + '\nSome words\n');
  const first = project({ source, at: 0, bytes: before, carry: null });
  const rest = Buffer.from('more words\n\n> Tokens: 5 sent, 1 received.  \n');
  const second = project({ source, at: before.length + 1_000, bytes: rest, carry: first.carry });
  expect(second.records.map(({ type, at }) => [type, at - before.length - 1_000])).toEqual([['answer', 0], ['tool/usage', 12]]);
  expect(second.records[0]?.session).toBe(first.records[0]?.session);
});

test('messages before an answer and after it belong to its message; a second answer is a message of its own', () => {
  const text = written.run('2026-03-01 10:00:00') + written.ask('hi') + written.say('util.py') + written.say('Add file to the chat? (Y)es/(N)o [Yes]: n')
    + written.answer('One.') + written.say('Tokens: 10 sent, 2 received.') + written.say('The LLM did not conform to the edit format.') + written.answer('Two.') + written.say('Tokens: 20 sent, 3 received.');
  expect(readAll(text).records.slice(2).map(({ type, message }) => [type, message?.key, message?.counted, message?.tokens?.input ?? null])).toEqual([
    ['tool', '57', false, null], ['answer', '57', true, null], ['tool/usage', '57', false, 10], ['tool/failed', '57', false, null], ['answer', '203', true, null], ['tool/usage', '203', false, 20],
  ]);
});

test('files that were given read-only are remembered with the run', () => {
  const { evidence } = readAll(
    written.run('2026-03-01 10:00:00', 'Aider v0.86.1', 'Added calc.py to the chat.', 'Added CONVENTIONS.md to the chat (read-only).', 'Added /etc/rules.md to the chat (read-only).') +
      written.ask('/read-only docs/style.md') + written.say('Added docs/style.md to read-only files.'),
  );
  const files = (at: number, ...named: [string, boolean][]) => ({ key: String(at), at, block: 0, files: named.map(([path, inferred]) => ({ path, kind: 'read-only', characters: 0, inferred })) });
  const said = evidence.filter(({ slot }) => slot.startsWith('instructions ')).map(({ data }) => data);
  expect(said).toEqual([files(0, ['/home/dev/shop/CONVENTIONS.md', true], ['/etc/rules.md', false]), files(Number(said[1]?.['at']), ['/home/dev/shop/docs/style.md', true])]);
});
