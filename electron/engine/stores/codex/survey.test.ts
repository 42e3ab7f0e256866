import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Driver, drive, type DrivenSession } from './drive.test-support';
import { codex } from './index';
import { type Home, inHome, Paginated, place, threadA, threadB, threadC } from './home.test-support';

const prompts = (session: DrivenSession | undefined, states: string[] = ['live']) =>
  session?.parts.filter(({ record, fact, settled }) => record.message?.prompt && fact.kind === 'text' && states.includes(settled.state)).map(({ body }) => body.text);
const gaps = (session: DrivenSession | undefined) => session?.facts.notices.filter(({ kind }) => kind === 'gap').map(({ text }) => text);

/** A thread, and a fork of it by reference at the end of its first turn. */
function forkIn(home: Home): { parent: Paginated; file: string } {
  const parent = new Paginated(threadA).turn('say one');
  const base = { thread_id: threadA, end_ordinal_exclusive: parent.ordinal, end_byte_offset: Buffer.byteLength(parent.text()) };
  const fork = new Paginated(threadB, { forked_from_id: threadA, forked_from_ordinal_exclusive: parent.ordinal, history_base: base }, parent.ordinal).turn('say forked');
  const file = home.write(place(threadA), parent.turn('say two').text());
  home.write(place(threadB), fork.text());
  return { parent, file };
}

function tableIn(home: Home, rows: Record<string, string | number | null>[], name = 'state_5.sqlite'): void {
  const path = join(home.path, '.codex', name);
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path);
  db.exec('CREATE TABLE IF NOT EXISTS threads(id TEXT PRIMARY KEY, rollout_path TEXT, title TEXT, name TEXT, preview TEXT, cwd TEXT, archived INTEGER, updated_at INTEGER, source TEXT)');
  for (const row of rows) {
    const columns = Object.keys(row);
    db.prepare(`INSERT OR REPLACE INTO threads(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(...Object.values(row));
  }
  db.close();
}

test('a fork by reference shows what it took over, and still does when its parent goes away', () =>
  inHome((home) => {
    const { file } = forkIn(home);
    const driver = new Driver(home.path);
    driver.pass();
    const check = () => {
      const fork = driver.sessions().get(threadB);
      expect(prompts(fork)).toEqual(['say one', 'say forked']);
      expect(fork?.facts.title).toBe('say one');
      return fork;
    };
    expect(gaps(check())).toEqual([]);
    rmSync(file);
    driver.pass();
    expect(gaps(check())).toEqual([`It continues rollout ${threadA}, which is not there: Codex will refuse to open it. Retrace shows what it copied before.`]);
  }));

test('a parent that grows costs its fork no reading; one that was rewritten is copied anew', () =>
  inHome((home) => {
    const { parent, file } = forkIn(home);
    const driver = new Driver(home.path);
    driver.pass();
    const length = driver.sources.get(`rollout-2026-11-29T15-53-01-${threadB}.jsonl#base`)?.length;
    const before = driver.bytesRead;
    const grown = parent.text().length;
    appendFileSync(file, parent.turn('say three').text().slice(grown));
    driver.pass();
    expect(driver.bytesRead - before).toBe(parent.text().length - grown);
    expect(driver.sources.get(`rollout-2026-11-29T15-53-01-${threadB}.jsonl#base`)?.length).toBe(length);
    writeFileSync(file, parent.text().replace('say one', 'say ONE').replace('say one', 'say ONE'));
    driver.pass();
    expect(prompts(driver.sessions().get(threadB))).toEqual(['say ONE', 'say forked']);
  }));

test('a base that is missing or cut shorter is a gap that names it; the fork’s own turns are shown', () =>
  inHome((home) => {
    const { file, parent } = forkIn(home);
    const bytes = Buffer.byteLength(new Paginated(threadA).turn('say one').text());
    truncateSync(file, bytes - 10);
    const short = drive(home.path).sessions.get(threadB);
    expect(prompts(short)).toEqual(['say one', 'say forked']);
    expect(gaps(short)).toEqual([`It continues the first ${bytes.toLocaleString('en-US')} bytes of rollout ${threadA}, which is shorter: Codex will refuse to open it. Retrace shows what it copied before.`]);
    rmSync(file);
    const driver = new Driver(home.path);
    driver.pass();
    const torn = driver.sessions().get(threadB);
    expect(prompts(torn)).toEqual(['say forked']);
    expect([torn?.settled.condition, gaps(torn)]).toEqual(['recovered', [`It continues rollout ${threadA}, which is not there: Codex will refuse to open it. What this thread took over cannot be shown.`]]);
    writeFileSync(file, parent.text());
    driver.pass();
    expect(prompts(driver.sessions().get(threadB))).toEqual(['say one', 'say forked']);
  }));

