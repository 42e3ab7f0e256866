import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import type { Answers, Method, Params } from '@shared/contract';
import type { PlanRefusal, PlanView } from '@shared/model';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { type RunningEngine, startEngine } from '../../engine';
import { Indexer } from '../../indexing/indexer';
import { readStores, stores } from '../../stores';
import { ShareServer } from '../link/share-server.test-support';

const fixtures = join(import.meta.dirname, '../../../../e2e/fixtures/import');

let folder: string;
let engine: RunningEngine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'retrace-importing-'));
  mkdirSync(join(folder, 'home'));
  const file = join(folder, 'library.db');
  engine = startEngine({ file, home: join(folder, 'home'), stores, locks: join(folder, 'locks'), bounds: { confined: true }, index: (events) => new Indexer({ file, options: { home: join(folder, 'home') }, home: '/nobody', watch: false }, readStores, events) }, () => undefined);
  await ask('index.run', {});
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

// The answer is the one the contract names for the method.
const ask = async <M extends Method>(method: M, params: Params<M>): Promise<Answers[M]> => (await (engine.methods[method] as (request: unknown, call: { signal: AbortSignal }) => unknown)(params, { signal: new AbortController().signal })) as Answers[M];

const look = (from: string, more: { salvage?: boolean; host?: string } = {}) => ask('plan.import', { from, ...more });
async function plan(...of: Parameters<typeof look>): Promise<PlanView> {
  const view = await look(...of);
  if (view === null || !('id' in view)) throw new Error(view?.refused ?? 'no plan');
  return view;
}
const refusal = async (...of: Parameters<typeof look>): Promise<PlanRefusal> => {
  const view = await look(...of);
  if (view === null || 'id' in view) throw new Error('it was drawn');
  return view;
};
async function applied(...of: Parameters<typeof look>): Promise<string> {
  const { id } = await plan(...of);
  const outcome = await ask('plan.apply', { plan: id });
  if (!outcome?.applied) throw new Error(outcome?.refused ?? 'no outcome');
  return outcome.entry.result ?? '';
}
const listed = async () => (await ask('session.list', { filter: { archived: 'include' }, sort: 'updated', from: 0, count: 100 })).sessions;
const imports = () => (existsSync(join(folder, 'library.db.imports')) ? readdirSync(join(folder, 'library.db.imports')) : []);

