import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RevertPreview } from '@shared/model';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryHome } from '../../../e2e/memory-home';
import { filesOf } from '../stores/opencode/library.test-support';
import { RevertHome, toldFile } from './revert-home.test-support';

const open: RevertHome[] = [];
afterEach(() => open.splice(0).forEach((each) => each.dispose()));

async function home(...of: Parameters<typeof RevertHome.open>): Promise<RevertHome> {
  const opened = await RevertHome.open(...of);
  open.push(opened);
  return opened;
}

/** `code: 1 back, 0 left`, or `code: no` with why. */
const ways = ({ actions }: RevertPreview) => actions.filter(({ by }) => by === 'agent').map(({ kind, available, refused, restores, leaves }) => `${kind}: ${available ? `${restores} back, ${leaves} left` : refused}`);

describe('Claude Code', () => {
  const greet = 'projects/demo/greet.js';

  test('each prompt of a session that was rewound', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    const session = opened.session('668bfb69');
    expect(opened.points(session).map(({ turn, on, checkpoint, title }) => `${turn} ${on}${checkpoint ? ', checkpoint' : ''}: ${title}`)).toEqual([
      '1 current branch, checkpoint: Please add a greeting module',
      '2 current branch, checkpoint: Now make the greeting louder',
      '3 other branch, checkpoint: Next, record the build with a shell command',
      '4 other branch, checkpoint: Also drop the util helper',
      '5 current branch, checkpoint: Please list what exists now',
      '6 other branch, checkpoint: Please rename greet to salute',
      '7 current branch, checkpoint: Please rename greet to welcome',
      '8 current branch, checkpoint: Please tell me the final state',
    ]);
    const first = await opened.preview(session, 1);
    expect(first.files.map(toldFile)).toEqual(['* deleted greet.js delete +0 -3 checkpoint', '* unchanged app.js none +0 -0 checkpoint']);
    expect(first.conversation).toMatchObject({ turns: 5, messages: 27, parts: 32, kept: { parts: 0, tokens: 0 } });
    expect(ways(first)).toEqual(['code and conversation: 1 back, 0 left', 'conversation: 0 back, 1 left', 'code: 1 back, 0 left', 'summarise from here: 0 back, 1 left']);
    expect(await opened.files(session, 2)).toEqual(['* unchanged app.js none +0 -0 checkpoint', '* unchanged greet.js none +0 -0 checkpoint']);
    // The last rewind took both files back: they are as the session had them, and nobody's work is lost.
    expect(await opened.files(session, 7)).toEqual(['* restorable app.js edit +2 -1 checkpoint', '* restorable greet.js edit +2 -2 checkpoint']);
    const other = await opened.preview(session, 6);
    expect(ways(other)).toEqual(Array.from({ length: 4 }, (_, at) => `${['code and conversation', 'conversation', 'code', 'summarise from here'][at]}: The message is on another branch: Claude Code goes back only to prompts of the current one.`));
    expect(other.conversation).toMatchObject({ turns: 0, messages: 0, parts: 0 });
  });

  test.each([
    ['rewind-2.1.240', '4d1a228e', 7, ['* restorable app.js edit +2 -1 checkpoint', '* restorable greet.js edit +2 -2 checkpoint']],
    ['rewind-quit', '015a39f7', 7, ['* restorable app.js edit +2 -1 checkpoint', '* restorable greet.js edit +2 -2 checkpoint']],
    ['rewind-resend', '5690db35', 1, ['* deleted greet.js delete +0 -3 checkpoint', '* unchanged app.js none +0 -0 checkpoint']],
    ['rewind-root', '9edca0f6', 2, ['* recreated greet.js create +3 -0 checkpoint', '* unchanged app.js none +0 -0 checkpoint']],
    ['rewind-summarize', '6255fcb2', 3, ['* restorable app.js edit +2 -1 checkpoint', '* restorable greet.js edit +1 -1 checkpoint']],
  ])('%s', async (name, native, turn, files) => {
    const opened = await home('claude-code', name, 'claude-code');
    expect(await opened.files(opened.session(native), turn)).toEqual(files);
  });

  test('a prompt before a compaction is not found by Claude Code any more', async () => {
    const opened = await home('claude-code', 'compact', 'claude-code');
    const session = opened.session('2b529454');
    expect(ways(await opened.preview(session, 1))[0]).toBe('code and conversation: A compaction stands between: Claude Code does not find prompts before it any more.');
    expect(ways(await opened.preview(session, 7))).toEqual([
      'code and conversation: There is no checkpoint before this prompt. Claude Code makes them in interactive sessions, for files its main agent edits.',
      'conversation: 0 back, 0 left',
      'code: There is no checkpoint before this prompt. Claude Code makes them in interactive sessions, for files its main agent edits.',
      'summarise from here: 0 back, 0 left',
    ]);
  });

  test('a file that a person changed is a conflict with its three texts and a merge', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    const session = opened.session('668bfb69');
    opened.write(greet, 'export function greet(name) {\n  return "hello " + name;\n}\n// mine\n');
    expect(await opened.files(session, 7)).toEqual(['* conflict (changed since) greet.js edit +2 -3 checkpoint', '* restorable app.js edit +2 -1 checkpoint']);
    const view = await opened.file(session, 7, 'greet.js');
    expect(view.texts?.before.text).toBe('export function salute(name) {\n  return ("hello " + name).toUpperCase() + "!";\n}\n');
    // The rewind after this turn took it back to the first greeting: that is what the session left.
    expect(view.texts?.left.text).toBe('export function greet(name) {\n  return "hello " + name;\n}\n');
    expect(view.texts?.now.text).toBe('export function greet(name) {\n  return "hello " + name;\n}\n// mine\n');
    expect(view.patch).toBe(
      'diff --git a/greet.js b/greet.js\n--- a/greet.js\n+++ b/greet.js\n@@ -1,4 +1,3 @@\n-export function greet(name) {\n-  return "hello " + name;\n+export function salute(name) {\n+  return ("hello " + name).toUpperCase() + "!";\n }\n-// mine\n',
    );
    expect(view.merge).toEqual({
      disputed: 0, pieces: [{ kind: 'settled', lines: ['export function salute(name) {\n', '  return ("hello " + name).toUpperCase() + "!";\n', '}\n', '// mine\n'] }],
    });
    expect(await opened.files(session, 1)).toEqual(['* conflict (changed since) greet.js delete +0 -4 checkpoint', '* unchanged app.js none +0 -0 checkpoint']);
  });

  test('a file that is in the checkpoint only, and that others changed, is left alone', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    const session = opened.session('668bfb69');
    opened.write('projects/demo/app.js', 'all new\n');
    expect(await opened.files(session, 8)).toEqual(['* left alone app.js edit +2 -1 checkpoint']);
    expect((await opened.preview(session, 8)).actions[0]?.files).toBe('Claude Code takes 1 file back. In 1 of them it writes over what others changed.');
    expect(await opened.files(session, 1)).toEqual(['* conflict (changed since) app.js edit +2 -1 checkpoint', '* deleted greet.js delete +0 -3 checkpoint']);
  });

  test('a file that is gone, a link or a folder in its place, and a folder of the session that is a link or gone', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    const session = opened.session('668bfb69');
    const file = join(opened.home, greet);
    const state = async () => (await opened.preview(session, 7)).files.find(({ relative }) => relative === 'greet.js');
    unlinkSync(file);
    expect(await state()).toMatchObject({ state: 'conflict', reason: 'deleted since', kind: 'create', now: 'absent' });
    writeFileSync(join(opened.home, 'secret'), 'secret\n');
    symlinkSync(join(opened.home, 'secret'), file);
    expect(await state()).toMatchObject({ state: 'cannot', reason: 'link', kind: 'none', now: 'unknown' });
    unlinkSync(file);
    mkdirSync(file);
    expect(await state()).toMatchObject({ state: 'cannot', reason: 'no file' });
    rmSync(file, { recursive: true });
    renameSync(join(opened.home, 'projects/demo'), join(opened.home, 'elsewhere'));
    symlinkSync(join(opened.home, 'elsewhere'), join(opened.home, 'projects/demo'));
    expect(await state()).toMatchObject({ state: 'cannot', reason: 'folder not looked at' });
    unlinkSync(join(opened.home, 'projects/demo'));
    expect(await state()).toMatchObject({ state: 'cannot', reason: 'folder gone' });
    expect((await opened.preview(session, 7)).folder).toEqual({ recorded: '/home/dev/projects/demo', looked: join(opened.home, 'projects/demo'), state: 'missing', reason: null });
  });

  test('without a map the recorded folder is not looked at outside the home', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    opened.forgetMaps();
    const { files, folder } = await opened.preview(opened.session('668bfb69'), 1);
    expect(files.map(toldFile)).toEqual(['* cannot (folder not looked at) app.js none +? -? checkpoint', '* cannot (folder not looked at) greet.js none +? -? checkpoint']);
    expect(folder.state).toBe('not looked at');
    expect((await opened.preview(opened.session('668bfb69'), 1)).actions[0]?.files).toBe('Of 2 files that it can take back it is not known what would change: they were not looked at.');
  });

  test('a hard link is passed over by Claude Code; a file over the limit is not compared', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    const session = opened.session('668bfb69');
    linkSync(join(opened.home, greet), join(opened.home, 'second-name'));
    expect(await opened.files(session, 7)).toEqual(['* restorable app.js edit +2 -1 checkpoint', 'restorable greet.js edit +2 -2 checkpoint']);
    opened.write('projects/demo/app.js', 'x'.repeat(4_000_001));
    expect((await opened.preview(session, 1)).files.find(({ relative }) => relative === 'app.js')).toMatchObject({ state: 'cannot', reason: 'too large' });
  });

  test('a backup that is gone: the records tell what the file held, and the agent passes over it', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    const session = opened.session('668bfb69');
    const backups = join(opened.home, '.claude/file-history/668bfb69-92c3-4453-af88-82ab42de9ae5');
    for (const name of readdirSync(backups)) rmSync(join(backups, name));
    opened.forget();
    const { files, notes } = await opened.preview(session, 7);
    expect(files.map(toldFile)).toEqual(['restorable greet.js edit +2 -2 records']);
    expect(files[0]?.agent.because).toBe('The backup is not there any more; Claude Code passes over it without a word.');
    expect(notes).toContain('Some backups of files are not there any more.');
  });

  test('the day on which a backup goes is told', async () => {
    const opened = await home('claude-code', 'rewind', 'claude-code');
    const session = opened.session('668bfb69');
    const backup = join(opened.home, '.claude/file-history/668bfb69-92c3-4453-af88-82ab42de9ae5/cd2345f01b62df26@v4');
    const ends = async (made: string) => {
      utimesSync(backup, new Date(made), new Date(made));
      opened.forget();
      return (await opened.preview(session, 7)).files.find(({ relative }) => relative === 'greet.js')?.keptUntil;
    };
    expect(await ends('2026-11-29T15:00:00Z')).toEqual({ day: '2026-12-29', state: 'later', from: 'Claude Code deletes backups 30 days after they were made (its default).' });
    expect((await ends('2026-11-02T10:00:00Z'))?.state).toBe('soon');
    expect(await ends('2026-10-01T10:00:00Z')).toMatchObject({ day: '2026-10-31', state: 'passed' });
    writeFileSync(join(opened.home, '.claude/settings.json'), '{"cleanupPeriodDays": 90}');
    expect(await ends('2026-11-29T15:00:00Z')).toEqual({ day: '2027-02-27', state: 'later', from: 'Claude Code deletes backups 90 days after they were made (set in settings.json).' });
  });
});

