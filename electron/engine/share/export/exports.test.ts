import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { exportFormats, type ExportDone, type ExportLook, type FindingClass } from '@shared/model';
import type { FixtureFamily } from '../../../../e2e/fixtures';
import { recordsOf, type Said } from '../../../../e2e/page-home';
import { stores } from '../../stores';
import type { Projection } from '../../stores/store';
import { type BundleLine, ExportHome, sha256, streamsOf } from './export-home.test-support';

const opened: ExportHome[] = [];
afterEach(async () => {
  for (const home of opened.splice(0)) await home.close();
});

async function fixture(family: FixtureFamily, name: string): Promise<ExportHome> {
  const home = await ExportHome.open(family, name);
  opened.push(home);
  return home;
}

const id = '11111111-1111-4111-8111-111111111111';

/** A home with one transcript of Claude Code that says what a test chooses. */
async function saying(said: Said[]): Promise<ExportHome> {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-said-'));
  const file = join(folder, '.claude/projects/-home-maria-acme', `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, recordsOf({ id, project: 'acme', at: '2026-03-01T12:00:00Z', said }, 0).join('').replaceAll('/home/dev/', '/home/maria/'));
  const home = await ExportHome.of({ home: folder, dispose: () => rmSync(folder, { recursive: true, force: true }) });
  opened.push(home);
  return home;
}

const session = `claude-code/${id}`;

function done(answer: object): ExportDone {
  expect(answer).not.toHaveProperty('refused');
  return answer as ExportDone;
}

describe('nothing private leaves', () => {
  const github = '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';
  const npm = `npm_${'a1B2'.repeat(9)}`;
  const aws = 'q7ZtPmxC0vLq2rWb8sKd5nHj1fGy4uTe6iOa9xZc';
  const slack = 'xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx';
  const said: Said[] = [
    { you: `My token is ${github}; write to maria.k@firm.co, the project is called Falcon.` },
    { agent: `I will use \`${aws}\` as it stands.` },
    { tool: 'Bash', input: { command: `AWS_SECRET_ACCESS_KEY=${aws} deploy` }, output: `${slack}\nin /home/maria/acme/falcon` },
    { tool: 'Write', input: { file_path: `/home/maria/acme/${npm}.txt`, content: JSON.stringify({ nested: JSON.stringify({ token: npm }) }) }, output: 'ok' },
  ];
  const values = [github, npm, aws, slack, 'maria.k@firm.co', '/home/maria', 'alcon'];

  test.each(exportFormats)('%s', async (format) => {
    const home = await saying(said);
    await home.ask('share.words', { words: ['falcon'] });
    const text = await home.text(session, { format });
    for (const value of values) expect(text).not.toContain(value);
    expect(text).toContain('[secret 1: ');
    for (const name of ['GitHub token', 'AWS key', 'Slack token', 'npm token', '[mail 1]', '[word 1]']) expect(text).toContain(format === 'markdown' ? name.replace(/[[\]]/g, '') : name);
    expect(text).toMatch(/"class":"secret","findings":4|4 secrets in \d+ places|"info"/);
  });

  test('in a text that was left out nothing is found', async () => {
    const home = await saying(said);
    const look = (await home.look(session, { toolOutput: false })) as ExportLook;
    expect(look.findings.map(({ name }) => name)).not.toContain('Slack token');
    expect(look.findings.map(({ name }) => name)).toContain('npm token');
  });

  test('a finding says where; kept by its id it stands, by its class all of them do', async () => {
    const home = await saying(said);
    const look = (await home.look(session)) as ExportLook;
    const token = look.findings.find(({ name }) => name === 'GitHub token');
    // The prompt is the session's title, too.
    expect(token?.places[0]).toMatchObject({ session, message: null, part: null, index: null });
    expect(token?.places.slice(1)).toEqual([{ session, message: `${session}#11111111-0000-4000-8000-000000000000`, part: `${session}#11111111-0000-4000-8000-000000000000`, index: 0, excerpt: expect.stringContaining('My token is [secret') as string }]);
    expect(await home.text(session, { keep: [token?.id ?? ''] })).toContain(github);
    const kept = await home.text(session, { keep: ['secret'] });
    for (const value of [github, aws, slack]) expect(kept).toContain(value);
    expect(kept).not.toContain('/home/maria');
    expect(kept).toContain('Left as it is: 4 secrets');
  });

  test('the same finding in a bundle is placed by the record it stands in', async () => {
    const home = await saying(said);
    const look = (await home.look(session, { format: 'bundle' })) as ExportLook;
    expect(look.findings.find(({ name }) => name === 'Slack token')?.places[0]).toMatchObject({ part: `${session}#11111111-0000-4000-8000-000000000002`, index: 2 });
  });

  test('without redaction it is as it was recorded, and says so', async () => {
    const home = await saying(said);
    const text = await home.text(session, { redact: false });
    for (const value of [github, '/home/maria']) expect(text).toContain(value);
    expect(text).toContain('Nothing was masked.');
  });

  test('an export of what was masked has nothing more to mask', async () => {
    const home = await saying(said);
    const first = await home.bundle(session);
    const records = [...streamsOf(first).values()].flatMap(({ pieces }) => pieces.map(({ bytes }) => bytes.toString())).join('');
    const folder = mkdtempSync(join(tmpdir(), 'retrace-said-'));
    mkdirSync(join(folder, '.claude/projects/-x'), { recursive: true });
    writeFileSync(join(folder, '.claude/projects/-x', `${id}.jsonl`), records);
    const again = await ExportHome.of({ home: folder, dispose: () => rmSync(folder, { recursive: true, force: true }) });
    opened.push(again);
    const look = (await again.look(session, { format: 'bundle' })) as ExportLook;
    // The home of this test is named by the store's own folder.
    expect(look.findings.map(({ class: kind }): FindingClass => kind)).toEqual(['home']);
    const second = streamsOf(await again.bundle(session));
    expect([...second.values()].map(({ hash }) => hash)).toEqual([...streamsOf(first).values()].map(({ hash }) => hash));
  });
});

