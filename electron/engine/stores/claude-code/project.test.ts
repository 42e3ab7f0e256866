import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Fixture, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import type { RawBatch } from '../store';
import { type Cut, drive, Driver, type DrivenStore } from './drive.test-support';
import { claudeCode } from './index';

const opened: Fixture[] = [];
afterAll(() => opened.forEach((fixture) => fixture.dispose()));

function open(family: 'claude-code' | 'field', name: string): Fixture {
  const fixture = openFixture(family, name);
  opened.push(fixture);
  return fixture;
}

/** A small generator of numbers from a fixed seed: the same cuts in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Cuts a batch behind some of its line ends, and hands out empty batches now and then. */
function cutAtLines(seed: number, often: number): Cut {
  const next = random(seed);
  return (batch) => {
    const pieces: RawBatch[] = [];
    let start = 0;
    for (let end = batch.bytes.indexOf(10) + 1; end > 0 && end < batch.bytes.length; end = batch.bytes.indexOf(10, end) + 1) {
      if (next() > often) continue;
      pieces.push({ ...batch, restarts: batch.restarts && start === 0, at: batch.at + start, bytes: batch.bytes.subarray(start, end), damage: [] });
      if (next() < 0.1) pieces.push({ ...batch, restarts: false, at: batch.at + end, bytes: new Uint8Array(), damage: [] });
      start = end;
    }
    return [...pieces, { ...batch, restarts: batch.restarts && start === 0, at: batch.at + start, bytes: batch.bytes.subarray(start) }];
  };
}

/** All that a library would get to know. */
function everything(store: DrivenStore) {
  return {
    damage: store.damage,
    unknown: store.unknown,
    sessions: [...store.sessions.values()]
      .sort((a, b) => (a.native < b.native ? -1 : 1))
      .map(({ native, records, messages, settled, facts, edges, parts }) => ({
        native, records, messages: [...messages], settled, facts, edges, results: parts.map((part) => part.result?.record.key ?? null),
      })),
  };
}

describe('one pass and many small ones give the same', () => {
  const cases = [...fixtureNames('claude-code').map((name) => ['claude-code', name] as const), ...fixtureNames('field').filter((name) => name.startsWith('cc-')).map((name) => ['field', name] as const)];

  test.each(cases)('%s/%s', (family, name) => {
    const { home } = open(family, name);
    const whole = everything(drive(claudeCode, home));
    expect(whole.sessions.length).toBeGreaterThan(0);
    for (const [seed, often] of [[1, 1], [2, 0.5], [3, 0.1]] as const) expect(everything(drive(claudeCode, home, cutAtLines(seed, often))), `seed ${seed}`).toEqual(whole);
  });
});

function transcriptsOf(home: string): string[] {
  const root = join(home, '.claude/projects');
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /^[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(name)).map((name) => join(root, name));
}

const keysOf = (store: DrivenStore, native: string): (string | null)[] => (store.sessions.get(native)?.records ?? []).map((record) => record.key);

