// Finds the Electron to run: the official one, one given by path, or the stand-in of the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './runtime.mjs';

/** Where e2e/scripts/test-electron.mjs unpacks its stand-in. */
export const standIn = join(root, '.cache/test-electron');

/** A download that takes longer than this (ms) is given up; the next start tries again. */
const downloadLimit = 10 * 60_000;

/**
 * @param {{ download?: boolean }} [options] with `download` the official binary is fetched when none is installed
 * @returns {{ path?: string, why: string }} without a path `why` says what is missing
 */
export function findElectron({ download = false } = {}) {
  const given = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (given) {
    const path = join(given, process.platform === 'win32' ? 'electron.exe' : 'electron');
    return existsSync(path) ? { path, why: 'given by ELECTRON_OVERRIDE_DIST_PATH' } : { why: `there is no ${path}` };
  }
  const home = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const installed = () => {
    const name = existsSync(join(home, 'path.txt')) ? readFileSync(join(home, 'path.txt'), 'utf8').trim() : '';
    const path = join(home, 'dist', name);
    return name !== '' && existsSync(path) ? path : undefined;
  };
  let path = installed();
  if (path) return { path, why: 'installed' };
  if (download) {
    spawnSync(process.execPath, [join(home, 'install.js')], { stdio: 'ignore', timeout: downloadLimit });
    path = installed();
    if (path) return { path, why: 'downloaded' };
  }
  if (existsSync(join(standIn, 'electron'))) return { path: join(standIn, 'electron'), why: 'the stand-in of the tests' };
  return { why: download ? 'no Electron binary could be downloaded' : 'no Electron binary is installed' };
}

/** @returns {string | undefined} why a window cannot be shown, if it cannot */
export function noDisplay() {
  if (process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return undefined;
  return 'there is no display';
}
