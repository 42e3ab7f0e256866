import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { RawBatch } from '../store';
import { stampOf } from './cursor';
import { Driver, drive } from './drive.test-support';
import { inHome, Paginated, place, threadA } from './home.test-support';
import { listRollouts, type ListedFile } from './listing';
import { readRollout } from './read';

const prompts = (driver: Driver) => driver.sessions().get(threadA)?.parts.filter(({ record, fact }) => record.message?.prompt && fact.kind === 'text').map(({ body }) => body.text);

function onlyFile(home: string): ListedFile {
  const [file] = listRollouts(join(home, '.codex')).files.values();
  if (!file) throw new Error('no rollout');
  return file;
}

test('a file that grew is read on from where it stood; one that did not is not opened', () =>
  inHome((home) => {
    const rollout = new Paginated(threadA).turn('say one');
    const file = home.write(place(threadA), rollout.text());
    const driver = new Driver(home.path);
    driver.pass();
    const before = driver.bytesRead;
    expect(driver.pass().changes).toEqual([]);
    const grown = rollout.text().length;
    appendFileSync(file, rollout.turn('say two').text().slice(grown));
    driver.pass();
    expect(driver.bytesRead - before).toBe(rollout.text().length - grown);
    expect(prompts(driver)).toEqual(['say one', 'say two']);
  }));

test('packing, unpacking, archiving and bringing back leave the stream as it is', () =>
  inHome((home) => {
    const text = new Paginated(threadA).turn('say one').turn('say two').text();
    const plain = home.write(place(threadA), text);
    const driver = new Driver(home.path);
    driver.pass();
    const read = driver.bytesRead;
    const lineOf = () => driver.sources.get(`threads/${threadA}`)?.bytes.toString('utf8').trim().split('\n').at(-1) ?? '';
    home.write(`${place(threadA)}.zst`, zstdCompressSync(Buffer.from(text)));
    rmSync(plain);
    driver.pass();
    expect(driver.sources.get(onlyFile(home.path).key)?.length).toBe(Buffer.byteLength(text));
    expect(lineOf()).toContain('.jsonl.zst"');
    home.write(`archived_sessions/${place(threadA).split('/').at(-1)}`, text);
    rmSync(`${plain}.zst`);
    driver.pass();
    expect(driver.sessions().get(threadA)?.facts.archived).toBe(Date.UTC(2026, 10, 29, 15, 54, 10));
    renameSync(join(home.path, '.codex/archived_sessions', place(threadA).split('/').at(-1) ?? ''), plain);
    driver.pass();
    expect(driver.sessions().get(threadA)?.facts.archived).toBe(null);
    expect(driver.bytesRead - read).toBeLessThan(4 * 1_000);
    expect(prompts(driver)).toEqual(['say one', 'say two']);
  }));

test('a packed file is read in bounded steps, frames one after the other', () =>
  inHome((home) => {
    const rollout = new Paginated(threadA);
    for (let turn = 0; turn < 400; turn++) rollout.turn(`say ${turn}`, 'x'.repeat(20_000));
    const text = Buffer.from(rollout.text());
    const half = text.indexOf(10, text.length / 2) + 1;
    home.write(`${place(threadA)}.zst`, Buffer.concat([zstdCompressSync(text.subarray(0, half)), zstdCompressSync(text.subarray(half))]));
    const batches: RawBatch[] = [...readRollout(onlyFile(home.path), undefined)];
    expect(Buffer.concat(batches.map(({ bytes }) => bytes)).equals(text)).toBe(true);
    expect(Math.max(...batches.map(({ bytes }) => bytes.length))).toBeLessThan(6 * 1024 * 1024);
    expect(batches.length).toBeGreaterThan(1);
  }));

