// `npm start`: the desktop window where there can be one, else the same page in a browser. `--web` asks for the page.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, everyPart } from './build.mjs';
import { findElectron, noDisplay } from './electron.mjs';
import { callersFolder, engineMemory, requireRuntime, root } from './runtime.mjs';

requireRuntime();
const args = process.argv.slice(2);
const web = args.includes('--web');
const folder = callersFolder();

function run(command, commandArgs) {
  const child = spawn(command, commandArgs, { cwd: folder, stdio: 'inherit', env: { ...process.env, ...engineMemory, RETRACE_ENGINE_NODE: process.execPath } });
  // Ctrl-C reaches the child from the terminal; a request to end comes to this process alone.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // npm does not hand a request to end on: when it is gone, so is the reason to run.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 1_000).unref();
  child.on('error', (error) => {
    console.error(`${command} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/** @returns {{ path?: string, why: string }} */
function electronForWindow() {
  const blocked = noDisplay();
  if (blocked) return { why: blocked };
  const found = findElectron();
  if (found.path) return found;
  console.error('Getting the Electron binary (only this once)…');
  return findElectron({ download: true });
}

const electron = web ? { why: 'it was asked for' } : electronForWindow();
ensureBuilt(everyPart);
if (electron.path) {
  // Chromium refuses to run its sandbox as root.
  const asRoot = process.platform === 'linux' && process.getuid?.() === 0;
  run(electron.path, [...(asRoot ? ['--no-sandbox'] : []), root, ...args]);
} else {
  if (!web) console.log(`Retrace opens as a web page, since ${electron.why}.`);
  run(process.execPath, [join(root, 'out/main/serve.js'), ...args]);
}
