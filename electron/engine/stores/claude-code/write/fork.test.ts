import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyFiles, drafted, making } from '../../write-acceptance';
import type { Draft, FileStep, ForkChoices, SessionToWrite } from '../../store';
import { planFork } from './fork';
import { bytesOf, within, type WriteHome } from './home.test-support';
import { keptLine } from './kept';

const continues = 'From now on `claude --continue` in that folder goes on with the fork: it takes the newest session.';

const fork = '07000000-9fc4-490e-b358-7da2c7ec1136';

const fileSteps = (draft: Draft): FileStep[] => draft.steps.filter((step): step is FileStep => step.kind === 'file');

const forked = (home: WriteHome, session: string, before: string | null, choices: ForkChoices = {}): Draft => drafted(planFork(home.writable(session), home.before(session, before), choices, making(7)));

const linesOf = (draft: Draft): string[] => bytesOf(fileSteps(draft).at(-1) as FileStep).toString().trimEnd().split('\n');

test('files first, the transcript last, each new; backups keep time and mode', () =>
  within('claude-code', 'rewind', (home) => {
    const backup = join(home.driven.location.folder, 'file-history/668bfb69-92c3-4453-af88-82ab42de9ae5/cd2345f01b62df26@v3');
    chmodSync(backup, 0o755);
    utimesSync(backup, 1_700_000_000, 1_700_000_000);
    const draft = forked(home, '668bfb69', 'c51f63ce');
    expect(draft.session).toBe(fork);
    expect(fileSteps(draft).map((step) => [home.shortPath(step), step.mode, step.modified, step.before.state])).toEqual([
      [`file-history/${fork}/cd2345f01b62df26@v2`, 0o644, expect.any(Number), 'absent'],
      [`file-history/${fork}/e494826fab506c54@v1`, 0o644, expect.any(Number), 'absent'],
      [`file-history/${fork}/cd2345f01b62df26@v3`, 0o755, 1_700_000_000_000, 'absent'],
      [`file-history/${fork}/e494826fab506c54@v2`, 0o644, expect.any(Number), 'absent'],
      [`projects/-home-dev-projects-demo/${fork}/custom-title.json`, 0o600, undefined, 'absent'],
      [`projects/-home-dev-projects-demo/${fork}.jsonl`, 0o600, undefined, 'absent'],
    ]);
    expect(draft.limits).toEqual([continues]);
    expect(draft.expects?.[2]).toEqual({ path: backup, within: home.driven.location.folder, bytes: 80, sha256: createHash('sha256').update(home.text('file-history/668bfb69-92c3-4453-af88-82ab42de9ae5/cd2345f01b62df26@v3')).digest('hex') });
    expect(fileSteps(draft).every(({ within: folder }) => folder === home.driven.location.folder)).toBe(true);
  }));

