import { type ExecFileException, execFile } from 'node:child_process';

/** ms a question to git may take, and a worktree's checkout. */
const patience = { question: 10_000, checkout: 300_000 };

/** Git refused, or could not be asked; the message is for the person. */
export class RepositoryTrouble extends Error {
  override name = 'RepositoryTrouble';
}

/**
 * Asks git in a person's repository, without a shell. Hooks and file watchers that the repository names are not run;
 * what a person set for their own account (filters, credentials) stays as it is.
 */
export function git(folder: string, args: readonly string[], options: { signal?: AbortSignal; checkout?: boolean } = {}): Promise<string> {
  const safe = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-C', folder];
  const environment = { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX']) delete (environment as NodeJS.ProcessEnv)[name];
  return new Promise((resolve, reject) => {
    execFile(
      'git', [...safe, ...args],
      { env: environment, windowsHide: true, maxBuffer: 64_000_000, timeout: options.checkout ? patience.checkout : patience.question, ...(options.signal && { signal: options.signal }) },
      (error, stdout, stderr) => (error ? reject(new RepositoryTrouble(saidBy(error, stderr))) : resolve(stdout)),
    );
  });
}

function saidBy(error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') return 'git is not installed';
  if (error.name === 'AbortError') return 'git was stopped';
  if (error.killed) return 'git did not answer in time';
  const line = stderr.split('\n').find((each) => /^(?:fatal|error): /.test(each)) ?? stderr.split('\n')[0];
  return line?.replace(/^(?:fatal|error): /, '') || error.message.split('\n')[0] || 'git failed';
}

/** A commit that a worktree can begin from. */
export interface BaseCommit {
  /** The folder of the working tree, as git has it. */
  top: string;
  hash: string;
  tree: string;
  subject: string;
}

/** The last commit of the checked out branch that is not younger than a moment (ms since 1970); the newest where none is that old, or no moment is given. */
export async function baseCommit(folder: string, at: number | null): Promise<BaseCommit> {
  const top = (await git(folder, ['rev-parse', '--show-toplevel'])).trim();
  const ask = async (args: string[]) => (await git(folder, ['log', '-1', '--format=%H%n%T%n%s', ...args, 'HEAD', '--'])).split('\n');
  const old = at === null ? [] : await ask([`--before=${new Date(at).toISOString()}`]);
  const [hash, tree, subject] = old[0] ? old : await ask([]);
  if (!hash || !tree) throw new RepositoryTrouble('the repository has no commit yet');
  return { top, hash, tree, subject: subject ?? '' };
}
