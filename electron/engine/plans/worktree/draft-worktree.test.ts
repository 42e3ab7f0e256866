import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { stateCode } from '../../library/codes';
import { SessionSource } from '../../diff/session-source';
import { RevertHome } from '../../revert/revert-home.test-support';
import type { FileStep, ProgramStep } from '../../stores/store';
import type { WorktreeDraft } from '../files/interface';
import { draftWorktree, type WorktreeChoice } from './draft-worktree';
import { performGit } from './git-program';

const open: RevertHome[] = [];
afterEach(() => open.splice(0).forEach((each) => each.dispose()));
const offBranch = stateCode.code('off-branch');

async function home(...of: Parameters<typeof RevertHome.open>): Promise<RevertHome> {
  const opened = await RevertHome.open(...of);
  open.push(opened);
  return opened;
}

async function drafted(opened: RevertHome, native: string, turn: number, choice: WorktreeChoice = {}) {
  const id = opened.session(native);
  const { diffs } = opened.read;
  const source = SessionSource.open(diffs.db, diffs.timeline, diffs.reach(), id);
  const point = opened.points(id)[turn - 1];
  if (!source || !point) throw new Error('no point');
  const kept = new Set(diffs.timeline.rows.touching(source.row, 0, point.index, 10_000).filter(({ state }) => state !== offBranch).map(({ record }) => record));
  return draftWorktree(source, { seq: point.index, time: point.time === null ? null : Date.parse(point.time), keeps: ({ record }) => kept.has(record) }, choice);
}

const whole = (draft: Awaited<ReturnType<typeof drafted>>): WorktreeDraft => {
  if ('refused' in draft) throw new Error(draft.refused);
  return draft;
};

/** As the plans do it, without their guards. */
async function applied({ steps }: WorktreeDraft): Promise<ProgramStep> {
  const [add, ...files] = steps as [ProgramStep, ...FileStep[]];
  await performGit(add.call, new AbortController().signal);
  for (const { path, after } of files) {
    mkdirSync(dirname(path), { recursive: true });
    if (after === null) unlinkSync(path);
    else if ('content' in after) writeFileSync(path, Buffer.concat([...after.content.pieces()]));
  }
  return add;
}

const told = ({ steps }: WorktreeDraft, root: string) =>
  steps.map((step) => (step.kind === 'file' ? [step.path.slice(root.length + 1), step.after && 'content' in step.after ? Buffer.concat([...step.after.content.pieces()]).toString() : null] : step.kind === 'program' ? step.shown.replaceAll(root, '~') : step.kind));