describe('a transcript cut at every byte of its last two records', () => {
  test.each([['field', 'cc-branches'], ['field', 'cc-usage-rows'], ['claude-code', 'fork-1.0.128'], ['field', 'cc-orphan-parent']] as const)('%s/%s', (family, name) => {
    const { home } = open(family, name);
    const [path = ''] = transcriptsOf(home).sort((a, b) => readFileSync(b).length - readFileSync(a).length);
    const native = path.split('/').at(-1)?.slice(0, -6) ?? '';
    const bytes = readFileSync(path);
    const whole = everything(drive(claudeCode, home));
    const ends: number[] = [];
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) ends.push(at);
    const records = drive(claudeCode, home).sessions.get(native)?.records ?? [];
    const source = `projects/${path.split('/projects/')[1]}`;
    for (let cut = (ends.at(-3) ?? 0) + 1; cut < bytes.length; cut++) {
      writeFileSync(path, bytes.subarray(0, cut));
      // Long ago: nobody is in the middle of writing.
      utimesSync(path, new Date(0), new Date(0));
      const driver = new Driver(claudeCode, home);
      const torn = driver.result(driver.pass());
      const wholeLines = ends.filter((end) => end < cut).length;
      const start = wholeLines === 0 ? 0 : (ends[wholeLines - 1] as number) + 1;
      const takenWhole = cut === start || ends.includes(cut);
      expect(keysOf(torn, native)).toEqual(records.filter((record) => record.at + record.bytes <= cut).map((record) => record.key));
      expect(torn.damage).toEqual(takenWhole ? [] : [{ place: source, line: wholeLines + 1, at: start, bytes: cut - start, reason: 'cut: the last line ends in the middle of a record' }]);
      // The writer goes on: nothing is missing, nothing is there twice, nothing is damaged any more.
      if (cut % 7 === 0) {
        appendFileSync(path, bytes.subarray(cut));
        expect(everything(driver.result(driver.pass()))).toEqual(whole);
      }
    }
    writeFileSync(path, bytes);
  });
});