test('a fork that was seen before its first line was whole still finds what it took over', () =>
  inHome((home) => {
    forkIn(home);
    const file = join(home.path, '.codex', place(threadB));
    const whole = readFileSync(file);
    const driver = new Driver(home.path);
    for (const bytes of [0, 40]) {
      writeFileSync(file, whole.subarray(0, bytes));
      driver.pass();
    }
    writeFileSync(file, whole);
    driver.pass();
    const fork = driver.sessions().get(threadB);
    expect(prompts(fork)).toEqual(['say one', 'say forked']);
    expect(gaps(fork)).toEqual([]);
  }));

test('bases that go in a circle, or to themselves, end', () =>
  inHome((home) => {
    const base = (thread: string) => ({ history_base: { thread_id: thread, end_ordinal_exclusive: 3, end_byte_offset: 900 } });
    home.write(place(threadA), new Paginated(threadA, base(threadB), 3).turn('say one').text());
    home.write(place(threadB), new Paginated(threadB, base(threadA), 3).turn('say two').text());
    home.write(place(threadC), new Paginated(threadC, base(threadC), 3).turn('say three').text());
    const { sessions } = drive(home.path);
    expect([threadA, threadB, threadC].map((thread) => prompts(sessions.get(thread))?.at(-1))).toEqual(['say one', 'say two', 'say three']);
  }));

test('going back writes a second file; the table says which is live, else the newest is', () =>
  inHome((home) => {
    const first = new Paginated(threadA).turn('say one');
    const base = { thread_id: threadA, end_ordinal_exclusive: first.ordinal, end_byte_offset: Buffer.byteLength(first.text()) };
    const second = new Paginated(threadA, { timestamp: '2026-11-29T16:00:00.000Z', history_base: base }, first.ordinal).turn('say three');
    home.write(place(threadA), first.turn('say two').text());
    home.write(place(threadA, threadC), second.text());
    expect(prompts(drive(home.path).sessions.get(threadA))).toEqual(['say one', 'say three']);
    tableIn(home, [{ id: threadA, rollout_path: `/home/dev/.codex/${place(threadA)}` }]);
    const named = drive(home.path).sessions.get(threadA);
    expect(prompts(named)).toEqual(['say one', 'say two']);
    expect(prompts(named, ['reverted'])).toEqual(['say three']);
    expect(named?.settled.branches.map(({ current }) => current)).toEqual([true]);
  }));

test('names: the table’s, else the last of the list, else the first message', () =>
  inHome((home) => {
    for (const thread of [threadA, threadB, threadC]) home.write(place(thread), new Paginated(thread).turn('say one').text());
    home.write('session_index.jsonl', [threadA, threadB, threadB].map((id, line) => `${JSON.stringify({ id, thread_name: `listed ${line}` })}\n`).join(''));
    tableIn(home, [{ id: threadA, name: 'named in the table', title: 'say one' }]);
    const titles = () => [threadA, threadB, threadC].map((thread) => driver.sessions().get(thread)?.facts.title);
    const driver = new Driver(home.path);
    expect(driver.pass().heads.map(({ title }) => title).sort()).toEqual(['listed 2', 'named in the table', 'say one']);
    expect(titles()).toEqual(['named in the table', 'listed 2', 'say one']);
    appendFileSync(join(home.path, '.codex/session_index.jsonl'), `${JSON.stringify({ id: threadC, thread_name: 'named later' })}\n`);
    driver.pass();
    expect(titles()).toEqual(['named in the table', 'listed 2', 'named later']);
  }));

test('a table that is no table is named and costs only itself', () =>
  inHome((home) => {
    home.write(place(threadA), new Paginated(threadA).turn('say one').text());
    home.write('state_5.sqlite', 'this is no database, but long enough to be looked at as one. '.repeat(20));
    tableIn(home, [{ id: threadA, name: 'in the older table' }], 'state_4.sqlite');
    const driver = new Driver(home.path);
    const survey = driver.pass();
    expect(survey.damage.map(({ place: where, reason }) => [where, reason])).toEqual([['state_5.sqlite', 'the thread table is damaged: file is not a database']]);
    expect(prompts(driver.sessions().get(threadA))).toEqual(['say one']);
    expect(driver.sessions().get(threadA)?.facts.title).toBe('in the older table');
  }));