describe('bundle', () => {
  test.each([
    ['claude-code', 'agents', 'ac464ab6-da7a-4724-bdcd-ef89b67cc317'],
    ['claude-code', 'rewind', '668bfb69'],
    ['codex', 'fork-tree', '01a22802-9b70'],
    ['codex', 'subagents-v1', '01a22803-5a51'],
    ['opencode', 'v118-main', 'ses_e170ce624'],
    ['opencode', 'v11-json', 'ses_4496a98d8'],
    ['aider', 'basic', ''],
  ] as const)('of %s %s: without redaction its streams are the bytes of the log, and its hashes hold', async (family, name, begin) => {
    const home = await fixture(family, name);
    const own = await home.session(begin);
    const text = await home.text(own, { format: 'bundle', redact: false });
    const lines = text.trimEnd().split('\n');
    const end = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    const before = text.slice(0, text.lastIndexOf('{"type":"end"'));
    expect(end).toMatchObject({ type: 'end', lines: lines.length - 1, hash: sha256(before) });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2_000_000);
    const bundle = await home.bundle(own, { redact: false });
    const streams = streamsOf(bundle);
    expect(streams.size).toBeGreaterThan(0);
    for (const [key, { pieces, hash }] of streams) {
      const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
      expect(sha256(bytes)).toBe(hash);
      // The log is the file byte for byte where the agent keeps transcripts.
      const file = stores.find(({ agent }) => agent === family)?.transcriptOf?.(key);
      const path = file == null ? null : join(home.fixture.home, family === 'codex' ? '.codex' : '.claude', file);
      if (path !== null && existsSync(path)) expect(sha256(readFileSync(path))).toBe(hash);
    }
  });

  test('subagents go along with their streams and the outputs they point at, or stay behind', async () => {
    const home = await fixture('claude-code', 'agents');
    const own = await home.session('ac464ab6-da7a-4724-bdcd-ef89b67cc317');
    const all = await home.bundle(own);
    expect(((all[0] as BundleLine)['sessions'] as string[]).map((each) => each.replace(/^.*317/, ''))).toEqual(['', '.agent-ade9958cbcb27e428', '.agent-ac56de977359ed615', '.agent-a0f5bb3410d20be6c', '.agent-a2b5aeb2c67dfaa4e']);
    expect(all.filter(({ type, role }) => type === 'stream' && role === 'file').map(({ key }) => key)).toEqual(['projects/~-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317/tool-results/bow6v1i31.txt']);
    const alone = await home.bundle(own, { subagents: false });
    expect(alone[0]?.['sessions']).toHaveLength(1);
    expect(alone.filter(({ type }) => type === 'stream').map(({ key }) => String(key).replace(/^.*317/, ''))).toEqual(['/tool-results/bow6v1i31.txt', '.jsonl']);
  });

  test('a subagent alone takes nothing of its parent but what the parent says of it', async () => {
    const home = await fixture('claude-code', 'agents');
    const lines = await home.bundle(await home.session('ac464ab6-da7a-4724-bdcd-ef89b67cc317.agent-ac56'));
    expect(lines.filter(({ type }) => type === 'stream').map(({ key }) => String(key).replace(/^.*agent-/, ''))).toEqual(['ac56de977359ed615.jsonl', 'ac56de977359ed615.meta.json']);
    expect(lines.filter(({ type }) => type === 'evidence').map(({ slot, source }) => [slot, String(source).endsWith('317.jsonl')])).toEqual([['spawn', true]]);
  });

  test.each(['branch', 'turns'] as const)('of a %s has no record of another', async (kind) => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    const detail = await home.ask('session.get', { session: own, branches: 'messages' });
    const scope = kind === 'branch' ? ({ kind, branch: 'current' } as const) : ({ kind, branch: null, from: 1, to: 2 } as const);
    const lines = await home.bundle(own, { scope, redact: false });
    const text = [...streamsOf(lines).values()].flatMap(({ pieces }) => pieces.map(({ bytes }) => bytes.toString())).join('');
    const current = new Set(detail?.branches.find((branch) => branch.current)?.messages);
    const [shown] = await home.ask('session.parts', { session: own, from: 0, count: 200 }).then((answer) => [answer?.parts ?? []]);
    const told = (await home.text(own, { format: 'json', scope, redact: false }));
    const inside = new Set((JSON.parse(told) as { messages: { parts: { nativeId: string }[] }[] }).messages.flatMap(({ parts }) => parts.map(({ nativeId }) => nativeId.split('.')[0] ?? '')));
    const outside = (shown ?? []).map(({ nativeId }) => nativeId.split('.')[0] ?? '').filter((key) => !inside.has(key));
    expect(outside.length).toBeGreaterThan(0);
    expect(current.size).toBeGreaterThan(0);
    for (const key of inside) expect(text).toContain(`"uuid":"${key}"`);
    for (const key of outside) expect(text).not.toContain(`"uuid":"${key}"`);
    expect(lines.find(({ type }) => type === 'stream')?.['whole']).toBe(false);
    expect(lines[0]?.['scope']).toEqual(scope);
  });

  test('of turns of OpenCode has no version of another row', async () => {
    const home = await fixture('opencode', 'v118-main');
    const own = await home.session('ses_e170ce624');
    const lines = await home.bundle(own, { scope: { kind: 'turns', branch: null, from: 2, to: 2 }, redact: false });
    const rows = [...streamsOf(lines).values()].flatMap(({ pieces }) => pieces.flatMap(({ bytes }) => bytes.toString().trimEnd().split('\n'))).map((line) => JSON.parse(line) as { t: string; r: { id: string } });
    const all = JSON.parse(await home.text(own, { format: 'json', scope: { kind: 'turns', branch: null, from: 2, to: 2 } })) as { messages: { nativeId: string }[] };
    expect(rows.filter(({ t }) => t === 'message').map(({ r }) => r.id).sort()).toEqual(all.messages.map(({ nativeId }) => nativeId).sort());
    expect(rows.some(({ t }) => t === 'session')).toBe(true);
  });

  test('one run of a history of Aider is understood from the bundle alone, under the id that its lines have', async () => {
    const home = await fixture('aider', 'basic');
    const run = (await home.sessions())[1];
    const lines = await home.bundle(run?.id ?? '');
    const chat = lines.find(({ type, key }) => type === 'stream' && String(key).endsWith('.md'));
    const store = stores.find(({ agent }) => agent === 'aider');
    const pieces = streamsOf(lines).get(String(chat?.['key']))?.pieces ?? [];
    let carry: Projection['carry'] = null;
    const found = new Set<string>();
    for (const { at, bytes } of pieces) {
      const projection: Projection | undefined = store?.project({ source: String(chat?.['key']), at, bytes, carry });
      carry = projection?.carry ?? null;
      for (const record of projection?.records ?? []) found.add(record.session);
    }
    expect([...found].map((native) => `${run?.store}/${native}`)).toEqual(lines[0]?.['sessions']);
    for (const { pieces: all, hash } of streamsOf(lines).values()) expect(sha256(Buffer.concat(all.map(({ bytes }) => bytes)))).toBe(hash);
  });

  test('tool output cannot be left out of the agent’s own records', async () => {
    const home = await fixture('claude-code', 'rewind');
    expect(await home.look(await home.session('668bfb69'), { format: 'bundle', toolOutput: false })).toMatchObject({ refused: 'format' });
  });
});