test('Claude Code: what the session had changed before the message lies in a new worktree, the old one keeps its files', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const draft = whole(await drafted(opened, '668bfb69', 7));
  const root = realpathSync(join(opened.home, 'projects'));
  expect(told(draft, root)).toEqual([
    'git -C ~/demo worktree add --detach ~/demo-fork 1afa521af4',
    ['demo-fork/greet.js', 'export function greet(name) {\n  return ("hello " + name).toUpperCase() + "!";\n}\n'],
    ['demo-fork/app.js', 'import { greet } from "./greet.js";\nconsole.log(greet("dev"));\nexport const version = 1;\n'],
  ]);
  expect(draft.directory).toBe(join(root, 'demo-fork'));
  expect(draft.limits).toEqual(['The worktree begins with commit 1afa521af4 (first).', 'Files that the session changed before the message are as its records tell; all others are as committed.']);
  const before = readFileSync(join(root, 'demo/app.js'), 'utf8');
  const hook = join(root, 'demo/.git/hooks/post-checkout');
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntouch ${join(root, 'hook-ran')}\n`);
  chmodSync(hook, 0o755);
  const { inverse } = await applied(draft);
  expect(readFileSync(join(root, 'demo-fork/greet.js'), 'utf8')).toContain('toUpperCase');
  expect(readFileSync(join(root, 'demo/app.js'), 'utf8')).toBe(before);
  expect(existsSync(join(root, 'hook-ran'))).toBe(false);
  // The next fork gets a name of its own, and a place that is taken is refused.
  expect(whole(await drafted(opened, '668bfb69', 7)).directory).toBe(join(root, 'demo-fork-2'));
  expect(await drafted(opened, '668bfb69', 7, { path: join(root, 'demo-fork') })).toEqual({ refused: `${join(root, 'demo-fork')} is there already. Choose a folder that is not.` });
  await performGit(inverse?.call ?? {}, new AbortController().signal);
  expect(existsSync(join(root, 'demo-fork'))).toBe(false);
  expect(execFileSync('git', ['-C', join(root, 'demo'), 'worktree', 'list', '--porcelain']).toString().match(/^worktree /gm)).toHaveLength(1);
});

test('a worktree somebody worked in is not taken away', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const draft = whole(await drafted(opened, '668bfb69', 7, { branch: 'try-again' }));
  const { inverse } = await applied(draft);
  const undo = () => performGit(inverse?.call ?? {}, new AbortController().signal);
  const { directory } = draft;
  writeFileSync(join(directory, 'notes.txt'), 'mine\n');
  await expect(undo()).rejects.toThrow(`${join(directory, 'notes.txt')} was changed since the worktree was made.`);
  unlinkSync(join(directory, 'notes.txt'));
  const app = readFileSync(join(directory, 'app.js'), 'utf8');
  writeFileSync(join(directory, 'app.js'), 'mine\n');
  await expect(undo()).rejects.toThrow(`${join(directory, 'app.js')} was changed since the worktree was made.`);
  writeFileSync(join(directory, 'app.js'), app);
  const git = (...args: string[]) => execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('commit', '-qam', 'mine');
  await expect(undo()).rejects.toThrow(`There are commits in ${directory} that the fork did not begin with.`);
  git('reset', '-q', '--soft', 'HEAD~1');
  await undo();
  expect(existsSync(directory)).toBe(false);
  expect(execFileSync('git', ['-C', join(opened.home, 'projects/demo'), 'branch', '--list', 'try-again']).toString()).toBe('');
});

test('a folder chosen behind a link is named by its real place, where the agent will look for the session', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const root = realpathSync(join(opened.home, 'projects'));
  symlinkSync(root, join(opened.home, 'linked'));
  expect(whole(await drafted(opened, '668bfb69', 7, { path: join(opened.home, 'linked/wt') })).directory).toBe(join(root, 'wt'));
});

test('OpenCode: files are as the snapshot before the message has them', async () => {
  const opened = await home('opencode', 'v118-revert', 'opencode');
  const root = realpathSync(join(opened.home, 'projects'));
  const draft = whole(await drafted(opened, 'ses_e311efc61ffe9CBVoD7ChMDTUI', 2));
  expect(told(draft, root)).toEqual([
    'git -C ~/tide-chart worktree add --detach ~/tide-chart-fork c2cd682ff0', ['tide-chart-fork/data/ports.csv', 'name,lat,lon\nBrest,48.38,-4.49\nDover,51.13,1.31\nCadiz,36.53,-6.29\n'],
  ]);
  expect(draft.limits[1]).toBe('Files are as the snapshot of OpenCode has them; what git ignores is in none.');
});

test('places and branches that cannot be', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const root = realpathSync(join(opened.home, 'projects'));
  const refused = async (choice: WorktreeChoice) => {
    const draft = await drafted(opened, '668bfb69', 7, choice);
    return 'refused' in draft ? draft.refused.replaceAll(root, '~') : 'a draft';
  };
  const branch = execFileSync('git', ['-C', join(root, 'demo'), 'branch', '--show-current']).toString().trim();
  expect(await refused({ path: 'beside' })).toBe('Name the new folder with its whole path.');
  expect(await refused({ path: join(root, 'none/here') })).toBe('~/none is not there.');
  expect(await refused({ path: join(root, 'demo/.git/x') })).toBe('A worktree does not belong into .git.');
  expect(await refused({ path: join(opened.home, '.claude/projects/wt') })).toBe('A worktree does not belong into the folder where the agent keeps its sessions.');
  expect(await refused({ branch })).toBe(`There is a branch ${branch} already.`);
  expect(await refused({ branch: '--force' })).toBe('--force is no name for a branch.');
  expect(await refused({ branch: 'a..b' })).toBe('a..b is no name for a branch.');
});
