import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { PerformError, type StoreLocation } from '../../store';
import { answered, OpenCodeServer } from './server';

/** Milliseconds until a started server must listen; a migration of a large database takes a while. */
const startPatience = 90_000;
/** Milliseconds it gets to end by itself. */
const stopPatience = 8_000;

/** The home a data folder belongs to when it lies where the program looks by itself; null: the environment says where it lies. */
function homeOf({ folder, origin }: StoreLocation): string | null {
  const end = join('.local', 'share', 'opencode');
  return origin === 'default' && folder.endsWith(end) ? folder.slice(0, -end.length - 1) : null;
}

/** The person's own program: on the path, or where its installer puts it. */
export function findProgram(location: StoreLocation): string | null {
  const names = process.platform === 'win32' ? ['opencode.exe'] : ['opencode'];
  const home = homeOf(location) ?? process.env['HOME'];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), ...(home ? [join(home, '.opencode', 'bin')] : [])];
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return realpathSync(path);
      } catch {
        // Not there, or not to be run.
      }
    }
  }
  return null;
}

/**
 * What a started server must know: the one database, nothing from the network, no plugins of the person, which may act on
 * what they see, and no file snapshots, so that it has no tree it could put back (FORMAT.md, "Writing"). The variable for
 * plugins is what `--pure` sets; releases that do not know the option would not start with it, and read no such variable.
 */
function environmentFor(location: StoreLocation, database: string, password: string): NodeJS.ProcessEnv {
  const home = homeOf(location);
  const { XDG_DATA_HOME: _data, XDG_CONFIG_HOME: _config, XDG_STATE_HOME: _state, XDG_CACHE_HOME: _cache, ...others } = process.env;
  const isOwnHome = home === null || home === process.env['HOME'];
  return {
    ...(isOwnHome ? process.env : { ...others, HOME: home }),
    ...(basename(location.folder) === 'opencode' ? { XDG_DATA_HOME: dirname(location.folder) } : {}),
    OPENCODE_DB: database, OPENCODE_SERVER_PASSWORD: password, OPENCODE_CONFIG_CONTENT: JSON.stringify({ snapshot: false, autoupdate: false }),
    OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_PURE: '1',
  };
}

/** The arguments it is started with, and how that is told. */
export const serveArguments = ['serve', '--port', '0', '--hostname', '127.0.0.1'];

/** Starts the person's program as a server, lets it be asked, and stops it as Ctrl-C would. */
export async function withOwnServer<T>(start: { location: StoreLocation; program: string; database: string; directory: string; signal: AbortSignal }, ask: (server: OpenCodeServer) => Promise<T>): Promise<T> {
  const password = randomBytes(24).toString('base64url');
  const child = spawn(start.program, serveArguments, {
    cwd: existsSync(start.directory) ? start.directory : start.location.folder, env: environmentFor(start.location, start.database, password), stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: what is on the path may be a script that starts the program, and would end alone.
    detached: process.platform !== 'win32',
  });
  try {
    const url = await addressOf(child, start.signal);
    const server = new OpenCodeServer(url, password, start.signal);
    await answered(server);
    return await ask(server);
  } finally {
    await stop(child);
  }
}

function addressOf(child: ChildProcess, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (because: string) => reject(new PerformError(`OpenCode did not start as a server: ${because}.`));
    const timer = setTimeout(() => fail(`it said nothing for ${startPatience / 1_000} seconds`), startPatience);
    const listen = (chunk: Buffer) => {
      said = `${said}${chunk.toString('utf8')}`.slice(-8_000);
      const url = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('error', (error) => (clearTimeout(timer), fail(error.message)));
    child.once('exit', () => (clearTimeout(timer), fail(said.trim().split('\n').at(-1) ?? 'it ended')));
    signal.addEventListener('abort', () => (clearTimeout(timer), fail('it was cancelled')), { once: true });
  });
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return Promise.resolve();
  const { pid } = child;
  const signal = (name: NodeJS.Signals) => {
    try {
      if (process.platform === 'win32') child.kill(name);
      else process.kill(-pid, name);
    } catch {
      // Ended meanwhile.
    }
  };
  return new Promise((resolve) => {
    const timer = setTimeout(() => signal('SIGKILL'), stopPatience);
    // Closed, and not only exited: then all that could write to it has ended.
    child.once('close', () => (clearTimeout(timer), resolve()));
    signal('SIGINT');
  });
}