describe('a session of both generations of OpenCode', () => {
  test('is not told in part as OpenCode exports it', async () => {
    const home = await fixture('opencode', 'v118-v2api');
    expect(await home.look(await home.session('ses_e403fcff0ffeFyceb3UG24hKAA'), { format: 'opencode' })).toEqual({
      refused: 'format', reason: '4 messages of this session were made by OpenCode’s second generation of sessions, which its own export does not know and would leave out. Choose another format.',
    });
    expect(await home.look(await home.session('ses_e403fa381ffe60dLV75aPk8SA1'), { format: 'opencode' })).not.toHaveProperty('refused');
  });
});

describe('what is left out', () => {
  test('tool output, reasoning and subagents', async () => {
    const home = await fixture('opencode', 'v118-main');
    const own = await home.session('ses_e1c4ca54f');
    const all = await home.text(own);
    const less = await home.text(own, { toolOutput: false, reasoning: false, subagents: false });
    expect(all).toContain('Output:');
    expect(less).not.toContain('Output:');
    expect(less).not.toContain('**Reasoning**');
    expect(all.match(/^# Subagent: /gm)?.length).toBeGreaterThan(0);
    expect(less).not.toContain('# Subagent');
    expect(less).toContain('Left out: tool output, reasoning, subagents.');
  });

  test('turns that are not there, a branch that is not there', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    expect(await home.look(own, { scope: { kind: 'turns', branch: null, from: 3, to: 99 } })).toEqual({ refused: 'scope', reason: expect.stringMatching(/^There are no turns 3 to 99: this session has 1 to \d+\.$/) as string });
    expect(await home.look(own, { scope: { kind: 'turns', branch: null, from: 99, to: 99 } })).toEqual({ refused: 'scope', reason: expect.stringMatching(/^There is no turn 99: this session has 1 to \d+\.$/) as string });
    expect(await home.look(own, { scope: { kind: 'branch', branch: '9' } })).toMatchObject({ refused: 'scope' });
    expect(await home.look('claude-code/nobody')).toMatchObject({ refused: 'session' });
  });

  test('the document of JSON is that of the command line', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    const told = JSON.parse(await home.text(own, { format: 'json', redact: false })) as Record<string, unknown>;
    expect(Object.keys(told)).toEqual(['session', 'branches', 'scope', 'messages', 'edges', 'checkpoints', 'todos', 'damage', 'diagnoses', 'notices', 'revert', 'work', 'subagents', 'export']);
  });
});

