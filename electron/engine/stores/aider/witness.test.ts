import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KnownSource, RawBatch } from '../store';
import { written } from './fixture-home.test-support';
import { runNative } from './places';
import { project } from './project';
import { survey } from './survey';
import { answeredIn, typedIn } from './witness-files';
import { readWitness, type Witness } from './witness-read';
import { wordsOf } from './words';

const typed = (...entries: [string, string][]) => entries.map(([time, text]) => `\n# ${time}\n${text.split('\n').map((line) => `+${line}\n`).join('')}`).join('');
const at = (clock: string) => Date.parse(`2026-03-01T${clock}Z`);

describe('input history', () => {
  const read = (text: string, more = false, isNewRun: (a: number, b: number) => boolean = () => false) => {
    const { told, next } = typedIn(Buffer.from(text), 100, more, isNewRun);
    return { told: told.map(({ time, text: said }) => [new Date(time).toISOString().slice(11, 19), said]), next };
  };

  test('entries of one line and of several', () => {
    const text = typed(['2026-03-01 10:00:01.5', 'hello'], ['2026-03-01 10:00:02.25', 'two\n\nlines']);
    expect(read(text)).toEqual({ told: [['10:00:01', 'hello'], ['10:00:02', 'two\n\nlines']], next: 100 + text.length });
  });

  test('a block between braces is one prompt, with the time of its end', () => {
    const block = typed(['2026-03-01 10:00:01', '{'], ['2026-03-01 10:00:02', 'one'], ['2026-03-01 10:00:03', 'two'], ['2026-03-01 10:00:04', '}']);
    expect(read(block).told).toEqual([['10:00:04', 'one\ntwo']]);
    expect(read(typed(['2026-03-01 10:00:01', '{end'], ['2026-03-01 10:00:02', '}'], ['2026-03-01 10:00:03', 'end}'])).told).toEqual([['10:00:03', '}']]);
  });

  test('a block that is still open is left for later, and one of a run that ended is no block', () => {
    const text = typed(['2026-03-01 10:00:00', 'a'], ['2026-03-01 10:00:01', '{'], ['2026-03-01 10:00:02', 'one']);
    expect(read(text)).toEqual({ told: [['10:00:00', 'a']], next: 100 + typed(['2026-03-01 10:00:00', 'a']).length + 1 });
    const later = text + typed(['2026-03-01 12:00:00', 'b']);
    expect(read(later, false, (a, b) => a < at('11:00:00') && b > at('11:00:00')).told).toEqual([['10:00:00', 'a'], ['10:00:01', '{'], ['10:00:02', 'one'], ['12:00:00', 'b']]);
  });

  test('an entry without an end, and other lines, are no entries', () => {
    expect(read('+lost\n\n# 2026-03-01 10:00:01\n+whole\n\n# 2026-03-01 10:00:02\n+tor').told).toEqual([['10:00:01', 'whole']]);
    expect(read('# no time\n+x\n').told).toEqual([]);
  });
});

test('model history: answers with their times, requests passed over', () => {
  const text = 'TO LLM 2026-03-01T10:00:01\n-------\nUSER hi\nLLM RESPONSE 2026-03-01T10:00:03\nASSISTANT One.\nASSISTANT \nASSISTANT Two.\nTO LLM 2026-03-01T10:00:05\n-------\nUSER again\n';
  const { told, next } = answeredIn(Buffer.from(text), 0, false);
  expect(told).toEqual([{ time: at('10:00:03'), words: wordsOf('One.\n\nTwo.'), text: null }]);
  expect(next).toBe(text.length);
  const cut = text.slice(0, text.indexOf('ASSISTANT Two'));
  expect(answeredIn(Buffer.from(cut), 0, true)).toEqual({ told: [], next: text.indexOf('LLM RESPONSE') });
});

test('words are found again whatever the two files leave out', () => {
  expect(wordsOf('a  \n\nb\u2028c\n')).toBe(wordsOf('a\nb\nc'));
  expect(wordsOf('a\nb')).not.toBe(wordsOf('ab'));
});