test('each line is the original’s with another session and a mark; titles and checkpoints follow', () =>
  within('claude-code', 'rewind', (home) => {
    const lines = linesOf(forked(home, '668bfb69', 'c51f63ce', { title: ' Another\n try ' }));
    const original = home.text('projects/-home-dev-projects-demo/668bfb69-92c3-4453-af88-82ab42de9ae5.jsonl').split('\n');
    const first = original.find((line) => line.includes('"uuid":"9389920d')) ?? '';
    expect(lines[0]).toBe(`${first.slice(0, -1).replace('"sessionId":"668bfb69-92c3-4453-af88-82ab42de9ae5"', `"sessionId":"${fork}"`)},"forkedFrom":{"sessionId":"668bfb69-92c3-4453-af88-82ab42de9ae5","messageUuid":"9389920d-9458-4aa7-9590-40ecc39fb147"}}`);
    const entries = lines.map((line): { type: string; uuid?: string; parentUuid?: string | null; requestSessionId?: string } => JSON.parse(line));
    expect(entries.filter(({ type }) => type === 'assistant').every(({ requestSessionId }) => requestSessionId === '668bfb69-92c3-4453-af88-82ab42de9ae5')).toBe(true);
    // What was rewound is not of this branch.
    expect(lines.some((line) => line.includes('Also drop the util helper'))).toBe(false);
    expect(lines.filter((line) => !line.includes('"uuid"'))).toEqual([
      `{"type":"custom-title","customTitle":"Another try","sessionId":"${fork}"}`,
      `{"type":"agent-name","agentName":"Another try","sessionId":"${fork}"}`,
      '{"type":"file-history-snapshot","messageId":"9389920d-9458-4aa7-9590-40ecc39fb147","snapshot":{"messageId":"9389920d-9458-4aa7-9590-40ecc39fb147","trackedFileBackups":{"greet.js":{"backupFileName":null,"version":1,"backupTime":"2026-11-29T15:44:55.072Z","realParentDir":"/home/dev/projects/demo"}},"timestamp":"2026-11-29T15:44:55.072Z"},"isSnapshotUpdate":false}',
      '{"type":"file-history-snapshot","messageId":"6e00f263-0101-4d6c-a34c-fd07365ef7cf","snapshot":{"messageId":"6e00f263-0101-4d6c-a34c-fd07365ef7cf","trackedFileBackups":{"greet.js":{"backupFileName":"cd2345f01b62df26@v2","version":2,"backupTime":"2026-11-29T15:44:58.432Z","realParentDir":"/home/dev/projects/demo"},"app.js":{"backupFileName":"e494826fab506c54@v1","version":1,"backupTime":"2026-11-29T15:44:58.432Z","realParentDir":"/home/dev/projects/demo"}},"timestamp":"2026-11-29T15:44:58.432Z"},"isSnapshotUpdate":false}',
      '{"type":"file-history-snapshot","messageId":"6f237fab-421e-4ebe-9b7f-23184727e1d7","snapshot":{"messageId":"6f237fab-421e-4ebe-9b7f-23184727e1d7","trackedFileBackups":{"greet.js":{"backupFileName":"cd2345f01b62df26@v3","version":3,"backupTime":"2026-11-29T15:45:14.608Z","realParentDir":"/home/dev/projects/demo"},"app.js":{"backupFileName":"e494826fab506c54@v2","version":2,"backupTime":"2026-11-29T15:45:14.608Z","realParentDir":"/home/dev/projects/demo"}},"timestamp":"2026-11-29T15:45:14.608Z"},"isSnapshotUpdate":false}',
    ]);
  }));

test('the fork read back has the checkpoints of its prompts, each with its bytes', () =>
  within('claude-code', 'rewind', (home) => {
    const draft = forked(home, '668bfb69', null);
    const before = home.session('668bfb69').facts.checkpoints;
    applyFiles(draft);
    const after = home.read().sessions.get(fork)?.facts.checkpoints ?? [];
    expect(after.map(({ id }) => id)).toEqual(before.filter(({ id }) => after.some((kept) => kept.id === id)).map(({ id }) => id));
    expect(after).toHaveLength(5);
    for (const { id, files } of after) {
      expect(files.map(({ path, content }) => [path, content?.split('/').at(-1) ?? null])).toEqual(before.find((known) => known.id === id)?.files.map(({ path, content }) => [path, content?.split('/').at(-1) ?? null]));
      for (const { content } of files) if (content !== null) expect(home.text(content)).toBe(home.text(content.replace(fork, '668bfb69-92c3-4453-af88-82ab42de9ae5')));
    }
  }));

