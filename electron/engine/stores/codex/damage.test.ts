import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { drive, Driver, type DrivenSession } from './drive.test-support';
import { inHome, Paginated, place, threadA } from './home.test-support';

const said = (session: DrivenSession | undefined) => session?.parts.filter(({ fact }) => fact.kind === 'text' && !fact.injected).map(({ body }) => body.text);
const two = () => new Paginated(threadA).turn('say one').turn('say two');
const conversation = ['say one', 'You asked me to say one.', 'say two', 'You asked me to say two.'];

/** Last written to long ago: nobody is in the middle of a line. */
const rest = (file: string) => utimesSync(file, new Date(0), new Date(0));

test('cut at every byte of its last two records a file shows all whole ones and names the cut', () =>
  inHome((home) => {
    const whole = Buffer.from(two().text());
    const lines = two().lines.map((line) => Buffer.byteLength(line) + 1);
    const start = whole.length - (lines.at(-1) ?? 0) - (lines.at(-2) ?? 0);
    for (let cut = start; cut <= whole.length; cut++) {
      rest(home.write(place(threadA), whole.subarray(0, cut)));
      const { driver, sessions } = drive(home.path);
      const isWhole = cut === start || cut >= whole.length - 1 || cut === whole.length - (lines.at(-1) ?? 0) || cut === whole.length - (lines.at(-1) ?? 0) - 1;
      expect(driver.damage.map(({ reason }) => reason), `cut at ${cut}`).toEqual(isWhole ? [] : ['cut: the last line ends in the middle of a record']);
      expect(said(sessions.get(threadA))?.slice(0, 3), `cut at ${cut}`).toEqual(conversation.slice(0, 3));
    }
  }));

test('a torn line is taken when the writer ends it', () =>
  inHome((home) => {
    const whole = two().text();
    const file = home.write(place(threadA), whole.slice(0, -200));
    const driver = new Driver(home.path);
    // While it may still be written to nothing is said of it; each pass looks again.
    driver.pass();
    expect(driver.damage).toEqual([]);
    rest(file);
    driver.pass();
    expect(driver.damage).toHaveLength(1);
    writeFileSync(file, whole);
    driver.pass();
    expect(driver.damage).toEqual([]);
    expect(said(driver.sessions().get(threadA))).toEqual(conversation);
  }));

const broken: [string, string | Buffer, string][] = [
  ['NUL bytes', Buffer.alloc(64), 'NUL bytes, no record'],
  ['half a record', '{"timestamp":"2026-11-29T15:54:00.000Z","ordinal":3,"type":"event_msg","payl', 'half a record: it ends in the middle'],
  ['no JSON at all', 'Segmentation fault', 'not a record: it does not begin as a JSON object'],
  ['bad JSON', '{"timestamp":x}', 'not a record: no valid JSON'],
];

test.each(broken)('%s between lines costs one place, at any line border', (_, bytes, reason) =>
  inHome((home) => {
    const { lines } = two();
    for (let at = 1; at <= lines.length; at++) {
      const pieces = lines.map((line) => Buffer.from(`${line}\n`));
      pieces.splice(at, 0, Buffer.concat([Buffer.from(bytes), Buffer.from('\n')]));
      home.write(place(threadA), Buffer.concat(pieces));
      const { driver, sessions } = drive(home.path);
      expect(driver.damage.map((damage) => [damage.line, damage.bytes, damage.reason])).toEqual([[at + 1, Buffer.from(bytes).length, reason]]);
      expect(said(sessions.get(threadA))).toEqual(conversation);
    }
  }));

test('NUL bytes before a record, two records on one line, and a record behind half a one lose nothing whole', () =>
  inHome((home) => {
    const { lines } = two();
    const changed = (at: number, line: string) => lines.map((other, index) => (index === at ? line : other)).join('\n');
    const answer = 4;
    home.write(place(threadA), `${changed(answer, `\0\0\0${lines[answer]}`)}\n`);
    let seen = drive(home.path);
    expect(seen.driver.damage.map(({ line, reason }) => [line, reason])).toEqual([[answer + 1, '3 NUL bytes beside a record; the record is shown']]);
    expect(said(seen.sessions.get(threadA))).toEqual(conversation);
    home.write(place(threadA), `${[...lines.slice(0, answer), `${lines[answer]}${lines[answer + 1]}`, ...lines.slice(answer + 2)].join('\n')}\n`);
    seen = drive(home.path);
    expect(seen.driver.damage.map(({ line, reason }) => [line, reason])).toEqual([[answer + 1, 'two records on one line; both are shown']]);
    expect(said(seen.sessions.get(threadA))).toEqual(conversation);
    home.write(place(threadA), `${changed(answer, `${lines[0]?.slice(0, 40)}${lines[answer]}`)}\n`);
    seen = drive(home.path);
    expect(seen.driver.damage.map(({ line, bytes, reason }) => [line, bytes, reason])).toEqual([[answer + 1, 40, '40 bytes that are no whole record, before one that is shown']]);
    expect(said(seen.sessions.get(threadA))).toEqual(conversation);
  }));