describe('OpenCode', () => {
  const main = ['* restorable src/server.js edit +1 -6 snapshot tree', '* restorable src/store.js edit +0 -4 snapshot tree', '* deleted test/search.test.js delete +0 -9 snapshot tree'];

  test('each prompt of a session', async () => {
    const opened = await home('opencode', 'v118-main', 'opencode');
    const session = opened.session('ses_e1c685695');
    const first = await opened.preview(session, 1);
    expect(first.files.map(toldFile)).toEqual(main);
    expect(ways(first)).toEqual(['conversation and files: 3 back, 0 left']);
    expect(await opened.files(session, 2)).toEqual(['* deleted test/search.test.js delete +0 -9 snapshot tree']);
    expect(await opened.files(session, 3)).toEqual([]);
    // A fork has the steps of the session it came from: OpenCode takes their files back, Retrace does not.
    expect(await opened.files(opened.session('ses_df66f3fa0'), 1)).toEqual([]);
  });

  test('a pending revert is shown with its own diff, and what it hides cannot be gone back to again', async () => {
    const opened = await home('opencode', 'v118-revert', 'opencode');
    const session = opened.session('ses_e3b6b944e');
    const first = await opened.preview(session, 1);
    expect(first.files.map(toldFile)).toEqual(['* restorable data/ports.csv edit +0 -1 snapshot tree', '* restorable src/tide.py edit +0 -4 snapshot tree']);
    expect(first.pending).toMatchObject({ hiddenMessages: 6, diffCut: false });
    expect(first.pending?.diff).toContain('diff --git');
    expect(first.actions[0]?.conversation).toContain('The pending revert is moved here');
    expect(ways(await opened.preview(session, 3))).toEqual(['conversation and files: This message is taken back already, by the pending revert.']);
  });

  test('a snapshot store that is gone or broken, and no git: calls tell what they can', async () => {
    const opened = await home('opencode', 'v118-main', 'opencode');
    const session = opened.session('ses_e1c685695');
    const { PATH } = process.env;
    process.env['PATH'] = join(opened.home, 'nowhere');
    try {
      const { files, notes } = await opened.preview(session, 2);
      expect(files.map(toldFile)).toEqual(['deleted test/search.test.js delete +0 -9 records']);
      expect(notes).toContain('Git could not be asked: git is not installed.');
    } finally {
      process.env['PATH'] = PATH;
    }
    const snapshots = join(opened.home, '.local/share/opencode/snapshot');
    renameSync(snapshots, `${snapshots}-away`);
    opened.forget();
    const { files, notes } = await opened.preview(session, 1);
    expect(notes).toContain('There is no snapshot store.');
    expect(files.map(({ agent, relative }) => [relative, agent.restores, agent.because])).toEqual(
      [
        ['src/server.js', false, 'The snapshot tree is not there any more, or git could not be asked.'],
        ['src/store.js', false, 'OpenCode has no snapshot store here any more.'],
        ['test/search.test.js', false, 'The snapshot tree is not there any more, or git could not be asked.'],
      ],
    );
    expect(files.map(({ state }) => state)).toEqual(['restorable', 'restorable', 'deleted']);
  });

  test('snapshots are kept for seven days', async () => {
    const opened = await home('opencode', 'v118-main', 'opencode');
    const [file] = (await opened.preview(opened.session('ses_e1c685695'), 1)).files;
    expect(file?.keptUntil?.from).toBe('OpenCode tidies snapshots away that are older than seven days when it starts.');
  });
});