test('saved outputs of kept calls go along, and the copies’ paths lead to them', () =>
  within('claude-code', 'agents', (home) => {
    const draft = forked(home, 'ac464ab6', null);
    const output = fileSteps(draft).find(({ path }) => path.includes('tool-results')) as FileStep;
    expect(home.shortPath(output)).toBe(`projects/-home-dev-projects-demo/${fork}/tool-results/bow6v1i31.txt`);
    expect(createHash('sha256').update(bytesOf(output)).digest('hex')).toBe(createHash('sha256').update(home.text('projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317/tool-results/bow6v1i31.txt')).digest('hex'));
    const text = linesOf(draft).join('\n');
    expect(text).toContain(`/projects/-home-dev-projects-demo/${fork}/tool-results/bow6v1i31.txt`);
    expect(text).not.toContain('ac464ab6-da7a-4724-bdcd-ef89b67cc317/tool-results');
    expect(draft.limits).toEqual(['Transcripts of subagents stay with the original, as with /branch: the fork has what they reported, and cannot go on with one of them.', continues]);
  }));

test('a point before the call that was saved leaves its output out', () =>
  within('claude-code', 'agents', (home) => {
    expect(fileSteps(forked(home, 'ac464ab6', '819028f0')).map((step) => home.shortPath(step))).toEqual([`projects/-home-dev-projects-demo/${fork}/custom-title.json`, `projects/-home-dev-projects-demo/${fork}.jsonl`]);
  }));

