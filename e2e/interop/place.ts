import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { binFolder, type ProgramName } from './programs';

/** A port where nobody listens: a program that wants more than this machine is told no at once. */
const nowhere = 'http://127.0.0.1:9';

/** A home of its own with one project in git, and the environment that a program and Retrace see there. */
export class Place {
  readonly home: string;
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;

  /** `project`: that of another place, whose home is not this one's. */
  constructor(program: ProgramName | null, variables: NodeJS.ProcessEnv = {}, project?: string) {
    this.home = realpathSync(mkdtempSync(join(tmpdir(), 'retrace-interop-')));
    this.project = project ?? join(this.home, 'projects/tide');
    this.env = {
      PATH: [...(program === null ? [] : [binFolder(program)]), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      HOME: this.home, USER: 'dev', LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'xterm-256color', TMPDIR: process.env['TMPDIR'] ?? tmpdir(),
      GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'Dev', GIT_AUTHOR_EMAIL: 'dev@example.invalid', GIT_COMMITTER_NAME: 'Dev', GIT_COMMITTER_EMAIL: 'dev@example.invalid',
      HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere, NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost',
      ...variables,
    };
    if (project !== undefined) return;
    this.write('projects/tide/tide.txt', 'low\nhigh\n');
    this.write('projects/tide/notes.txt', 'by hand\n');
    const git = (...args: string[]): void => void execFileSync('git', args, { cwd: this.project, env: this.env, stdio: 'ignore' });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
  }

  /** Writes a file below the home. */
  write(path: string, text: string): string {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** The project's files with their texts and times: a file that was written again with the same text is not as before. */
  projectFiles(): Record<string, string> {
    const names = readdirSync(this.project).filter((name) => name !== '.git').sort();
    return Object.fromEntries(names.map((name) => [name, `${statSync(join(this.project, name)).mtimeMs} ${readFileSync(join(this.project, name), 'utf8')}`]));
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
