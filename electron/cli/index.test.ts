import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { libraryHub } from '../../e2e/command-line';
import { type Fixture, openFixture } from '../../e2e/fixtures';
import { ensureBuilt } from '../scripts/build.mjs';
import { connectTo } from './engine-connection';

/** The command as it is built and started: what only a process of its own shows. */
const entry = join(import.meta.dirname, '../../out/main/cli.js');
const session = '668bfb69-92c3-4453-af88-82ab42de9ae5';

let fixture: Fixture;
let root: string;
let folder: string;
let library: string;
beforeAll(() => {
  ensureBuilt(['main']);
  fixture = openFixture('claude-code', 'rewind');
  root = mkdtempSync(join(tmpdir(), 'retrace-cli-'));
}, 120_000);
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
  library = join(folder, 'library.db');
});
afterAll(() => {
  fixture.dispose();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(...args: string[]): ChildProcess & { ended: Promise<Ended> } {
  // A home of its own, so that nothing of this machine's user is read even by mistake.
  const child = spawn(process.execPath, [entry, ...args], { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, TZ: 'UTC' } });
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text.stdout += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text.stderr += piece));
  return Object.assign(child, { ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...text })) });
}

const on = (home: string, ...args: string[]) => start(...args, '--home', home, '--library', library);

test('with --json stdout is one document and stderr is silent; beside the library nothing is written', async () => {
  const { code, stdout, stderr } = await on(fixture.home, 'ls', '--json').ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject([{ id: `claude-code/${session}`, counts: { user: 8, assistant: 20 } }]);
  expect(readdirSync(folder).sort()).toEqual(['library.db', 'library.db.lock']);
});

test('without a library of its own a home gets one in the data folder of the user, never inside', async () => {
  const { code } = await start('ls', '--home', fixture.home).ended;
  expect(code).toBe(0);
  expect(readdirSync(join(folder, '.local/share/retrace/homes'))).toHaveLength(1);
  expect(readdirSync(fixture.home)).not.toContain('.local/share/retrace');
});

test('a home without histories gives an empty list, says where was looked, and ends with 1', async () => {
  const { code, stdout, stderr } = await on(folder, 'ls', '--json').ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '[]\n' });
  expect(stderr).toContain(`claude-code: ${join(folder, '.claude')}`);
  expect(stderr).toContain(`opencode: ${join(folder, '.local/share/opencode')}`);
});

test('a usage error ends with 2 and prints nothing on stdout', async () => {
  const { code, stdout, stderr } = await start('ls', '--colour').ended;
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: "unknown option '--colour'\n" });
});

test('a session that is not there ends with 1, and with --json the reason is the document', async () => {
  const { code, stdout, stderr } = await on(fixture.home, 'show', 'nope', '--json').ended;
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no session "nope".\n' });
  expect(JSON.parse(stdout)).toEqual({ error: 'There is no session "nope".', candidates: [] });
});