test('a fork of a fork names the fork, and titles are numbered as /branch numbers them', () =>
  within('claude-code', 'titles', (home) => {
    applyFiles(forked(home, '1bb16b21', null));
    home.read();
    expect(home.session(fork).facts.title).toBe('Please outline a todo app (Branch)');
    const again = forked(home, fork, null);
    const second = drafted(planFork(home.writable(fork), home.before(fork, null), {}, making(8)));
    expect(linesOf(second).find((line) => line.includes('custom-title'))).toContain('"Please outline a todo app (Branch 2)"');
    expect(new Set(linesOf(again).flatMap((line) => /"forkedFrom":\{"sessionId":"([^"]+)"/.exec(line)?.[1] ?? []))).toEqual(new Set([fork]));
    // Who asked for an answer stays who asked.
    expect(new Set(linesOf(again).flatMap((line) => /"requestSessionId":"([^"]+)"/.exec(line)?.[1] ?? []))).toEqual(new Set(['064e8fae-8098-4d8d-95be-e3246addad11', '1bb16b21-c9be-4ba7-9846-5609b813562d']));
  }));

test('a fork of a background session is none', () =>
  within('claude-code', 'bgfork', (home) => {
    expect(home.text('projects/-home-dev-projects-demo/e12b2320-91cf-4fa7-adfb-3abe0d5df9ce.jsonl')).toContain('"sessionKind":"bg"');
    expect(linesOf(forked(home, 'e12b2320', null)).join('\n')).not.toContain('sessionKind');
  }));

test('a reply whose call has no result is left out, and said to be', () =>
  within('claude-code', 'killed', (home) => {
    const draft = forked(home, 'ca907c6c', null);
    expect(draft.limits).toEqual(['The last reply is left out: a call in it has no result.', 'The point lies inside a turn: when it goes on, Claude Code puts “No response requested.” where the answer would be.', continues]);
    const last = linesOf(draft).filter((line) => line.includes('"uuid"')).map((line): { type: string; message?: { content: unknown } } => JSON.parse(line)).findLast(({ type }) => type === 'user' || type === 'assistant');
    expect(last?.message?.content).toBe('Please start a run that gets interrupted');
  }));

test('a fork into another folder lies in that folder’s project, and its lines work there', () =>
  within('claude-code', 'rewind', (home) => {
    const draft = forked(home, '668bfb69', 'c51f63ce', { directory: '/home/dev/work trees/ü' });
    expect(fileSteps(draft).at(-1)?.path.slice(home.driven.location.folder.length + 1)).toBe(`projects/-home-dev-work-trees--/${fork}.jsonl`);
    expect(new Set(linesOf(draft).flatMap((line) => /"cwd":"([^"]+)"/.exec(line)?.[1] ?? []))).toEqual(new Set(['/home/dev/work trees/ü']));
    // The program takes no file back whose folder is another than the checkpoint's.
    expect(new Set(linesOf(draft).flatMap((line) => /"realParentDir":"([^"]+)"/.exec(line)?.[1] ?? []))).toEqual(new Set(['/home/dev/work trees/ü']));
    expect(draft.limits).toEqual(['What was said still names files below /home/dev/projects/demo; only the recorded working folder is changed to /home/dev/work trees/ü.', continues]);
    applyFiles(draft);
    expect(home.read().sessions.get(fork)?.facts.directory).toBe('/home/dev/work trees/ü');
  }));

test('a session of a worktree is forked into the worktree, or into its checkout when that is gone', () =>
  within('claude-code', 'worktree', (home) => {
    const session = [...home.driven.sessions.values()].find(({ facts }) => facts.worktree !== null && facts.directory === facts.worktree.originalDirectory);
    if (!session) throw new Error('no session in a worktree');
    const gone = forked(home, session.native, null);
    expect(fileSteps(gone).at(-1)?.path).toContain('/projects/-home-dev-projects-demo/');
    expect(gone.limits.at(-2)).toMatch(/only the recorded working folder is changed to \/home\/dev\/projects\/demo\.$/);
    const folder = join(home.fixture.home, 'tree');
    mkdirSync(folder);
    const writable = home.writable(session.native);
    const there = { ...writable, facts: { ...writable.facts, worktree: { name: null, branch: null, originalDirectory: writable.facts.directory, path: folder } } };
    const step = fileSteps(drafted(planFork(there, home.before(session.native, null), {}, making(7)))).at(-1);
    expect(step?.path).toContain(`/projects/${folder.replace(/[^A-Za-z0-9]/g, '-')}/`);
  }));

test('what only the library has is forked from it; backups that are gone are counted', () =>
  within('claude-code', 'rewind', (home) => {
    const writable = { ...home.writable('668bfb69'), isLive: false };
    const point = home.before('668bfb69', 'c51f63ce');
    const { folder } = home.driven.location;
    rmSync(join(folder, 'projects'), { recursive: true });
    rmSync(join(folder, 'file-history'), { recursive: true });
    const kept = Buffer.from('kept by the library');
    const draft = drafted(planFork({ ...writable, file: (key) => (key.endsWith('cd2345f01b62df26@v3') ? kept : null) }, point, {}, making(7)));
    expect(fileSteps(draft).map((step) => [home.shortPath(step), step.mode, step.modified])).toEqual([
      // No younger than its checkpoint: else Claude Code would take a file that was changed since for unchanged.
      [`file-history/${fork}/cd2345f01b62df26@v3`, 0o644, Date.UTC(2026, 10, 29, 15, 45, 14, 608)],
      [`projects/-home-dev-projects-demo/${fork}/custom-title.json`, 0o600, undefined],
      [`projects/-home-dev-projects-demo/${fork}.jsonl`, 0o600, undefined],
    ]);
    expect(draft.expects).toEqual([]);
    expect(bytesOf(fileSteps(draft)[0] as FileStep)).toEqual(kept);
    expect(draft.limits).toEqual(['3 backups of checkpoints are gone: Claude Code passes over those files when it rewinds.', continues]);
  }));

test('a backup that changes between plan and write is not taken', () =>
  within('claude-code', 'rewind', (home) => {
    const draft = forked(home, '668bfb69', 'c51f63ce');
    const backup = join(home.driven.location.folder, 'file-history/668bfb69-92c3-4453-af88-82ab42de9ae5/cd2345f01b62df26@v2');
    const time = statSync(backup).mtime;
    writeFileSync(backup, 'longer than it was, by far: this is not what was shown');
    utimesSync(backup, time, time);
    expect(() => bytesOf(fileSteps(draft)[0] as FileStep)).toThrow('changed since the plan was made');
  }));

test('names out of a transcript never lead out of the session’s own folders', () =>
  within('claude-code', 'rewind', (home) => {
    const writable = home.writable('668bfb69');
    const evidence = writable.spine.evidence.map((fact) => JSON.parse(JSON.stringify(fact).replaceAll('cd2345f01b62df26@v3', '../../../../etc/passwd')));
    const draft = drafted(planFork({ ...writable, spine: { ...writable.spine, evidence }, file: () => Buffer.from('x') }, home.before('668bfb69', 'c51f63ce'), {}, making(7)));
    expect(fileSteps(draft).some(({ path }) => path.includes('passwd'))).toBe(false);
    expect(draft.limits).toEqual(['1 backup of a checkpoint is gone: Claude Code passes over those files when it rewinds.', continues]);
  }));

test('a long session is written piece by piece, and never held whole', () =>
  within('claude-code', 'rewind', (home) => {
    const writable = home.writable('668bfb69');
    const first = writable.spine.records[0];
    if (!first) throw new Error('no record');
    // A million bytes a record, 2,000 records: 2 GB.
    const line = Buffer.from(JSON.stringify({ type: 'user', uuid: 'x', parentUuid: null, sessionId: 'old', message: { role: 'user', content: 'a'.repeat(1_000_000) } }));
    const records = Array.from({ length: 2_000 }, (_, index) => ({ ...first, index, key: `r${index}`, parent: index - 1 }));
    const path = records.map(({ index }) => index);
    let asked = 0;
    const session = { ...writable, spine: { ...writable.spine, records, evidence: [] }, record: () => (asked++, line) };
    const draft = drafted(planFork(session, { branch: 0, path, before: null, kept: path }, { title: 'Long' }, making(7)));
    const content = fileSteps(draft).at(-1)?.after;
    if (!content || !('content' in content)) throw new Error('no content');
    expect(asked).toBe(2_000);
    let most = 0;
    let bytes = 0;
    for (const piece of content.content.pieces()) {
      most = Math.max(most, piece.length);
      bytes += piece.length;
      if (asked > 2_100) break;
    }
    expect(most).toBeLessThan(line.length + 1_000);
    expect(bytes).toBeGreaterThan(100 * line.length);
  }));

test('each kept record is read once to draw a fork, and once each time it is written', () =>
  within('claude-code', 'rewind', (home) => {
    const writable = home.writable('668bfb69');
    const read = new Map<number, number>();
    const session: SessionToWrite = { ...writable, record: (index) => (read.set(index, (read.get(index) ?? 0) + 1), writable.record(index)) };
    const point = home.before('668bfb69', null);
    const draft = drafted(planFork(session, point, { title: 'Counted' }, making(7)));
    const transcript = fileSteps(draft).at(-1)?.after;
    if (!transcript || !('content' in transcript)) throw new Error('no content');
    const kept = keptLine(writable, point).order.toSorted((a, b) => a - b);
    expect(kept.length).toBeGreaterThan(10);
    expect([...read].toSorted(([a], [b]) => a - b)).toEqual(kept.map((index) => [index, 1]));
    for (const times of [2, 3]) {
      expect([...transcript.content.pieces()].length).toBeGreaterThan(0);
      expect([...read].toSorted(([a], [b]) => a - b)).toEqual(kept.map((index) => [index, times]));
    }
  }));

test('refusals say why', () =>
  within('claude-code', 'agents', (home) => {
    const refusal = (session: string, before: string | null, choices: ForkChoices = {}) => planFork(home.writable(session), home.before(session, before), choices, making(7));
    expect(refusal('ac464ab6', '69ef4a2e')).toEqual({ refused: 'Nothing stands before this point: a new session is the same.' });
    expect(refusal('ac464ab6', null, { way: 'server' })).toEqual({ refused: 'There is no way “server” to fork a session of Claude Code.' });
    expect(refusal('ac464ab6-da7a-4724-bdcd-ef89b67cc317.agent-', null)).toEqual({ refused: 'A subagent’s transcript is not a session that Claude Code goes on with; fork the session it worked for.' });
  }));