describe('Codex', () => {
  test('takes back what was said; files are left, and taken back by their patches', async () => {
    const opened = await home('codex', 'exec-patch-plan', 'codex');
    const session = opened.session('01a22802-7c44');
    const preview = await opened.preview(session, 2);
    expect(ways(preview)).toEqual(['conversation: 0 back, 4 left']);
    expect(preview.files.map(toldFile)).toEqual([
      'restorable test/tide.test.js edit +1 -1 patch', 'deleted src/tides.js delete +0 -8 records', 'recreated notes.txt create +1 -0 records', 'recreated src/tide.js create +8 -0 patch',
    ]);
  });

  test('reverts that were done: what is taken back has no way back', async () => {
    const opened = await home('codex', 'revert-chain', 'codex');
    const session = opened.session('01a22802-ac14');
    expect(opened.points(session).map(({ on, title }) => `${title}: ${on}`)).toEqual([
      'Say one: current branch', 'Say two: current branch', 'Say three: taken back', 'Say four: taken back', 'Say five: taken back', 'Say six: current branch',
    ]);
    expect((await opened.preview(session, 2)).conversation).toMatchObject({ turns: 2, messages: 4 });
    expect(ways(await opened.preview(session, 4))).toEqual(['conversation: This message is taken back already.']);
  });

  test('a legacy thread: a file made by a patch goes, one changed by a patch without places is found by its lines', async () => {
    const opened = await home('codex', 'legacy-0125', 'codex');
    const session = opened.session('01a22803-fdc2');
    expect(await opened.files(session, 1)).toEqual(['restorable berths.py edit +1 -5 patch', 'deleted NOTES.md delete +0 -1 records']);
  });
});