test('prompts of a thread of which nothing else is left are shown, and no others', () =>
  inHome((home) => {
    home.write(place(threadA), new Paginated(threadA).turn('say one').text());
    const line = (session_id: string, text: string, ts: number) => `${JSON.stringify({ session_id, ts, text })}\n`;
    home.write('history.jsonl', line(threadA, 'say one', 1795967600) + line(threadB, 'lost and found', 1795967601) + line(threadB, 'and more', 1795967602));
    const driver = new Driver(home.path);
    driver.pass();
    expect(driver.sessions().size).toBe(2);
    const lost = driver.sessions().get(threadB);
    expect(prompts(lost)).toEqual(['lost and found', 'and more']);
    expect([lost?.facts.title, gaps(lost)]).toEqual(['lost and found', ['Neither a rollout nor a row of it is left: 2 prompts from history.jsonl are all there is.']]);
    expect(driver.pass().changes).toEqual([]);
    home.write(place(threadB), new Paginated(threadB).turn('lost and found').text());
    expect(driver.pass().gone).toEqual([`prompts/${threadB}`]);
  }));

test('a rollout in both folders is one session, and the other place is named', () =>
  inHome((home) => {
    const text = new Paginated(threadA).turn('say one').text();
    home.write(place(threadA), text);
    const other = `archived_sessions/${place(threadA).split('/').at(-1)}`;
    home.write(other, text);
    const session = drive(home.path).sessions.get(threadA);
    expect([session?.facts.archived, session?.facts.alsoIn]).toEqual([null, [other]]);
    expect(prompts(session)).toEqual(['say one']);
  }));

test('the home is where the environment says; tables may lie elsewhere; a home given by hand is not left', () =>
  inHome((home) => {
    const at = (variables: Record<string, string>, added: string[] = []) => codex.locate({ home: home.path, platform: 'linux', variables, added });
    expect(at({})).toEqual([{ agent: 'codex', folder: join(home.path, '.codex'), origin: 'default' }]);
    expect(at({ CODEX_HOME: '/elsewhere/codex' })).toEqual([{ agent: 'codex', folder: '/elsewhere/codex', origin: 'environment' }]);
    home.write(place(threadA), new Paginated(threadA).turn('say one').text());
    expect(at({ CODEX_HOME: '/elsewhere/codex' }, [home.path, join(home.path, '.codex'), '/nowhere']).map(({ folder, origin }) => [folder, origin])).toEqual([['/elsewhere/codex', 'environment'], [join(home.path, '.codex'), 'added']]);
    home.write('config.toml', `model = "x"\nsqlite_home = "${join(home.path, 'databases')}"\n[other]\nsqlite_home = "/not/this"\n`);
    mkdirSync(join(home.path, 'databases'));
    tableIn(home, [{ id: threadA, name: 'named elsewhere' }], '../databases/state_5.sqlite');
    expect(drive(home.path).sessions.get(threadA)?.facts.title).toBe('named elsewhere');
    home.write('config.toml', `sqlite_home = "${join(home.path, '../outside')}"\n`);
    expect(codex.watch(at({})[0] ?? { agent: 'codex', folder: '', origin: 'default' }).folders.some((folder) => folder.includes('outside'))).toBe(false);
  }));

test('how to go on: by id in the folder of the thread, where the program can', () =>
  inHome((home) => {
    home.write(place(threadA), new Paginated(threadA).turn('say one').text());
    home.write(place(threadB), new Paginated(threadB, { source: { subagent: { thread_spawn: { parent_thread_id: threadA, depth: 1, agent_nickname: 'Gauss' } } } }).turn('say two').text());
    home.write(`archived_sessions/${place(threadC).split('/').at(-1)}`, new Paginated(threadC).turn('say three').text());
    const { sessions } = drive(home.path);
    const command = (thread: string) => {
      const session = sessions.get(thread);
      return session && codex.resumeCommand(session.native, session.facts);
    };
    expect(command(threadA)).toEqual({ argv: ['codex', 'resume', threadA], cwd: '/home/dev/projects/tidepool' });
    expect([command(threadB), command(threadC)]).toEqual([null, null]);
  }));