describe('an export of OpenCode', () => {
  test('is shown, taken in, recognised, updated, and taken back', async () => {
    const file = join(fixtures, 'ses_e2b38726bffec1bGQpB4nw029f.json');
    const { preview, steps, refused, title } = await plan(file);
    expect(title).toBe('Import "Leek soup recipe" of OpenCode');
    expect(refused).toBeNull();
    expect(preview).toMatchObject({
      kind: 'opencode export', agent: 'opencode', title: 'Leek soup recipe', directory: '/home/dev/projects/recipe-box', models: ['mock-1'], counts: { messages: 5, user: 2, assistant: 3, toolCalls: 1, parts: 14 },
      tokens: { input: 5249, output: 279, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, others: 0, files: 1, damage: 0, notes: [], known: null, live: null,
    });
    expect(steps.map((step) => (step.kind === 'file' ? [step.act, step.path.slice(folder.length).replace(/[0-9a-f]{12}/, 'NAME')] : []))).toEqual([['create', '/library.db.imports/NAME/bundle.retrace.jsonl'], ['create', '/library.db.imports/NAME/origin.json']]);
    expect(await listed()).toEqual([]);
    const session = await applied(file);
    expect(await listed()).toMatchObject([{ id: session, agent: 'retrace', writtenBy: 'opencode', title: 'Leek soup recipe', source: 'present' }]);
    expect((await ask('session.get', { session }))?.imported).toMatchObject({ kind: 'opencode export', from: file });
    expect((await ask('search.query', { query: 'leek', from: 0, count: 5 })).total).toBeGreaterThan(0);
    expect((await refusal(file)).refused).toBe(`It is in the library already, with the same content: ${session}.`);
    // The same session, exported again under another title: it becomes that.
    const again = await plan(join(fixtures, 'renamed.json'));
    expect(again.preview?.known).toEqual({ session, equal: false });
    const outcome = await ask('plan.apply', { plan: again.id });
    expect(outcome?.applied).toBe(true);
    expect((await listed()).map(({ id, title: name }) => [id, name])).toEqual([[session, again.preview?.title]]);
    // And back.
    const undo = await ask('plan.undo', { entry: again.id });
    if (undo === null || !('id' in undo)) throw new Error(undo?.refused);
    expect(await ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
    expect((await listed()).map(({ title: name }) => name)).toEqual(['Leek soup recipe']);
    // The first import is the older entry: with it the session goes from the library, too.
    const first = (await ask('journal.list', { from: 0, count: 10 })).entries.find(({ kind, id }) => kind === 'import' && id !== again.id);
    const gone = await ask('plan.undo', { entry: first?.id ?? '' });
    if (gone === null || !('id' in gone)) throw new Error(gone?.refused);
    expect(await ask('plan.apply', { plan: gone.id })).toMatchObject({ applied: true });
    expect(await listed()).toEqual([]);
    expect(imports()).toEqual([]);
  });

  test('of which the first import is undone leaves nothing', async () => {
    const file = join(fixtures, 'ses_e2b38726bffec1bGQpB4nw029f.json');
    const { id } = await plan(file);
    await ask('plan.apply', { plan: id });
    const undo = await ask('plan.undo', { entry: id });
    if (undo === null || !('id' in undo)) throw new Error(undo?.refused);
    expect(await ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
    expect(imports()).toEqual([]);
    expect(await listed()).toEqual([]);
    expect((await ask('search.query', { query: 'leek', from: 0, count: 5 })).total).toBe(0);
    // It can be taken in again.
    await applied(file);
    expect((await listed()).map(({ source }) => source)).toEqual(['present']);
  });

  test('cut off, with a status line in front, and a Markdown transcript', async () => {
    expect(await refusal(join(fixtures, 'cut.json'))).toEqual({
      refused: 'The export was cut off at 65536 bytes: this is a known effect of piping the export; export to a file instead.', instead: [{ way: 'salvage', says: 'Take in the 2 messages that are whole.' }],
    });
    expect(imports()).toEqual([]);
    const salvaged = await plan(join(fixtures, 'cut.json'), { salvage: true });
    expect(salvaged.preview).toMatchObject({ counts: { messages: 2 }, notes: ['The file was cut off at 65536 bytes: the 2 whole messages before that were taken in.'] });
    expect((await plan(join(fixtures, 'noisy.json'))).preview).toMatchObject({ counts: { messages: 2 }, notes: ['The text before the JSON was skipped.'] });
    expect((await refusal(join(fixtures, 'notes.md'))).refused).toBe('A Markdown transcript, not session data: it cannot be taken in. Export the session as data (opencode export, or a Retrace bundle).');
    expect((await refusal(join(folder, 'none.json'))).refused).toBe(`There is nothing at ${join(folder, 'none.json')}.`);
    expect(await listed()).toEqual([]);
  });

  test('goes on in OpenCode only where that knows its project, and says how it gets to know it', async () => {
    const fixture = openFixture('opencode', 'v118-main');
    cpSync(join(fixture.home, '.local'), join(folder, 'home/.local'), { recursive: true });
    fixture.dispose();
    await ask('index.run', {});
    const session = await applied(join(fixtures, 'ses_e2b38726bffec1bGQpB4nw029f.json'));
    const why = 'OpenCode’s database here does not know the project of this session. Start OpenCode once in a checkout of it (it was /home/dev/projects/recipe-box where the session was made), then continue.';
    expect(await ask('plan.fork', { session, way: 'rows' })).toMatchObject({ refused: why });
    const db = new Database(join(folder, 'home/.local/share/opencode/opencode.db'));
    db.exec("INSERT INTO project(id, worktree, vcs, time_created, time_updated, sandboxes) VALUES ('269098c272200dfdf3c5063a109a12c233a66580', '/home/dev/clone', 'git', 1, 1, '[]')");
    db.close();
    expect(await ask('plan.fork', { session, way: 'rows' })).toMatchObject({ kind: 'continue', refused: null });
  });

  test('that swells or means harm is refused, and changes no prototype', async () => {
    const file = join(folder, 'bad.json');
    const said = async (content: string) => {
      writeFileSync(file, content);
      const view = await look(file);
      return view === null ? 'null' : 'id' in view ? 'drawn' : view.refused;
    };
    expect(await said(`{"info":{"id":"ses_a"},"messages":[${'['.repeat(100_000)}`)).toBe('This is no sound JSON: values are nested deeper than 1,000 (byte 1,033).');
    expect(await said(`{"info":{"id":"ses_a"},"messages":[${'{},'.repeat(1_000_000)}{}]}`)).toBe('There are more than 200,000 messages: such a session is not taken in.');
    expect(await said(`{"info":{"id":"ses_a"},"messages":[${'{"info":{}},'.repeat(200_001)}{}]}`)).toBe('There are more than 200,000 messages: such a session is not taken in.');
    expect(await said('{"info":{"id":"../../etc"},"messages":[]}')).toBe('The file holds no session of OpenCode: there is no info with an id.');
    expect(await said('{"info":{"id":"ses_a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"time":{"created":1}},"messages":[{"info":{"id":"msg_1","role":"user","__proto__":{"polluted":1},"time":{"created":1}},"parts":[{"id":"prt_1","messageID":"msg_1","type":"text","text":"hi"}]}]}')).toBe('drawn');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(await said(`{"info":{"id":"ses_a","title":"x"},"messages":[{"info":{"id":"../../../x","role":"user","time":{"created":1}},"parts":[{"id":"C:\\\\CON","messageID":"../../../x","type":"file","filename":"../../.git/hooks/x","url":"file:///etc/passwd","mime":"text/plain"}]}]}`)).toBe('drawn');
    expect(readdirSync(folder).sort().filter((name) => !name.startsWith('library.db'))).toEqual(['bad.json', 'home', 'locks'].filter((name) => existsSync(join(folder, name))));
  });
});

describe('a file that is not as it should be', () => {
  const exported = join(fixtures, 'ses_e2b38726bffec1bGQpB4nw029f.json');
  const written = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test('packed with gzip or in UTF-16, it is the same session', async () => {
    const session = await applied(exported);
    const same = `It is in the library already, with the same content: ${session}.`;
    const text = readFileSync(exported, 'utf8');
    expect((await refusal(written('a.json.gz', gzipSync(text)))).refused).toBe(same);
    expect((await refusal(written('b.json', Buffer.from(`\ufeff${text}`, 'utf16le')))).refused).toBe(same);
    expect((await refusal(written('c.json', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()))).refused).toBe(same);
    expect((await refusal(written('d.json.gz', gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le'))))).refused).toBe(same);
    expect((await refusal(written('e.json', `\ufeff${text}`))).refused).toBe(same);
    expect((await refusal(written('f.json.gz', gzipSync(text).subarray(0, 900)))).refused).toBe('The packed file (gzip) was cut off; get it once more.');
    expect((await refusal(written('g.json.gz', Buffer.concat([gzipSync(text).subarray(0, 12), Buffer.alloc(900, 0xff)])))).refused).toBe('The packed file (gzip) is damaged; get it once more.');
    expect((await refusal(written('h.zip', 'PK\x03\x04…'))).refused).toBe('A packed file (zip): unpack it, and import what is in it.');
  });

  test('with something behind its end, it is refused, and taken in without that when asked', async () => {
    const text = readFileSync(exported, 'utf8');
    const two = written('two.json', `${text}\n${text}`);
    expect(await refusal(two)).toEqual({ refused: 'Another document follows the export (byte 11,025). Keep each in a file of its own.', instead: [{ way: 'salvage', says: 'Take in the 5 messages that are whole.' }] });
    expect((await refusal(written('trail.json', `${text}\nDone.`))).refused).toBe('Something follows the end of the export (byte 11,025).');
    expect((await plan(two, { salvage: true })).preview).toMatchObject({ counts: { messages: 5 }, notes: ['What follows the end of the data (byte 11,025) was left out.'] });
    expect((await refusal(written('list.json', `[${text},${text}]`))).refused).toBe('The list holds 2 exports. Keep each in a file of its own, without the list around it.');
    expect((await refusal(written('empty.json', '[]'))).refused).toBe('A list, as a share has it, but no session is in it.');
  });

  test('with one id for two messages, or an address without its beginning, it says so', async () => {
    const document = JSON.parse(readFileSync(exported, 'utf8')) as { messages: { info: { id: string } }[] };
    const [first, second] = document.messages;
    if (first && second) second.info.id = first.info.id;
    expect((await plan(written('twice.json', JSON.stringify(document)))).preview?.notes).toContain('1 message has the id of another one in the file: the two are shown as one.');
    expect((await refusal(join(folder, 'opncd.ai/share/abc123'))).refused).toBe(`There is nothing at ${join(folder, 'opncd.ai/share/abc123')}. A link is given whole: https://opncd.ai/share/abc123`);
  });
});

describe('names that would lead elsewhere', () => {
  const below = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('library.db') && !path.startsWith('locks')).sort();
  const message = { info: { id: 'msg_1', role: 'user', time: { created: 1 } }, parts: [{ id: 'prt_1', messageID: 'msg_1', type: 'text', text: 'hi' }] };

  test.each(['../../etc/x', '..\\..\\x', '/etc/passwd', 'C:', '\\\\?\\C:\\x', 'ses_a\u0000b', 'CON', 'ses_x.', 'ses_/.git/hooks/x', `ses_${'a'.repeat(300)}`, `ses_${'a'.repeat(20_000)}`])('the session %j is refused by name, or is a name and no more', async (id) => {
    const file = join(folder, 'export.json');
    writeFileSync(file, JSON.stringify({ info: { id, title: 'x', time: { created: 1, updated: 1 } }, messages: [message] }));
    const view = await look(file);
    if (view && 'id' in view) {
      const targets = view.steps.map((step) => (step.kind === 'file' ? step.path.slice(folder.length) : ''));
      expect(targets.map((path) => /^\/library\.db\.imports\/[0-9a-f]{12}\/(?:bundle\.retrace\.jsonl|origin\.json)$/.test(path))).toEqual([true, true]);
      expect(await ask('plan.apply', { plan: view.id })).toMatchObject({ applied: true });
      expect(imports().map((name) => /^[0-9a-f]{12}$/.test(name))).toEqual([true]);
      expect((await listed()).map(({ nativeId }) => nativeId)).toEqual([id]);
    } else expect(view?.refused).toMatch(/^(?:The file holds no session of OpenCode: there is no info with an id\.|There is no session in it that could be shown\.)$/);
    expect(below()).toEqual(['export.json', 'home']);
  });

  test.each(['../../../x.jsonl', 'projects/../../x.jsonl', '/etc/passwd', 'C:\\x', 'projects/-x/CON', `projects/-x/${'a'.repeat(300)}.jsonl`, 'projects/-x/.git/hooks/x', 'projects/-x/a\u0000b.jsonl'])('the stream %j of a bundle is a name and no more', async (key) => {
    const line = `${JSON.stringify({ type: 'user', uuid: 'u1', parentUuid: null, sessionId: 'abc', cwd: '/x', timestamp: '2026-11-02T09:00:00.000Z', message: { role: 'user', content: 'hi' } })}\n`;
    const head = [
      { type: 'header', format: 'retrace-bundle', version: 1, by: 'x', root: 'claude-code/abc', sessions: ['claude-code/abc'], scope: { kind: 'whole' } },
      { type: 'session', session: { id: 'claude-code/abc', nativeId: 'abc', title: null } },
      { type: 'stream', stream: 1, agent: 'claude-code', store: { key: 'claude-code', folder: '' }, key, role: 'records', sessions: ['claude-code/abc'], reader: 1, gone: false, whole: true },
      { type: 'piece', stream: 1, at: 0, text: line },
      { type: 'stream-end', stream: 1, pieces: 1, bytes: line.length, hash: createHash('sha256').update(line).digest('hex') },
    ].map((each) => `${JSON.stringify(each)}\n`).join('');
    const file = join(folder, 'a.retrace.jsonl');
    writeFileSync(file, `${head}${JSON.stringify({ type: 'end', lines: 5, sessions: 1, streams: 1, bytes: line.length, hash: createHash('sha256').update(head).digest('hex') })}\n`);
    const view = await look(file);
    if (view && 'id' in view) await ask('plan.apply', { plan: view.id });
    else expect(view?.refused).toMatch(/\.$/);
    expect(below()).toEqual(['a.retrace.jsonl', 'home']);
  });
});

describe('a file of another machine', () => {
  /** In pieces of 20,000 bytes. */
  async function sent(name: string, content: Buffer): Promise<string> {
    let upload: string | null = null;
    for (let at = 0; at < content.length; at += 20_000) {
      const answer: Answers['import.upload'] = await ask('import.upload', { upload, name, size: content.length, at, data: content.subarray(at, at + 20_000).toString('base64') });
      if ('refused' in answer) throw new Error(answer.refused);
      upload = answer.upload;
    }
    return upload ?? '';
  }

  test('is sent up, taken in under its own name, and goes', async () => {
    const upload = await sent('ses_e2b38726bffec1bGQpB4nw029f.json', readFileSync(join(fixtures, 'ses_e2b38726bffec1bGQpB4nw029f.json')));
    const { id, preview } = await plan(`upload:${upload}`);
    expect(preview).toMatchObject({ title: 'Leek soup recipe', from: 'ses_e2b38726bffec1bGQpB4nw029f.json', counts: { messages: 5, parts: 14 } });
    expect((await refusal(`upload:${upload}`)).refused).toBe('The file that was sent up is not here any more. Choose it again.');
    // The plan holds what it needs.
    const outcome = await ask('plan.apply', { plan: id });
    expect(outcome).toMatchObject({ applied: true, entry: { resume: null } });
    expect((await ask('session.get', { session: outcome?.applied ? (outcome.entry.result ?? '') : '' }))?.imported?.from).toBe('ses_e2b38726bffec1bGQpB4nw029f.json');
  });

  test('that was cut is kept until one decides', async () => {
    const upload = await sent('cut.json', readFileSync(join(fixtures, 'cut.json')));
    expect((await refusal(`upload:${upload}`)).instead).toEqual([{ way: 'salvage', says: 'Take in the 2 messages that are whole.' }]);
    expect((await plan(`upload:${upload}`, { salvage: true })).preview?.counts?.messages).toBe(2);
    const other = await sent('cut.json', readFileSync(join(fixtures, 'cut.json')));
    await ask('import.discard', { upload: other });
    expect((await refusal(`upload:${other}`, { salvage: true })).refused).toBe('The file that was sent up is not here any more. Choose it again.');
  });
});

describe('a share', () => {
  let server: ShareServer;
  beforeEach(async () => void (server = await ShareServer.start()));
  afterEach(() => server.close());
  const items = () => JSON.parse(readFileSync(join(fixtures, 'share-data.json'), 'utf8')) as unknown[];
  const host = () => server.base.slice('http://'.length);

  test('is fetched from a host the person agreed to, whatever the order of its items', async () => {
    const link = server.shares('mYk3pQ2x', items().reverse());
    expect(await refusal(link)).toEqual({ refused: `${host()} is not a share server that Retrace knows. It would be told your address, and nothing else.`, instead: [{ way: `host:${host()}`, says: `Fetch it from ${host()}.` }] });
    expect(server.asked).toEqual([]);
    const { preview } = await plan(link, { host: host() });
    expect(preview).toMatchObject({ kind: 'share link', from: link, title: 'Leek soup recipe', counts: { messages: 5, parts: 14 } });
    await applied(link, { host: host() });
    // The same session from an export is the same import, in the same state or another.
    expect((await plan(join(fixtures, 'renamed.json'))).preview?.known?.equal).toBe(false);
  });

  test('is fetched without a question from a server that the person set', async () => {
    const link = server.shares('mYk3pQ2x', items());
    expect(await ask('share.servers', { servers: [`${server.base}/`] })).toEqual({ servers: [server.base], refused: [] });
    expect((await plan(link)).preview?.title).toBe('Leek soup recipe');
    expect(await ask('share.servers', {})).toEqual({ servers: [server.base], refused: [] });
    await ask('share.servers', { servers: [] });
    expect((await refusal(link)).instead).toHaveLength(1);
  });

  test('a page instead of data is told as such, and the other address is tried', async () => {
    server.on('/api/share/abc/data', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Hello'));
    expect((await refusal(`${server.base}/share/abc`, { host: host() })).refused).toBe(`200, but a web page, not session data. (${server.base}/api/share/abc/data)`);
    server.on('/api/shares/abc/data', (_request, response) => void response.writeHead(200).end(JSON.stringify(items())));
    expect((await plan(`${server.base}/share/abc`, { host: host() })).preview?.title).toBe('Leek soup recipe');
  });

  test('each fault has its sentence, with the address', async () => {
    expect((await refusal(`${server.base}/share/none`, { host: host() })).refused).toBe(`404: the share was removed or never existed. (${server.base}/api/share/none/data)`);
    server.status('/api/share/away/data', 302, { location: 'https://10.0.0.1/x' });
    expect((await refusal(`${server.base}/share/away`, { host: host() })).refused).toMatch(/^10\.0\.0\.1 is an address of a private network/);
    server.shares('empty', []);
    expect((await refusal(`${server.base}/share/empty`, { host: host() })).refused).toBe('The share holds no session.');
    expect((await refusal('https://opncd.ai/')).refused).toBe('The link does not lead to a shared session: those end in /share/ and a name.');
  });
});

describe('what other agents wrote', () => {
  test('a transcript of Claude Code with its subagents and saved outputs', async () => {
    const fixture = openFixture('claude-code', 'agents');
    const project = join(fixture.home, '.claude/projects/-home-dev-projects-demo');
    const file = join(project, 'ac464ab6-da7a-4724-bdcd-ef89b67cc317.jsonl');
    const { preview } = await plan(file);
    expect(preview).toMatchObject({ kind: 'claude-code transcript', agent: 'claude-code', title: 'Please survey the repo with helpers', others: 4, notes: [] });
    // Its folder means the same; a copy under another name says so.
    expect((await plan(join(project, 'ac464ab6-da7a-4724-bdcd-ef89b67cc317'))).preview?.others).toBe(4);
    const copy = join(folder, 'sent-by-mail.jsonl');
    copyFileSync(file, copy);
    expect((await plan(copy)).preview).toMatchObject({ others: 0, notes: ['The file is not named after its session; its lines say ac464ab6-da7a-4724-bdcd-ef89b67cc317.'] });
    // The same session in the agent's own store and the import name each other.
    cpSync(join(fixture.home, '.claude'), join(folder, 'home/.claude'), { recursive: true });
    await ask('index.run', {});
    const live = 'claude-code/ac464ab6-da7a-4724-bdcd-ef89b67cc317';
    expect((await plan(file)).preview?.live).toBe(live);
    expect((await ask('session.get', { session: live }))?.twins).toEqual([]);
    const twin = await applied(file);
    expect([(await ask('session.get', { session: live }))?.twins, (await ask('session.get', { session: twin }))?.twins]).toEqual([[twin], [live]]);
    expect((await ask('session.list', { filter: { agents: ['retrace'] }, sort: 'updated', from: 0, count: 9 })).total).toBe(5);
    fixture.dispose();
  });

  test('a transcript of Claude Code comes with its subagents as a tree', async () => {
    const fixture = openFixture('claude-code', 'agents');
    const session = await applied(join(fixture.home, '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317.jsonl'));
    expect((await listed()).map(({ kind }) => kind).sort()).toEqual(['session', 'subagent', 'subagent', 'subagent', 'subagent']);
    expect(session).toMatch(/^retrace~[0-9a-f]{12}\/ac464ab6-/);
    fixture.dispose();
  });

  test('the transcript of a subagent is that subagent, and does not take the place of its session', async () => {
    const fixture = openFixture('claude-code', 'agents');
    const file = join(fixture.home, '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317.jsonl');
    const agent = join(fixture.home, '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317/subagents/agent-a0f5bb3410d20be6c.jsonl');
    const session = await applied(file);
    const { preview } = await plan(agent);
    expect(preview).toMatchObject({
      title: 'Outer helper', counts: { messages: 5 }, others: 0, known: null,
      notes: ['This is a subagent of session ac464ab6-da7a-4724-bdcd-ef89b67cc317. To bring in the whole, import the session’s own transcript, with its folder beside it.'],
    });
    const alone = await applied(agent);
    expect(alone).toMatch(/^retrace~[0-9a-f]{12}\/ac464ab6-da7a-4724-bdcd-ef89b67cc317\.agent-a0f5bb3410d20be6c$/);
    expect((await listed()).map(({ id }) => id)).toEqual(expect.arrayContaining([session, alone]));
    expect(await listed()).toHaveLength(6);
    fixture.dispose();
  });

  test('a transcript whose last line is cut is said to be so', async () => {
    const fixture = openFixture('claude-code', 'agents');
    const file = join(folder, 'ac464ab6-da7a-4724-bdcd-ef89b67cc317.jsonl');
    const bytes = readFileSync(join(fixture.home, '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317.jsonl'));
    const cut = 'The last line is not whole: the file was cut off, or copied while it was written. Later messages are not in it.';
    writeFileSync(file, bytes.subarray(0, 45_000));
    expect((await plan(file)).preview?.notes).toEqual([cut]);
    // Beside an import of the whole it is said what would be lost.
    await applied(join(fixture.home, '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317.jsonl'));
    const { preview, limits } = await plan(file);
    expect(preview?.notes).toEqual([cut, 'The import that is here, and would be replaced, has more: 18 messages (this one 2), and 4 more sessions beside it (this one none).']);
    expect(limits).toEqual(preview?.notes);
    // A last line that only lacks its end is whole.
    writeFileSync(file, bytes.subarray(0, -1));
    expect((await plan(file)).preview?.notes).toEqual([expect.stringContaining('4 more sessions beside it')]);
    fixture.dispose();
  });

  test('the doctor looks for no files of an import, and nobody looks into a folder that only an import names', async () => {
    const fixture = openFixture('claude-code', 'agents');
    await applied(join(fixture.home, '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317.jsonl'));
    const [imported] = await listed();
    expect(await ask('library.planForget', { target: { kind: 'sessions', sessions: [imported?.id ?? ''] } })).toMatchObject({ refusals: [{ reason: 'still there', text: expect.stringMatching(/^Th.* imported and would be read again\. Undo the import to take (?:it|them) out\.$/) }] });
    const aider = openFixture('aider', 'basic');
    await applied(join(aider.home, 'proj/calc/.aider.chat.history.md'));
    const project = join(folder, 'home/proj');
    mkdirSync(join(project, '.sisyphus/plans'), { recursive: true });
    writeFileSync(join(project, '.sisyphus/plans/search.md'), '- [ ] 1. Rank\n');
    writeFileSync(join(project, '.aider.chat.history.md'), '\n# aider chat started at 2026-11-29 15:40:00\n\n#### hello  \n\nHi.\n');
    const named = JSON.parse(readFileSync(join(fixtures, 'renamed.json'), 'utf8')) as { info: { directory: string } };
    named.info.directory = project;
    writeFileSync(join(folder, 'named.json'), JSON.stringify(named));
    await applied(join(folder, 'named.json'));
    await ask('index.run', {});
    await ask('index.run', {});
    const { stores: examined } = await ask('doctor', {});
    expect(examined.map(({ agent, origin, found, sessions, notices }) => [agent, origin, found, sessions, notices])).toEqual([
      ['aider', 'default', false, 0, []], ['aider', 'import', true, 4, []], ['claude-code', 'default', false, 0, []], ['claude-code', 'import', true, 5, []], ['codex', 'default', false, 0, []], ['opencode', 'default', false, 0, []], ['opencode', 'import', true, 1, []],
    ]);
    aider.dispose();
    fixture.dispose();
  });

  test('a rollout of Codex with the rollouts it builds on, and without them', async () => {
    const fixture = openFixture('codex', 'fork-tree');
    const name = 'rollout-2026-11-29T15-53-10-01a22802-9fd5-7bd0-98d1-37a154a587b3.jsonl';
    const file = join(fixture.home, '.codex/sessions/2026/11/29', name);
    const whole = (await plan(file)).preview;
    expect(whole).toMatchObject({ kind: 'codex rollout', agent: 'codex', notes: [] });
    const alone = join(folder, name);
    copyFileSync(file, alone);
    const { preview } = await plan(alone);
    expect(preview?.notes[0]).toMatch(/^The rollout it builds on \([0-9a-f-]{36}\) is not beside it: what was said before the fork is missing\.$/);
    expect(preview?.counts?.messages).toBeLessThan(whole?.counts?.messages ?? 0);
    fixture.dispose();
  });

  test.each([
    ['page.html', '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="Retrace 0.1.0">\n', 'A page that Retrace exported, to be read: it cannot be taken in. Export the session as a bundle.'],
    ['show.json', '{"session":{"id":"codex/1","agent":"codex","title":"messages"},\n"branches":[],"messages":[]}', 'A document that Retrace wrote for scripts (show --json, export --format json): it cannot be taken in. Export the session as a bundle.'],
    ['cut.retrace.jsonl', '{"type":"header","format":"retrace-bundle","version":1,"by":"Retr', 'The bundle was cut off at 65 bytes: its end is missing.'],
  ])('%s that Retrace wrote is called what it is', async (name, text, says) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    expect((await refusal(file)).refused).toBe(says);
  });

  test('a history of Aider', async () => {
    const fixture = openFixture('aider', 'basic');
    const { preview } = await plan(join(fixture.home, 'proj/calc/.aider.chat.history.md'));
    expect(preview).toMatchObject({ kind: 'aider history', agent: 'aider', others: 3, notes: ['The history holds 4 runs: all are taken in, the last is the one that opens.'] });
    fixture.dispose();
  });
});