describe('the file', () => {
  test('a session whose source is gone is exported from the library', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    const before = await home.text(own, { format: 'html', redact: false });
    rmSync(join(home.fixture.home, '.claude'), { recursive: true });
    mkdirSync(join(home.fixture.home, '.claude/projects'), { recursive: true });
    await home.index();
    const after = await home.text(own, { format: 'html', redact: false });
    expect(after.replace(' · gone from its store', '')).toBe(before);
    expect(after).toContain(' · gone from its store');
    expect((await home.bundle(own)).find(({ type }) => type === 'stream')).toMatchObject({ gone: true });
  });

  test('one that is there is replaced only when asked; nothing else stays in the folder', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    const folder = mkdtempSync(join(home.folder, 'out-'));
    const path = join(folder, 'a.md');
    writeFileSync(path, 'mine');
    expect(await home.make(own, { target: { kind: 'file', path, overwrite: false } })).toEqual({ refused: 'exists', reason: `${path} is there already.` });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    const answer = done(await home.make(own, { target: { kind: 'file', path, overwrite: true } }));
    expect(answer).toMatchObject({ path, bytes: readFileSync(path).length, hash: sha256(readFileSync(path)) });
    expect(readdirSync(folder)).toEqual(['a.md']);
  });

  test('places where it may not lie', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    const inStore = join(home.fixture.home, '.claude/projects');
    const link = join(home.folder, 'link');
    symlinkSync(inStore, link);
    const at = (path: string) => home.make(own, { target: { kind: 'file', path, overwrite: true } });
    expect(await at(join(inStore, 'a.md'))).toMatchObject({ refused: 'place', reason: expect.stringContaining('where an agent keeps its sessions') as string });
    expect(await at(join(link, 'a.md'))).toMatchObject({ refused: 'place' });
    expect(await at(join(home.folder, 'library.db'))).toMatchObject({ refused: 'place', reason: expect.stringContaining('belongs to the library') as string });
    expect(await at(join(home.folder, 'library.db-wal'))).toMatchObject({ refused: 'place' });
    expect(await at(join(home.folder, 'nowhere/a.md'))).toMatchObject({ refused: 'place', reason: `There is no folder ${join(home.folder, 'nowhere')}.` });
    expect(await at(home.folder)).toMatchObject({ refused: 'place' });
    expect(await at('a.md')).toMatchObject({ refused: 'place' });
    const long = join(home.folder, `${'n'.repeat(300)}.md`);
    expect(await at(long)).toEqual({ refused: 'failed', reason: `${long} could not be written: the name is too long.` });
    expect(await at(join(home.folder, '.aider.chat.history.md'))).toMatchObject({ refused: 'place' });
    expect(readdirSync(inStore).filter((name) => name.endsWith('.md'))).toEqual([]);
  });

  test('one that is cancelled leaves nothing behind', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    await home.look(own);
    const folder = mkdtempSync(join(home.folder, 'out-'));
    const abort = new AbortController();
    const made = home.make(own, { target: { kind: 'file', path: join(folder, 'a.md'), overwrite: false } }, abort.signal);
    setImmediate(() => abort.abort());
    await expect(made).rejects.toThrow('aborted');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a name that was taken meanwhile stays with its owner', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    const folder = mkdtempSync(join(home.folder, 'out-'));
    const made = home.make(own, { target: { kind: 'file', path: join(folder, 'a.md'), overwrite: false } });
    writeFileSync(join(folder, 'b'), 'theirs');
    renameSync(join(folder, 'b'), join(folder, 'a.md'));
    expect(await made).toMatchObject({ refused: 'exists' });
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['a.md']);
  });

  test('progress is told under the name of the run', async () => {
    const home = await fixture('claude-code', 'rewind');
    const own = await home.session('668bfb69');
    await home.make(own, { run: 'mine' });
    expect(home.progress.map(({ run, phase }) => `${run} ${phase}`)).toEqual(expect.arrayContaining(['mine looking', 'mine writing']) as string[]);
  });
});