describe('Aider', () => {
  test('/undo takes commits back, newest first; what a later run changed is a conflict', async () => {
    const opened = await home('aider', 'basic', 'aider');
    const [last = '', , , first = ''] = opened.read.sessions();
    const preview = await opened.preview(opened.session(last.slice(last.indexOf('/') + 1)), 1);
    expect(preview.files.map(toldFile)).toEqual(['* restorable calc.py edit +1 -1 commit']);
    expect(ways(preview)).toEqual(['undo commits: 1 back, 0 left']);
    expect(await opened.files(opened.session(first.slice(first.indexOf('/') + 1)), 1)).toEqual(['* conflict (changed since) calc.py edit +1 -8 commit']);
  });

  test('a message without a commit after it', async () => {
    const opened = await home('aider', 'interactive', 'aider');
    const [session = ''] = opened.read.sessions();
    const id = opened.session(session.slice(session.indexOf('/') + 1));
    expect(await opened.files(id, 1)).toEqual(['* restorable todo.py edit +0 -4 commit']);
    expect(ways(await opened.preview(id, 3))).toEqual(['undo commits: Aider made no commit after this message.']);
  });
});

test('memory files that were written after the point are named, and stay', async () => {
  const opened = await RevertHome.of(memoryHome(), 'claude-code');
  open.push(opened);
  const { files } = await opened.preview(opened.session('668bfb69'), 1);
  expect(files.map(({ state, path, agent }) => [state, path, agent.restores])).toEqual([
    ['memory', '/home/dev/.claude/projects/-home-dev-projects-demo/memory/MEMORY.md', false],
    ['memory', '/home/dev/.claude/projects/-home-dev-projects-demo/memory/debugging.md', false],
  ]);
});

