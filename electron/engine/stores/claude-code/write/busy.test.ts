import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Draft } from '../../store';
import { drafted, making } from '../../write-acceptance';
import { planAct } from './acts';
import { busy } from './busy';
import { planFork } from './fork';
import { within, type WriteHome } from './home.test-support';

const id = '668bfb69-92c3-4453-af88-82ab42de9ae5';

function renaming(home: WriteHome): { draft: Draft; file: string } {
  const file = join(home.driven.location.folder, `projects/-home-dev-projects-demo/${id}.jsonl`);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  return { draft: drafted(planAct(home.writable(id), { act: 'rename', title: 'A' }, making(1))), file };
}

/** What a running program says of itself. */
function says(home: WriteHome, facts: Record<string, unknown>): void {
  const folder = join(home.driven.location.folder, 'sessions');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ pid: process.pid, version: '2.1.332', ...facts }));
}

const began = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';

test('a session that nobody has open is free', () =>
  within('claude-code', 'rewind', async (home) => {
    const { draft } = renaming(home);
    const report = await busy(home.driven.location, home.session(id).native, draft);
    expect(report.busy).toBe(null);
    expect(report.checked).toContain('The transcript was watched for a moment: it did not grow.');
  }));

test('a living program that names the session keeps it; one that names another, or is dead, does not', () =>
  within('claude-code', 'rewind', async (home) => {
    const { draft } = renaming(home);
    const report = async () => (await busy(home.driven.location, home.session(id).native, draft)).busy;
    const started = process.platform === 'linux' ? { procStart: began(process.pid) } : {};
    says(home, { sessionId: id, ...started });
    expect(await report()).toBe(`Claude Code has this session open (process ${process.pid}).`);
    says(home, { sessionId: 'another', ...started });
    expect(await report()).toBe(null);
    says(home, { sessionId: id, pid: 2 ** 30 });
    expect(await report()).toBe(null);
  }));

test.runIf(process.platform === 'linux')('a number that was given to a later process is not the program, nor is one of another container', () =>
  within('claude-code', 'rewind', async (home) => {
    const { draft } = renaming(home);
    const report = () => busy(home.driven.location, home.session(id).native, draft);
    says(home, { sessionId: id, procStart: '1' });
    expect((await report()).busy).toBe(null);
    says(home, { sessionId: id, pidDomain: 'linux:0:pid:[1]' });
    const elsewhere = await report();
    expect(elsewhere.busy).toBe(null);
    expect(elsewhere.checked).toContain(`sessions/${process.pid}.json names this session, but comes from another machine or container: whether it still runs cannot be known here.`);
  }));

test.runIf(process.platform === 'linux')('a program called claude in the session’s folder that names no session keeps it', () =>
  within('claude-code', 'cwd', async (home) => {
    const session = [...home.driven.sessions.values()].find(({ facts, native }) => facts.kind === 'session' && !facts.ignored && native !== '');
    const draft = drafted(planAct(home.writable(session?.native ?? ''), { act: 'rename', title: 'A' }, making(1)));
    const step = draft.steps[0];
    if (step?.kind !== 'file') throw new Error('no file');
    const folder = join(home.fixture.home, 'work');
    mkdirSync(folder);
    const moved = join(home.driven.location.folder, 'projects', folder.replace(/[^A-Za-z0-9]/g, '-'), 'x.jsonl');
    mkdirSync(join(moved, '..'));
    copyFileSync(step.path, moved);
    utimesSync(moved, 1_700_000_000, 1_700_000_000);
    const program = join(home.fixture.home, 'claude');
    copyFileSync('/bin/sleep', program);
    const running = spawn(program, ['30'], { cwd: folder, stdio: 'ignore' });
    try {
      await new Promise((done) => running.once('spawn', done));
      const report = await busy(home.driven.location, session?.native ?? home.session(id).native, { ...draft, steps: [{ ...step, path: moved }] });
      expect(report.busy).toBe(`A Claude Code runs in the session’s folder (process ${running.pid}) and does not say which session it is in.`);
    } finally {
      running.kill();
    }
  }));

test('a file that is growing is being written; one that was changed before is watched longer', () =>
  within('claude-code', 'rewind', async (home) => {
    const { draft, file } = renaming(home);
    const report = async () => (await busy(home.driven.location, home.session(id).native, draft)).busy;
    const growing = report();
    await new Promise((done) => setTimeout(done, 100));
    appendFileSync(file, '{"type":"mode"}\n');
    expect(await growing).toBe(`${file} is being written.`);
    const later = report();
    await new Promise((done) => setTimeout(done, 800));
    appendFileSync(file, '{"type":"mode"}\n');
    expect(await later).toBe(`${file} is being written.`);
  }));

test('a fork touches nothing that the program writes', () =>
  within('claude-code', 'rewind', async (home) => {
    says(home, { sessionId: id });
    const draft = drafted(planFork(home.writable(id), home.before(id, null), {}, making(1)));
    expect(await busy(home.driven.location, home.session(id).native, draft)).toEqual({ busy: null, checked: ['Only new files are made: nothing that Claude Code may be writing is touched.'] });
  }));
