import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFixture } from '../../e2e/fixtures';
import { OtherHomeError, type RunningEngine, startEngine } from './engine';
import { Indexer } from './indexing/indexer';
import type { Indexing } from './indexing/indexing';
import { claudeCode } from './stores/claude-code';

let folder: string;
const call = { signal: new AbortController().signal };
const started: RunningEngine[] = [];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'retrace-engine-'))));
afterEach(async () => {
  for (const engine of started.splice(0)) await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(home: string, index: Parameters<typeof startEngine>[0]['index']): RunningEngine {
  const engine = startEngine({ file: join(folder, 'library.db'), home, stores: [claudeCode], index }, () => undefined);
  started.push(engine);
  return engine;
}

test('what is answered before the index has begun says that hits may be missing', () => {
  const silent: Indexing = { run: () => new Promise(() => undefined), cancel: () => undefined, examine: () => Promise.reject(new Error('not asked for')), keep: () => Promise.reject(new Error('not asked for')), cancelKeeping: () => undefined, close: async () => undefined };
  const { methods } = start('/nowhere', () => silent);
  expect(methods['search.query']({ query: 'zebrafish', from: 0, count: 5 }, call)).toMatchObject({ total: 0, indexing: true });
  expect(methods['index.status']({}, call)).toMatchObject({ running: true, phase: 'survey' });
});

test('the first list waits for the survey and names what is there', async () => {
  const fixture = openFixture('claude-code', 'rewind');
  const { methods } = start(fixture.home, (events) => new Indexer({ file: join(folder, 'library.db'), options: { home: fixture.home }, home: '/nobody', watch: false }, [claudeCode], events));
  const listed = await methods['session.list']({ filter: {}, sort: 'updated', from: 0, count: 10 }, call);
  expect(listed.sessions.map(({ nativeId }) => nativeId)).toEqual(['668bfb69-92c3-4453-af88-82ab42de9ae5']);
  await methods['index.run']({}, call);
  expect(methods['search.query']({ query: 'salute', from: 0, count: 5 }, call)).toMatchObject({ indexing: false });
  fixture.dispose();
});

test('a library of one home is not filled with another', async () => {
  await start('/home/ada', null).close();
  started.splice(0);
  expect(() => start('/home/bob', null)).toThrow(OtherHomeError);
});
