import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesOf } from '../../stores/acceptance';
import { GitTrouble } from './cat-file';
import { GitObjects } from './objects';
import { GitTrees } from './trees';

let folder: string;
const opened: GitObjects[] = [];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'retrace-git-'))));
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
  rmSync(folder, { recursive: true, force: true });
});

const git = (...args: string[]): string => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** A repository with two commits; what it would run, if anything of its configuration were read, leaves a mark. */
function repository(): { first: string; second: string } {
  git('init', '-q');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/a.txt'), 'one\n');
  writeFileSync(join(folder, 'gone.txt'), 'gone\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  writeFileSync(join(folder, 'src/a.txt'), 'two\n');
  writeFileSync(join(folder, 'picture.bin'), Buffer.from([1, 0, 2]));
  writeFileSync(join(folder, 'latin.txt'), Buffer.from([0xe4, 10]));
  rmSync(join(folder, 'gone.txt'));
  git('add', '-A');
  git('commit', '-qm', 'second');
  return { first: git('rev-parse', 'HEAD~1'), second: git('rev-parse', 'HEAD') };
}

function trees(...folders: string[]): GitTrees {
  const objects = new GitObjects(folders.length > 0 ? folders : [join(folder, '.git/objects')]);
  opened.push(objects);
  return new GitTrees(objects);
}

test('commits, trees and files, loose or packed, by whole or shortened names', async () => {
  const { first, second } = repository();
  for (const pack of [false, true]) {
    if (pack) git('gc', '-q', '--prune=now');
    const read = trees();
    const commit = await read.commit(second.slice(0, 7));
    expect(commit).toEqual({ tree: git('rev-parse', `${second}^{tree}`), parent: git('rev-parse', `${first}^{tree}`) });
    const found = await read.diff(commit?.parent as string, commit?.tree as string);
    expect(found?.changes.map(({ path, before, after }) => [path, before !== null, after !== null])).toEqual([['gone.txt', true, false], ['latin.txt', false, true], ['picture.bin', false, true], ['src/a.txt', true, true]]);
    const contents = await Promise.all((found?.changes ?? []).map(({ after }) => read.content(after)));
    expect(contents).toMatchObject([{ state: 'absent' }, { state: 'binary', bytes: 2 }, { state: 'binary', bytes: 3 }, { state: 'text', text: 'two\n' }]);
    expect(await read.commit(first)).toMatchObject({ parent: null });
    expect(await read.at(commit?.tree as string, 'src/a.txt')).toEqual({ state: 'text', text: 'two\n' });
    expect(await read.at(commit?.tree as string, 'src/none.txt')).toEqual({ state: 'absent' });
  }
});

test('reading leaves the repository as it was and runs nothing of what it names', async () => {
  const { second } = repository();
  const mark = join(folder, 'ran');
  for (const [key, value] of [['core.fsmonitor', `touch ${mark}`], ['core.hooksPath', folder], ['diff.external', `touch ${mark}`], ['filter.x.smudge', `touch ${mark}`], ['core.sshCommand', `touch ${mark}`]] as const) git('config', key, value);
  git('config', 'remote.origin.url', 'ssh://nowhere.invalid/x');
  git('config', 'remote.origin.promisor', 'true');
  git('config', 'extensions.partialClone', 'origin');
  writeFileSync(join(folder, '.gitattributes'), '* diff=x filter=x\n');
  const before = filesOf(folder);
  const read = trees();
  await read.commit(second);
  // An object that is not there would be fetched by the remote that promised it.
  expect(await read.commit('1234567890123456789012345678901234567890')).toBeNull();
  expect(existsSync(mark)).toBe(false);
  expect(filesOf(folder)).toEqual(before);
});

test('alternates of the store are not followed by git: only what was given to it is read', async () => {
  const { second } = repository();
  const other = join(folder, 'other');
  mkdirSync(join(other, 'objects/info'), { recursive: true });
  writeFileSync(join(other, 'objects/info/alternates'), `${join(folder, '.git/objects')}\n`);
  expect(await trees(join(other, 'objects')).commit(second)).toBeNull();
  expect(await trees(join(other, 'objects'), join(folder, '.git/objects')).commit(second)).not.toBeNull();
});

test('a missing object, a shallow history, names that are no names', async () => {
  const { second } = repository();
  const shallow = join(folder, 'shallow');
  execFileSync('git', ['clone', '-q', '--depth=1', `file://${folder}`, shallow], { stdio: 'ignore' });
  const read = trees(join(shallow, '.git/objects'));
  expect(await read.commit(second)).toEqual({ tree: git('rev-parse', 'HEAD^{tree}'), parent: undefined });
  for (const name of ['--help', 'HEAD', 'HEAD:src/a.txt', '', 'abc\nabc', '../x', `${second}^{tree}`]) expect(await read.objects.read(name)).toEqual({ state: 'missing' });
  expect(await read.diff('0'.repeat(40), git('rev-parse', 'HEAD^{tree}'))).toBeNull();
});

test('a broken object is a trouble with a reason, and the next one is read all the same', async () => {
  const { second } = repository();
  const blob = git('rev-parse', 'HEAD:src/a.txt');
  const file = join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2));
  rmSync(file);
  writeFileSync(file, readFileSync(join(folder, '.git/HEAD')));
  const read = trees();
  const answer = await read.objects.read(blob).catch((error: unknown) => error);
  // Some releases of git call a broken object missing, others give up.
  expect(answer instanceof GitTrouble || (answer as { state: string }).state === 'missing').toBe(true);
  expect(await read.commit(second)).not.toBeNull();
});

test('without git there is a reason, and nothing is left in the temporary folder', async () => {
  const { second } = repository();
  const { PATH } = process.env;
  process.env['PATH'] = join(folder, 'nowhere');
  try {
    const read = trees();
    await expect(read.commit(second)).rejects.toThrow('git is not installed');
  } finally {
    process.env['PATH'] = PATH;
  }
  for (const each of opened.splice(0)) each.close();
  expect(readdirSync(folder)).not.toContain('retrace-objects');
});