test('content of a shape that nobody knows is shown as unknown, and counted', () => {
  const { home } = open('claude-code', 'rewind');
  const [path = ''] = transcriptsOf(home).sort((a, b) => readFileSync(b).length - readFileSync(a).length);
  const native = path.split('/').at(-1)?.slice(0, -6) ?? '';
  const before = drive(claudeCode, home);
  const counted = (store: DrivenStore) => [...(store.sessions.get(native)?.messages.values() ?? [])].filter((message) => message.counted).length;
  const shown = (store: DrivenStore) => (store.sessions.get(native)?.parts ?? []).map(({ fact }) => fact.title);
  const at = { timestamp: '2026-11-29T18:00:00.000Z', parentUuid: before.sessions.get(native)?.records.findLast(({ key }) => key !== null)?.key ?? null, isSidechain: false, sessionId: native };
  const strange = [
    { type: 'user', uuid: '00000000-0000-4000-8000-000000000001', ...at, message: { role: 'user', content: { a: 1 } } },
    { type: 'user' },
    { type: 'user', uuid: '00000000-0000-4000-8000-000000000002', ...at, message: { role: 'user', content: [7, { type: 'tool_result', content: 'x' }] } },
    { type: 'assistant', uuid: '00000000-0000-4000-8000-000000000003', ...at, message: { id: 'msg-x', role: 'assistant', content: [{ type: 'text', text: { a: 1 } }] } },
    { type: 'attachment', uuid: '00000000-0000-4000-8000-000000000004', ...at, attachment: 3 },
  ];
  appendFileSync(path, strange.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const after = drive(claudeCode, home);
  expect(shown(after).filter((title) => title?.startsWith('unknown content'))).toEqual([
    'unknown content: an object without a type', 'unknown content: none', 'unknown content: a number', 'unknown content: a result that names no call',
    'unknown content: text that is none', 'unknown content: a number',
  ]);
  expect(after.unknown).toEqual({
    ...before.unknown, 'user/an object without a type': 1, 'user/none': 1, 'user/a number': 1, 'user/a result that names no call': 1, 'assistant/text that is none': 1, 'attachment/?': 1, 'attachment/?/a number': 1,
  });
  // What is not understood is no prompt.
  expect(counted(after)).toBe(counted(before) + 1);
  expect(after.damage).toEqual(before.damage);
});

describe('bad bytes at every line border', () => {
  const half = '{"parentUuid":"x","type":"user","message":{"role":"us';
  const two = '{"type":"mode","mode":"normal","sessionId":"s"}{"type":"mode","mode":"normal","sessionId":"s"}';
  const bad = [
    { name: 'a run of NUL bytes', bytes: `${'\0'.repeat(64)}\n`, damaged: 1 },
    { name: 'half a record', bytes: `${half}\n`, damaged: 1 },
    { name: 'a blank line', bytes: '\n', damaged: 0 },
    { name: 'a line of blanks', bytes: ' \t \r\n', damaged: 0 },
    { name: 'two records on one line', bytes: `${two}\n`, damaged: 1 },
    { name: 'half a record without a line end', bytes: half, damaged: 1 },
    { name: 'NUL bytes without a line end', bytes: '\0'.repeat(64), damaged: 1 },
  ];

  describe.each([['field', 'cc-branches'], ['claude-code', 'legacy-2.0.77']] as const)('%s/%s', (family, name) => {
    test.each(bad)('$name', ({ bytes, damaged }) => {
      const { home } = open(family, name);
      const path = transcriptsOf(home).sort((a, b) => readFileSync(b).length - readFileSync(a).length)[0] ?? '';
      const native = path.split('/').at(-1)?.slice(0, -6) ?? '';
      const content = readFileSync(path);
      const before = drive(claudeCode, home);
      const keys = keysOf(before, native);
      const said = before.sessions.get(native)?.parts.map((part) => part.fact.text);
      const borders = [0];
      for (let at = content.indexOf(10); at >= 0 && at < content.length - 1; at = content.indexOf(10, at + 1)) borders.push(at + 1);
      borders.forEach((border, line) => {
        writeFileSync(path, Buffer.concat([content.subarray(0, border), Buffer.from(bytes), content.subarray(border)]));
        const store = drive(claudeCode, home);
        const session = store.sessions.get(native);
        expect(keysOf(store, native), `line ${line + 1}`).toEqual(keys);
        expect(session?.parts.map((part) => part.fact.text)).toEqual(said);
        expect(store.damage).toHaveLength(damaged);
        if (damaged > 0) {
          expect(store.damage[0]).toMatchObject({ line: line + 1, at: border });
          expect(session?.settled.condition).toBe('recovered');
        }
      });
    });
  });
});

describe('records nobody knows', () => {
  test('are walked through, shown, named and counted', () => {
    const { home } = open('field', 'cc-branches');
    const [path = ''] = transcriptsOf(home);
    const before = drive(claudeCode, home);
    const native = path.split('/').at(-1)?.slice(0, -6) ?? '';
    const last = keysOf(before, native).at(-1);
    const line = (entry: object) => `${JSON.stringify({ sessionId: native, timestamp: '2026-11-02T10:00:00.000Z', ...entry })}\n`;
    appendFileSync(path, line({ type: 'thought-bubble', uuid: 'n-1', parentUuid: last, content: 'something new' }));
    appendFileSync(path, line({ type: 'user', uuid: 'n-2', parentUuid: 'n-1', message: { role: 'user', content: 'After the unknown' } }));
    appendFileSync(path, line({ type: 'attachment', uuid: 'n-3', parentUuid: 'n-2', attachment: { type: 'hologram', content: 'a picture of it' } }));
    appendFileSync(path, line({ type: 'marble-origami-fold' }));
    appendFileSync(path, line({ type: 'thought-bubble', uuid: 'n-4', parentUuid: 'n-3' }));
    const store = drive(claudeCode, home);
    const session = store.sessions.get(native);
    expect(store.unknown).toEqual({ 'thought-bubble': 2, 'attachment/hologram': 1, 'marble-origami-fold': 1 });
    expect(store.damage).toEqual([]);
    expect(session?.parts.slice(-4).map(({ fact: { kind, title, text, injected } }) => ({ kind, title, text, injected }))).toEqual([
      { kind: 'notice', title: 'unknown record: thought-bubble', text: 'something new', injected: true },
      { kind: 'text', title: null, text: 'After the unknown', injected: false },
      { kind: 'notice', title: 'hologram', text: 'a picture of it', injected: true },
      { kind: 'notice', title: 'unknown record: thought-bubble', text: null, injected: true },
    ]);
    const current = session?.settled.branches.find((branch) => branch.current)?.path.map((index) => session.records[index]?.key);
    expect(current?.slice(-4)).toEqual(['n-1', 'n-2', 'n-3', 'n-4']);
    expect(current).toContain(last);
  });
});