test('a message that is not there, a session that is not there, and a part of an answer', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const session = opened.session('668bfb69');
  const ask = (of: string, before: string) => opened.reverts.preview({ session: of, before, from: 0, count: 10 });
  expect(await ask(session, `${session}#none`)).toEqual({ refused: 'There is no such message in this session.' });
  expect(await ask('claude-code/none', `${session}#none`)).toBeNull();
  expect(await opened.reverts.file({ session, before: opened.points(session)[0]?.message ?? '', path: '/etc/passwd' })).toBeNull();
  expect(opened.reverts.points({ session: 'claude-code/none', from: 0, count: 10 })).toBeNull();
  const parts = opened.read.diffs.timeline.parts(session, 0, 2, 1, false)?.parts ?? [];
  const found = await ask(session, parts[0]?.id ?? '');
  expect(found).toMatchObject({ moved: 'Agents go back to prompts: it is the one before the message that was asked for.', point: { turn: 1 } });
});

test('looking writes nothing', async () => {
  for (const [family, name, agent] of [['claude-code', 'rewind', 'claude-code'], ['opencode', 'v118-revert', 'opencode'], ['aider', 'basic', 'aider']] as const) {
    const opened = await home(family, name, agent);
    const before = filesOf(opened.home);
    for (const session of opened.read.sessions()) {
      for (const [at] of opened.points(session).entries()) for (const { path } of (await opened.preview(session, at + 1)).files) await opened.file(session, at + 1, path);
    }
    expect(filesOf(opened.home)).toEqual(before);
  }
});