test('a file without its first line belongs to the thread of its name', () =>
  inHome((home) => {
    home.write(place(threadA), `${two().lines.slice(1).join('\n')}\n`);
    expect(said(drive(home.path).sessions.get(threadA))).toEqual(conversation);
  }));

test('a file whose first line is broken makes no thread of another record’s id', () =>
  inHome((home) => {
    const { lines } = two();
    for (const first of [`${lines[0]}${lines[1]}`, `${lines[0]?.slice(0, 40)}`, '']) {
      home.write(place(threadA), `${[first, ...lines.slice(first.includes('task_started') ? 2 : 1)].join('\n')}\n`);
      const { sessions } = drive(home.path);
      expect([...sessions.keys()]).toEqual([threadA]);
      expect(said(sessions.get(threadA))).toEqual(conversation);
    }
  }));

test('bytes that are no UTF-8 do not move what follows', () =>
  inHome((home) => {
    const { lines } = two();
    home.write(place(threadA), Buffer.concat([Buffer.from(`${lines.slice(0, 4).join('\n')}\n`), Buffer.from(`${lines[4]}\n`.replace('You asked', 'You \u0001asked')).map((byte) => (byte === 1 ? 0xe9 : byte)), Buffer.from(`${lines.slice(5).join('\n')}\n`)]));
    const { driver, sessions } = drive(home.path);
    expect(said(sessions.get(threadA))).toEqual(['say one', 'You \ufffdasked me to say one.', 'say two', 'You asked me to say two.']);
    expect(driver.damage).toEqual([]);
  }));

test('unknown records, events and items are counted and named, and cost nothing else', () =>
  inHome((home) => {
    const odd = two().add('from_the_future', { x: 1 }).add('event_msg', { type: 'new_event' }).add('response_item', { type: 'new_item' });
    odd.add('event_msg', { type: 'item_completed', item: { type: 'NewItem', id: 'x' } });
    home.write(place(threadA), odd.text());
    const { driver, sessions } = drive(home.path);
    expect(driver.unknown).toEqual({ from_the_future: 1, 'event_msg/new_event': 1, 'response_item/new_item': 1, 'event_msg/item_completed/NewItem': 1 });
    expect(sessions.get(threadA)?.parts.filter(({ fact }) => fact.kind === 'notice').map(({ fact, settled }) => [fact.title, settled.state])).toEqual([
      ['Record of a kind this version does not know: from_the_future', 'hidden'], ['Event of a kind this version does not know: new_event', 'hidden'],
      ['Response item of a kind this version does not know: new_item', 'hidden'], ['Item of a kind this version does not know: NewItem', 'hidden'],
    ]);
    expect(said(sessions.get(threadA))).toEqual(conversation);
  }));

test('ordinals that stop rising are told, and every line still has its own place', () =>
  inHome((home) => {
    const { lines } = two();
    home.write(place(threadA), `${[...lines, ...lines.slice(1)].join('\n')}\n`);
    const session = drive(home.path).sessions.get(threadA);
    expect(said(session)).toEqual([...conversation, ...conversation]);
    expect(session?.facts.notices.map(({ kind, text }) => [kind, text])).toEqual([['order', `Ordinals stop rising at line ${lines.length + 1} of rollout-2026-11-29T15-53-01-${threadA}.jsonl; newer releases of Codex may leave the thread out.`]]);
  }));

test('no byte of a fixture, changed or lost, makes reading fail', () => {
  const fixture = openFixture('codex', 'legacy-0125');
  try {
    const folder = join(fixture.home, '.codex/sessions/2026/11/29');
    const file = join(folder, 'rollout-2026-11-29T15-54-39-01a22803-fdc2-7220-b580-0d46e579cdfe.jsonl');
    const whole = readFileSync(file);
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
    for (let round = 0; round < 60; round++) {
      const bytes = Buffer.from(whole);
      for (let change = 0; change < 12; change++) bytes[random(bytes.length)] = random(256);
      writeFileSync(file, bytes);
      const session = drive(fixture.home).sessions.get('01a22803-fdc2-7220-b580-0d46e579cdfe');
      expect(session?.settled.records.length).toBe(session?.records.length);
    }
    writeFileSync(file, whole);
    appendFileSync(file, whole.subarray(0, 100));
    rest(file);
    expect(drive(fixture.home).driver.damage).toHaveLength(1);
  } finally {
    fixture.dispose();
  }
});