test('packed data that is cut or damaged shows what comes before', () =>
  inHome((home) => {
    const rollout = new Paginated(threadA);
    let seed = 1;
    const noise = () => Array.from({ length: 2_000 }, () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) % 36).toString(36)).join('');
    for (let turn = 0; turn < 300; turn++) rollout.turn(`say ${turn}`, noise());
    const packed = zstdCompressSync(Buffer.from(rollout.text()));
    home.write(`${place(threadA)}.zst`, packed.subarray(0, packed.length - 2_000));
    const cut = drive(home.path);
    expect(cut.driver.damage.map(({ reason }) => reason)).toEqual(['cut: the last line ends in the middle of a record']);
    expect(prompts(cut.driver)?.length).toBeGreaterThan(200);
    home.write(`${place(threadA)}.zst`, Buffer.concat([packed, Buffer.from('this is no frame of zstd, though it stands behind one')]));
    const spoiled = drive(home.path);
    expect(spoiled.driver.damage.map(({ reason }) => reason)).toEqual([`cannot be read on from byte ${Buffer.byteLength(rollout.text())} of its text: its packed data is damaged`]);
    expect(prompts(spoiled.driver)?.length).toBe(300);
    expect(spoiled.driver.pass().changes).toEqual([]);
  }));

test('a file that was cut or replaced begins again', () =>
  inHome((home) => {
    const file = home.write(place(threadA), new Paginated(threadA).turn('say one').turn('say two').text());
    const driver = new Driver(home.path);
    driver.pass();
    truncateSync(file, new Paginated(threadA).turn('say one').text().length);
    driver.pass();
    expect(prompts(driver)).toEqual(['say one']);
    writeFileSync(file, new Paginated(threadA).turn('say other').turn('say more').turn('say most').text());
    driver.pass();
    expect(prompts(driver)).toEqual(['say other', 'say more', 'say most']);
  }));

test('a record over the limit is passed over and named; lines are counted on', () =>
  inHome((home) => {
    const rollout = new Paginated(threadA).turn('say one').add('event_msg', { type: 'warning', message: 'x'.repeat(7_000_000) }).turn('say two');
    utimesSync(home.write(place(threadA), `${rollout.text()}{"torn`), new Date(0), new Date(0));
    const file = onlyFile(home.path);
    const batches = [...readRollout(file, undefined, 6_000_000)];
    expect(batches.flatMap(({ damage }) => damage).map(({ line, bytes, reason }) => [line, bytes, reason])).toEqual([
      [7, Buffer.byteLength(rollout.lines[6] ?? ''), 'a record of 7.0 MB, over the limit of 6.0 MB: not read'], [13, 6, 'cut: the last line ends in the middle of a record'],
    ]);
    const last = batches.at(-1);
    expect(last?.at).toBe(Buffer.byteLength(rollout.text()));
    // Behind the gap the file is known again: nothing is read twice.
    const known = { key: file.key, length: last?.at ?? 0, cursor: last?.cursor ?? null, carry: null };
    expect([...readRollout(file, known, 6_000_000)].map(({ restarts, bytes }) => [restarts, bytes.length])).toEqual([[false, 0]]);
  }));

test('a source that went away and came back is read whole', () =>
  inHome((home) => {
    const file = home.write(place(threadA), new Paginated(threadA).turn('say one').text());
    const text = readFileSync(file);
    const driver = new Driver(home.path);
    driver.pass();
    rmSync(file);
    expect(driver.pass().gone).toContain(onlyName());
    writeFileSync(file, text);
    driver.pass();
    expect(driver.sources.get(onlyName())?.length).toBe(text.length);
    expect(prompts(driver)).toEqual(['say one']);

    function onlyName(): string {
      return place(threadA).split('/').at(-1) ?? '';
    }
  }));

test('an empty file is nothing, and no loop', () =>
  inHome((home) => {
    home.write(place(threadA), '');
    const { driver, sessions } = drive(home.path);
    expect(driver.damage).toEqual([]);
    expect(sessions.get(threadA)?.records).toEqual([]);
    expect(stampOf(onlyFile(home.path).stat)).toContain('0 ');
  }));
