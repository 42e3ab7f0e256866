import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DiffHome } from './diff-home.test-support';

/** What the first answer about large changes costs, in what is read and compared. Times are those of `npm run bench -- --page`. */

const session = '44444444-1111-4111-8111-111111111111';
const folder = '/home/dev/acme';

let home: DiffHome | undefined;
afterEach(() => home?.dispose());

interface Call {
  name: string;
  before: string | null;
  after: string;
}

function wholeHunk(before: string, after: string): object {
  const [old, now] = [before, after].map((text) => text.split('\n').slice(0, -1)) as [string[], string[]];
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines: [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)] };
}

/** A session of Claude Code with one prompt, in which whole files are written. */
async function written(calls: Call[]): Promise<DiffHome> {
  const path = mkdtempSync(join(tmpdir(), 'retrace-first-'));
  const project = join(path, '.claude/projects/-home-dev-acme');
  const common = { isSidechain: false, userType: 'external', cwd: folder, sessionId: session, version: '2.1.300', gitBranch: 'main' };
  let parentUuid: string | null = null;
  const record = (number: number, type: string, message: object, more: object = {}) => {
    const uuid = `44444444-${type === 'user' ? 1 : 0}000-4000-8000-${String(number).padStart(12, '0')}`;
    const line = JSON.stringify({ parentUuid, ...common, timestamp: new Date(Date.UTC(2026, 2, 1) + number * 1_000).toISOString(), type, message, uuid, ...more });
    parentUuid = uuid;
    return line;
  };
  const lines = [record(0, 'user', { role: 'user', content: 'Write files' })];
  for (const [at, { name, before, after }] of calls.entries()) {
    const filePath = `${folder}/${name}`;
    lines.push(
      record(at + 1, 'assistant', { id: `msg_${at}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [{ type: 'tool_use', id: `toolu_${at}`, name: 'Write', input: { file_path: filePath, content: after } }], usage: { input_tokens: 1, output_tokens: 1 } }),
      record(at + 1, 'user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${at}`, content: 'ok' }] }, { toolUseResult: { type: before === null ? 'create' : 'update', filePath, content: after, originalFile: before, structuredPatch: before === null ? [] : [wholeHunk(before, after)] } }),
    );
  }
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${session}.jsonl`), `${lines.join('\n')}\n`);
  return (home = await DiffHome.of({ home: path, dispose: () => rmSync(path, { recursive: true, force: true }) }, 'claude-code'));
}

/** Counts what is read of the log from here on. */
function reads(of: DiffHome): { records: number; bytes: number } {
  const { log } = of.diffs.timeline.bodies;
  const counted = { records: 0, bytes: 0 };
  const read = log.read.bind(log);
  log.read = (source, at, length, limit) => {
    counted.records++;
    counted.bytes += length;
    return read(source, at, length, limit);
  };
  return counted;
}

const turn = { kind: 'turn', turn: 1 } as const;

test('2,000 files of one turn: every record is read once, and the next windows read nothing', async () => {
  const of = await written(Array.from({ length: 2_000 }, (_, at) => ({ name: `src/part${at % 40}/file${at}.ts`, before: null, after: `export const a = ${at};\n` })));
  const id = of.session(session);
  const counted = reads(of);
  const first = await of.diffs.files({ session: id, scope: turn, from: 0, count: 100 });
  // A call and its result each.
  expect(counted.records).toBe(4_000);
  const { bytes } = counted;
  expect([first?.total, first?.files.length, first?.added, first?.removed]).toEqual([2_000, 100, null, null]);
  const file = await of.diffs.file({ session: id, scope: turn });
  expect([file?.file.path, file?.file.added]).toEqual([first?.files[0]?.path, 1]);
  let last = first;
  for (let from = 100, window = 0; from < 2_000 && window < 4; from += last?.files.length ?? 0, window++) last = await of.diffs.files({ session: id, scope: turn, from, count: 500 });
  expect([last?.added, last?.removed]).toEqual([2_000, 0]);
  expect(counted).toEqual({ records: 4_000, bytes });
});

const lines = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} of line ${at}\n`).join('');

test('large files are compared as far as one answer may cost, the others when their window is asked for', async () => {
  const [before, after] = [lines(4_000, 'what was'), lines(4_000, 'what is')];
  expect(before.length + after.length).toBe(169_780);
  const of = await written(Array.from({ length: 12 }, (_, at) => ({ name: `large${String(at).padStart(2, '0')}.txt`, before, after })));
  const id = of.session(session);
  const told: [number, number, number | null][] = [];
  for (let from = 0, window = 0; window < 3; window++) {
    const answer = await of.diffs.files({ session: id, scope: turn, from, count: 100 });
    told.push([answer?.total ?? 0, answer?.files.length ?? 0, answer?.added ?? null]);
    from += answer?.files.length ?? 0;
  }
  // Five of them make 848,900 characters, a sixth more than a million.
  expect(told).toEqual([[12, 5, null], [12, 5, null], [12, 2, 48_000]]);
  expect((await of.diffs.files({ session: id, scope: turn, from: 0, count: 100 }))?.files.length).toBe(12);
  of.forget();
  expect(await of.diffs.files({ session: id, scope: turn, from: 0, count: 1, whole: true })).toMatchObject({ total: 12, added: 48_000, removed: 48_000, files: [{ added: 4_000 }] });
});
