import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type FixtureFamily, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import type { Library } from '../../library/library';
import { Pass } from '../../library/pass';
import { BundleFile } from '../../share/export/bundle-file';
import { Shelf } from '../acceptance';
import { aiderWith, projectsOf } from '../aider/fixture-home.test-support';
import { stores } from '..';
import type { SessionStore } from '../store';
import { indexBundle } from './bundle-reader';
import { importedStore } from './imported-store';
import { importFiles, type ImportOrigin } from './imports';

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'retrace-import-'));
  folders.push(made);
  return made;
};
afterEach(() => folders.splice(0).forEach((each) => rmSync(each, { recursive: true, force: true })));

const origin = (agent: ImportOrigin['agent']): ImportOrigin => ({ kind: 'bundle', agent, from: '/tmp/x', imported: '2026-11-29T12:00:00Z', content: 'a'.repeat(64), root: 'r', notes: [] });

/** All streams of a library's only store, as a bundle. */
async function bundleOf({ library, store }: Shelf): Promise<Buffer> {
  const file = new BundleFile((text) => text);
  const sources = library.db.prepare('SELECT s.id, s.key FROM source s WHERE s.generation = (SELECT max(generation) FROM source o WHERE o.store = s.store AND o.key = s.key) ORDER BY s.id').all() as { id: number; key: string }[];
  const texts: string[] = [];
  file.line({ type: 'header', format: 'retrace-bundle', version: 1, root: 'x/y', sessions: ['x/y'] });
  for (const [index, { id, key }] of sources.entries()) {
    const head = { agent: store.agent, store: { key: 'x', folder: '~' }, key, role: 'records', sessions: ['x/y'], reader: 1, gone: false, whole: true };
    for await (const text of file.stream(index + 1, head, windowsOf(library, id))) texts.push(text);
  }
  file.end({ sessions: 0, streams: sources.length });
  return Buffer.from([...texts, ...file.full(true)].join(''));
}

async function* windowsOf(library: Library, source: number): AsyncIterable<{ at: number; bytes: Uint8Array }> {
  yield* await Promise.resolve(library.log.replay(library.db, source));
}

async function imported(bundle: Buffer, native: SessionStore): Promise<{ shelf: Shelf; library: Library; pass(): Promise<number> }> {
  const imports = folder();
  const place = join(imports, '0123456789ab');
  mkdirSync(place);
  writeFileSync(join(place, importFiles.bundle), bundle);
  writeFileSync(join(place, importFiles.origin), JSON.stringify(origin(native.agent as ImportOrigin['agent'])));
  const store = importedStore(native);
  const shelf = new Shelf(folder(), store);
  const pass = async () => {
    const outcome = await new Pass(shelf.library, [store], { home: shelf.home, platform: process.platform, variables: {}, added: [], imports }, {
      progress: ({ error }) => expect(error).toBeNull(), changed: () => undefined, stopped: () => false, now: () => Date.UTC(2027, 0, 1),
    }).run();
    return outcome.recordsProjected;
  };
  await pass();
  return { shelf, library: shelf.library, pass };
}

/** Without what names the place, the moment of import, and the numbers of sources. */
const plain = (content: ReturnType<Shelf['content']>) =>
  JSON.parse(
    JSON.stringify([...content].sort((a, b) => (a.detail.summary.nativeId < b.detail.summary.nativeId ? -1 : 1)))
      .replaceAll(/"(?:retrace~0123456789ab|(?:opencode|claude-code|codex|aider)(?:~[0-9a-f]{8})?)\//g, '"STORE/')
      .replaceAll(/line-\d+-/g, 'line-')
      .replaceAll(/"(agent|store|source|imported)":(?:"[^"]*"|null|\{[^}]*\})/g, '"$1":""'),
  ) as unknown;

/** Every fixture in the slow run; else those that differ most in how their streams lie. */
const isSlow = process.env['RETRACE_SLOW'] === '1';
const usual = new Set(['agents', 'fork', 'features', 'v05-json', 'v11-json', 'v118-main', 'v118-v2api', 'bare-020', 'compressed', 'fork-tree', 'revert-chain', 'ts-cli', 'basic', 'places']);

describe.each(['claude-code', 'opencode', 'codex', 'aider'] as const)('imported from %s', (agent) => {
  test.each(fixtureNames(agent satisfies FixtureFamily).filter((name) => isSlow || usual.has(name)))('%s: what was taken in from a bundle is what the store itself gives', async (name) => {
    const fixture = openFixture(agent, name);
    const native = agent === 'aider' ? aiderWith(projectsOf(fixture.home)) : (stores.find((store) => store.agent === agent) as SessionStore);
    const original = new Shelf(fixture.home, native);
    await original.pass();
    expect(original.content().length).toBeGreaterThan(0);
    const { shelf, pass } = await imported(await bundleOf(original), native);
    expect(plain(shelf.content())).toEqual(plain(original.content()));
    expect(shelf.content().every(({ detail }) => detail.summary.agent === 'retrace' && detail.summary.writtenBy === agent)).toBe(true);
    expect(await pass()).toBe(0);
    original.dispose();
    shelf.dispose();
    fixture.dispose();
  });
});

describe('a bundle that is not whole', () => {
  const claude = stores.find(({ agent }) => agent === 'claude-code') as SessionStore;

  async function whole(): Promise<{ file: string; bytes: Buffer }> {
    const fixture = openFixture('claude-code', 'fork');
    const shelf = new Shelf(fixture.home, claude);
    await shelf.pass();
    const bytes = await bundleOf(shelf);
    shelf.dispose();
    fixture.dispose();
    const file = join(folder(), 'bundle');
    writeFileSync(file, bytes);
    return { file, bytes };
  }

  const refusal = (file: string) => {
    const index = indexBundle(file);
    return 'refused' in index ? index.refused : 'taken';
  };

  test('cut anywhere, it is refused with the place', async () => {
    const { file, bytes } = await whole();
    expect(refusal(file)).toBe('taken');
    const cuts = [1, 100, 5_000, bytes.length >> 1, bytes.length - 1, bytes.lastIndexOf(10, bytes.length - 2) + 1];
    for (const cut of cuts) {
      writeFileSync(file, bytes);
      truncateSync(file, cut);
      expect(refusal(file)).toBe(`The bundle was cut off at ${cut.toLocaleString('en')} bytes: its end is missing.`);
    }
    truncateSync(file, 0);
    expect(refusal(file)).toBe('The file is empty.');
  });

  test('changed anywhere, it is refused', async () => {
    const { file, bytes } = await whole();
    for (let at = 7; at < bytes.length; at += Math.trunc(bytes.length / 40)) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(file, changed);
      expect(refusal(file)).not.toBe('taken');
    }
    writeFileSync(file, Buffer.concat([bytes, Buffer.from('{}\n')]));
    expect(refusal(file)).toBe('There is something after the end of the bundle.');
  });

  test('of a newer version, or no bundle', async () => {
    const { file } = await whole();
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"version":1', '"version":2'));
    expect(refusal(file)).toBe('The bundle is of version 2; this Retrace knows 1. A newer one can take it in.');
    writeFileSync(file, '{"type":"user"}\n');
    expect(refusal(file)).toBe('This is no bundle: its first line is no header.');
  });
});