test('a reader that goes away ends the command quietly', async () => {
  const child = on(fixture.home, 'show', session, '--json');
  child.stdout?.destroy();
  const { code, stderr } = await child.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('a command asks the engine that runs, and says what it cannot change there', async () => {
  const alone = await on(fixture.home, 'ls', '--json').ended;
  const close = await holdLibrary(fixture.home);
  try {
    for (const args of [['ls', '--json'], ['ls', '--json', '--no-index']]) expect(await on(fixture.home, ...args).ended).toEqual(alone);
    const { code, stderr } = await on(fixture.home, 'tree', '--add', folder).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Another Retrace has the library open: --add has no effect until it has ended.\n' });
  } finally {
    await close();
  }
});

test('a running engine of another home is not asked', async () => {
  const close = await holdLibrary(fixture.home);
  try {
    const { code, stdout, stderr } = await on(folder, 'ls').ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`for the home ${fixture.home}, not ${folder}`);
  } finally {
    await close();
  }
});

/** Makes this process the one that has the library. */
async function holdLibrary(home: string): Promise<() => Promise<void>> {
  const connection = connectTo(libraryHub({ home, library }));
  await connection.engine.call('index.run', {});
  expect(connection.isOwner()).toBe(true);
  return connection.close;
}

test('Ctrl-C stops a pass in order: what was read is kept, the next pass goes on', async () => {
  const home = join(folder, 'home');
  const bytes = writeTranscripts(home);
  const child = on(home, 'index', '--json');
  while (!(statSync(`${library}-wal`, { throwIfNoEntry: false })?.size ?? 0)) await new Promise((later) => setTimeout(later, 5));
  await new Promise((later) => setTimeout(later, 250));
  child.kill('SIGINT');
  const stopped = await child.ended;
  expect(stopped).toMatchObject({ code: 130, stderr: '' });
  const first = JSON.parse(stopped.stdout) as { cancelled: boolean; bytesRead: number };
  expect(first.cancelled).toBe(true);
  const second = JSON.parse((await on(home, 'index', '--json').ended).stdout) as { cancelled: boolean; bytesRead: number; sessions: number };
  expect(second).toMatchObject({ cancelled: false, sessions: transcripts });
  // No byte is read twice and none is left out.
  expect(first.bytesRead + second.bytesRead).toBe(bytes);
}, 60_000);

/** Transcripts of a bit more than 200 kB each, so many that reading them takes more than a second. */
const transcripts = 200;

/** Returns their bytes. */
function writeTranscripts(home: string): number {
  const projects = join(home, '.claude/projects/-home-dev-large');
  mkdirSync(projects, { recursive: true });
  let bytes = 0;
  for (let i = 0; i < transcripts; i++) {
    const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    const lines = Array.from({ length: 100 }, (_, at) =>
      JSON.stringify({
        type: 'user', uuid: `${id.slice(0, 24)}${String(i * 1000 + at).padStart(12, '0')}`, parentUuid: at === 0 ? null : `${id.slice(0, 24)}${String(i * 1000 + at - 1).padStart(12, '0')}`,
        sessionId: id, timestamp: new Date(1_790_000_000_000 + i * 60_000 + at).toISOString(), cwd: '/home/dev/large', version: '2.1.332',
        message: { role: 'user', content: `line ${at} ${'word '.repeat(360)}` },
      }),
    );
    const text = `${lines.join('\n')}\n`;
    writeFileSync(join(projects, `${id}.jsonl`), text);
    bytes += text.length;
  }
  return bytes;
}

test('commands that run at the same time all answer, whoever has the library and ends first', async () => {
  const ended = await Promise.all(Array.from({ length: 5 }, () => on(fixture.home, 'ls', '--json').ended));
  for (const { code, stdout, stderr } of ended) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject([{ id: `claude-code/${session}` }]);
  }
}, 60_000);

test("a transcript is never taken for a place for the library, nor is a store's folder", async () => {
  const own = openFixture('claude-code', 'rewind');
  const transcript = join(own.home, '.claude/projects/-home-dev-projects-demo', `${session}.jsonl`);
  const before = readFileSync(transcript);
  for (const place of [transcript, join(own.home, '.claude/lib.db')]) {
    const { code, stderr } = await start('ls', '--home', own.home, '--library', place).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/Name a (new )?file (elsewhere )?with --library/);
  }
  expect(readFileSync(transcript).equals(before)).toBe(true);
  expect(readdirSync(join(own.home, '.claude')).filter((name) => name.startsWith('lib.db'))).toEqual([]);
  own.dispose();
});

test('a home that is not there is named', async () => {
  const { code, stderr } = await start('ls', '--home', join(folder, 'nowhere'), '--library', library).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('nowhere is not a folder that can be read');
});

test('a file name with escape sequences prints none', async () => {
  const own = openFixture('claude-code', 'rewind');
  const projects = join(own.home, '.claude/projects/-home-dev-projects-demo');
  renameSync(join(projects, `${session}.jsonl`), join(projects, 'weird \u001b]0;title\u0007 name.jsonl'));
  for (const command of [['ls'], ['tree'], ['search', 'greeting'], ['show', 'weird']]) {
    const { stdout } = await on(own.home, ...command).ended;
    expect(stdout, command.join(' ')).toContain('weird');
    expect(stdout, command.join(' ')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
    rmSync(library, { force: true });
  }
  own.dispose();
});