describe('filing entries under runs', () => {
  let folder = '';
  let chat = '';
  let witness: Witness;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-aider-'));
    chat = join(folder, '.aider.chat.history.md');
    witness = { kind: 'input', path: join(folder, '.aider.input.history'), chats: [chat] };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const first = written.run('2026-03-01 10:00:00', 'Aider v0.86.1') + written.ask('a') + written.answer('See:\n\n# aider chat started at 2026-03-01 10:30:00\n\nno run') + written.say('Tokens: 1 sent, 1 received.');
  const second = written.run('2026-03-01 11:00:00', 'Aider v0.86.1') + written.ask('b');

  function filed(batches: RawBatch[]) {
    return batches.flatMap(({ bytes, at: from, source }) =>
      project({ source, at: from, bytes, carry: null }).evidence.map(({ session, slot, data }) => [session, slot, data['text'], new Date(Number(data['time'])).toISOString().slice(11, 19)]));
  }

  function known(batches: RawBatch[], before?: KnownSource): KnownSource {
    const last = batches.at(-1);
    if (!last) throw new Error('nothing was read');
    return { key: last.source, length: last.at + last.bytes.length, cursor: last.cursor, carry: before?.carry ?? null };
  }

  test('each belongs to the run begun last before it; what was typed before any run to none', () => {
    writeFileSync(chat, first + second);
    writeFileSync(witness.path, typed(['2026-03-01 09:00:00', 'early'], ['2026-03-01 10:00:05', 'a'], ['2026-03-01 10:45:00', 'y'], ['2026-03-01 11:00:00.5', 'b']));
    expect(filed([...readWitness(witness, undefined)]).map(([session, , ...rest]) => [session, ...rest])).toEqual([
      [runNative(chat, 0), 'a', '10:00:05'], [runNative(chat, 0), 'y', '10:45:00'], [runNative(chat, first.length), 'b', '11:00:00'],
    ]);
  });

  test('grown files are read on from where they stood', () => {
    writeFileSync(chat, first);
    writeFileSync(witness.path, typed(['2026-03-01 10:00:05', 'a']));
    const before = [...readWitness(witness, undefined)];
    appendFileSync(chat, second);
    appendFileSync(witness.path, typed(['2026-03-01 11:00:01', 'b']));
    const more = [...readWitness(witness, known(before))];
    expect(more.map(({ restarts }) => restarts)).toEqual([false]);
    expect(filed([...before, ...more])).toEqual(filed([...readWitness(witness, undefined)]));
    expect(filed(more).map(([session]) => session)).toEqual([runNative(chat, first.length)]);
  });

  test('a file that held nothing at first tells of every run', () => {
    writeFileSync(chat, first + second);
    writeFileSync(witness.path, '');
    const before = known([...readWitness(witness, undefined)]);
    writeFileSync(witness.path, typed(['2026-03-01 10:00:05', 'a'], ['2026-03-01 11:00:01', 'b']));
    expect(filed([...readWitness(witness, before)]).map(([session, , text]) => [session, text])).toEqual([[runNative(chat, 0), 'a'], [runNative(chat, first.length), 'b']]);
  });

  test('a history that does not hold what it held: all is filed anew', () => {
    writeFileSync(chat, first + second);
    writeFileSync(witness.path, typed(['2026-03-01 10:00:05', 'a'], ['2026-03-01 11:00:01', 'b']));
    const before = known([...readWitness(witness, undefined)]);
    writeFileSync(chat, second);
    const again = [...readWitness(witness, before)];
    expect(again.map(({ restarts, at: from }) => [restarts, from])).toEqual([[true, 0]]);
    expect(filed(again).map(([session, , text]) => [session, text])).toEqual([[runNative(chat, 0), 'b']]);
  });

  test('it is looked at again when it or a history changed, and not otherwise', () => {
    writeFileSync(chat, first);
    writeFileSync(witness.path, typed(['2026-03-01 10:00:05', 'a']));
    const now = known([...readWitness(witness, undefined)]);
    const keys = () => survey({ agent: 'aider', folder, origin: 'default' }, { get: (key) => (key === now.key ? now : undefined), keys: () => [now.key] }).changes.map(({ key }) => key);
    expect(keys()).toEqual([chat]);
    appendFileSync(chat, second);
    expect(keys().sort()).toEqual([chat, now.key].sort());
  });
});
