import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../stores/store';
import { PerformError } from '../../stores/store';
import { git, RepositoryTrouble } from './repository';

/** A file that a plan wrote into a new worktree; null: it took it away. */
export type WrittenFile = { path: string; sha256: string | null };

/** What git is asked to do in plans. Types, not interfaces, so that they are JSON by their shape. */
export type WorktreeAdd = { act: 'worktree add'; repository: string; path: string; commit: string; branch: string | null };
export type WorktreeRemove = { act: 'worktree remove'; repository: string; path: string; commit: string; branch: string | null; files: WrittenFile[] };

/** Does a program step of git. A worktree is taken away only as long as nobody worked in it. */
export async function performGit(call: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const asked = call as WorktreeAdd | WorktreeRemove;
  try {
    return asked.act === 'worktree add' ? await add(asked, signal) : await remove(asked, signal);
  } catch (error) {
    if (error instanceof RepositoryTrouble) throw new PerformError(`Git did not do it: ${error.message}.`, signal.aborted);
    throw error;
  }
}

async function add({ repository, path, commit, branch }: WorktreeAdd, signal: AbortSignal): Promise<JsonObject> {
  await git(repository, ['worktree', 'add', ...(branch === null ? ['--detach'] : ['-b', branch]), '--', path, commit], { signal, checkout: true });
  return { path };
}

async function remove(call: WorktreeRemove, signal: AbortSignal): Promise<JsonObject> {
  const { repository, path, commit, branch } = call;
  const head = (await git(path, ['rev-parse', 'HEAD'], { signal })).trim();
  if (head !== commit) throw new PerformError(`There are commits in ${path} that the fork did not begin with. Take what you need, then remove it with \`git worktree remove\`.`);
  const foreign = await workOfOthers(call, signal);
  if (foreign !== null) throw new PerformError(`${join(path, foreign)} was changed since the worktree was made. Take what you need, then remove it with \`git worktree remove\`.`);
  await git(repository, ['worktree', 'remove', '--force', '--', path], { signal, checkout: true });
  if (branch !== null) await git(repository, ['branch', '-D', '--', branch], { signal });
  return {};
}

/** The first path in the worktree that is neither as committed nor as the plan left it. Ignored files count: they may be somebody's, too. */
async function workOfOthers({ path, files }: WorktreeRemove, signal: AbortSignal): Promise<string | null> {
  const written = new Map(files.map((file) => [file.path, file.sha256]));
  const status = await git(path, ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignored'], { signal });
  for (const entry of status.split('\0')) {
    const name = entry.slice(3);
    if (name === '') continue;
    const sha256 = written.get(name);
    if (sha256 === undefined || sha256 !== (await hashOf(join(path, name)))) return name;
  }
  return null;
}

async function hashOf(file: string): Promise<string | null> {
  const fact = await lstat(file).catch(() => null);
  if (fact === null) return null;
  return fact.isFile() ? createHash('sha256').update(await readFile(file)).digest('hex') : 'no file';
}
