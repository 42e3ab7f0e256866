// Which Node the scripts run on. npm puts node_modules/.bin first, so on Linux it is the pinned one that came with the install.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as zlib from 'node:zlib';

export const root = resolve(import.meta.dirname, '../..');

/** The Node that npm installed beside Retrace (optional, Linux only). */
const pinned = join(root, `node_modules/node-${process.platform}-${process.arch}/bin/node`);

/** better-sqlite3 13 needs Node-API 10 (Node 22.14) and crashes older runtimes; the raw log needs zstd (Node 22.15). */
const suits = Number(process.versions.napi) >= 10 && typeof zlib.zstdCompressSync === 'function';

/**
 * Returns when this Node can hold the engine. Else the same script runs again on the pinned Node, and this process
 * ends with its exit code; without a pinned Node it ends with one line that says what is needed.
 */
export function requireRuntime() {
  if (suits) return;
  if (existsSync(pinned) && process.execPath !== pinned) {
    const { status } = spawnSync(pinned, process.argv.slice(1), { stdio: 'inherit' });
    process.exit(status ?? 1);
  }
  console.error(`Retrace needs Node 22.15 or newer (Node-API 10 and zstd); this is ${process.version}.`);
  process.exit(2);
}

/**
 * Settings of the engine's process. glibc gives every thread an arena of its own and keeps what was freed in it: the
 * engine and its indexing thread then hold 90 MB more than they use.
 */
export const engineMemory = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2' };

/** The folder the person called npm from: npm itself runs every script in the project's folder. */
export function callersFolder() {
  return process.env.npm_lifecycle_event && process.cwd() === root ? (process.env.INIT_CWD ?? root) : process.cwd();
}
