// Whether what was built still is what the sources say, and building it if not: asked by `npm start`, the command line
// and the tests, answered by stamps that the build itself leaves (see electron.vite.config.ts).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './runtime.mjs';

/** @typedef {'main' | 'preload' | 'renderer'} Part a folder of out/ */

/** @type {Part[]} */
export const everyPart = ['main', 'preload', 'renderer'];

/** What each part is made of. Folders count with all that is in them but tests. */
const sources = {
  main: ['electron/main', 'electron/engine', 'electron/serve', 'electron/cli', 'e2e/engine-without-database.ts', 'shared'],
  preload: ['electron/preload', 'shared'],
  renderer: ['renderer', 'shared'],
};
const common = ['electron.vite.config.ts', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** Name, size and time of every source file in one hash: a removed file or an older one counts as a change too. */
export function fingerprint(/** @type {Part} */ part) {
  const hash = createHash('sha256');
  const visit = (/** @type {string} */ path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) visit(`${path}/${name}`);
    } else if (stat && !/\.(test|test-support|spec)\.tsx?$|\.md$/.test(path)) {
      hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
    }
  };
  for (const path of [...common, ...sources[part]]) visit(path);
  return hash.digest('hex');
}

/** Where a build of a part leaves its stamp. */
export const stampOf = (/** @type {Part} */ part) => join(root, 'out', part, '.built');

export function isBuilt(/** @type {Part} */ part) {
  try {
    return readFileSync(stampOf(part), 'utf8') === fingerprint(part);
  } catch {
    return false;
  }
}

/**
 * Builds those of the parts that are not as their sources say. Says so in one line on stderr; what the build itself has
 * to say is shown only when it fails, which ends this process.
 * @param {Part[]} parts
 */
export function ensureBuilt(parts) {
  if (parts.every(isBuilt)) return;
  const unlock = lock(join(root, '.cache/build.lock'));
  try {
    // Another process may have built them while this one waited.
    const stale = parts.filter((part) => !isBuilt(part));
    if (stale.length === 0) return;
    process.stderr.write('Building Retrace (only after a change)…\n');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'warn', '--ignoreConfigWarning'],
      { cwd: root, encoding: 'utf8', env: { ...process.env, RETRACE_PARTS: stale.join(' ') } },
    );
    if (status === 0) return;
    process.stderr.write(`${stdout}${stderr}\nThe build failed.\n`);
    unlock();
    process.exit(1);
  } finally {
    unlock();
  }
}

/** Waits for a build by another process, so that two first calls do not empty each other's folder. */
function lock(/** @type {string} */ path) {
  for (;;) {
    try {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (error?.code !== 'EEXIST') throw error;
      if (isAbandoned(path)) rmSync(path, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

function isAbandoned(/** @type {string} */ path) {
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0);
    return false;
  } catch (error) {
    return error?.code !== 'EPERM' && error?.code !== 'ENOENT';
  }
}
