// `npm test`: everything that can run on this machine. Ends with one line of totals; what was skipped is named before it.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findElectron, noDisplay } from '../../electron/scripts/electron.mjs';
import { requireRuntime, root } from '../../electron/scripts/runtime.mjs';
import { findChromium } from './chromium.mjs';

requireRuntime();

/** ms for getting an Electron; longer counts as having none. */
const electronLimit = 8 * 60_000;

/** ms for one step; the longest takes a few minutes on two busy cores. */
const stepLimit = 20 * 60_000;

const isWindows = process.platform === 'win32';

const reports = join(root, 'test-results/reports');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

const total = { passed: 0, failed: 0 };
/** @type {{ test: string, reason: string }[]} */
const skipped = [];
/** Tests that failed once and passed when they were tried again. @type {string[]} */
const unsteady = [];

/** @returns {Promise<boolean>} whether it ended well */
async function run(title, command, env = process.env) {
  console.log(`\n== ${title}`);
  const begin = Date.now();
  const status = await ended(command, env);
  console.log(`== ${title}: ${status === 0 ? 'done' : 'FAILED'} in ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  return status === 0;
}

/** In a process group of its own, which goes as a whole: a test that hangs in an endless loop hears no signal but the last. */
function ended([file, ...args], env) {
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env, detached: !isWindows, shell: isWindows });
  const end = () => (isWindows ? child.kill() : process.kill(-child.pid, 'SIGKILL'));
  const interrupted = () => {
    end();
    process.exit(130);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  const limit = setTimeout(() => {
    console.error(`It took longer than ${stepLimit / 60_000} minutes and was ended.`);
    end();
  }, stepLimit);
  return new Promise((done) => {
    child.on('error', (error) => {
      console.error(error.message);
      done(null);
    });
    child.on('exit', done);
  }).finally(() => {
    clearTimeout(limit);
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  });
}

/** A step that is one check by itself. */
async function check(title, command) {
  const passed = await run(title, command);
  total[passed ? 'passed' : 'failed'] += 1;
  return passed;
}

const tool = (name) => join(root, 'node_modules/.bin', name);

function readReport(name) {
  try {
    return JSON.parse(readFileSync(join(reports, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a command can be found. */
function isThere(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Tests see an empty home, so that none can read, or write to, that of whoever runs them. */
function testEnvironment(home) {
  const env = { ...process.env, HOME: home, USERPROFILE: home, RETRACE_UNIT_COUNT: join(reports, 'unit.json') };
  for (const name of Object.keys(env)) if (/^(XDG_(DATA|CONFIG|CACHE|STATE)_HOME|CODEX_HOME|CLAUDE_CONFIG_DIR|OPENCODE_.*)$/.test(name)) delete env[name];
  const chromium = findChromium();
  return { ...env, ...(chromium !== undefined && { CHROMIUM: chromium }), PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'e2e.json') };
}

async function unitTests(env) {
  const well = await run('unit tests', [tool('vitest'), 'run', '--reporter=default', '--reporter=./e2e/scripts/unit-reporter.mjs'], env);
  const counted = readReport('unit.json');
  total.passed += counted?.passed ?? 0;
  total.failed += counted?.failed ?? 0;
  skipped.push(...(counted?.skipped ?? []));
  // A runner that ends badly without a failed test has failed itself.
  if (!counted || (!well && counted.failed === 0)) total.failed += 1;
}

/** The display to run the windows on: the one there is, or one that xvfb-run makes; undefined when there is none. */
function displayPrefix() {
  if (noDisplay() === undefined) return [];
  return isThere('xvfb-run') && isThere('xauth') ? ['xvfb-run', '-a', '-s', '-screen 0 1440x900x24'] : undefined;
}

/** The desktop tests skip themselves, with the reason, when there is still no Electron after this. */
function getElectron() {
  if (findElectron().path) return;
  console.log('\n== getting an Electron for the desktop tests (up to 200 MB, only this once)');
  const { error } = spawnSync(process.execPath, [join(import.meta.dirname, 'test-electron.mjs')], { cwd: root, stdio: 'inherit', timeout: electronLimit });
  if (error) console.log(`No Electron for the desktop tests: ${error.message}.`);
}

async function endToEndTests(env) {
  const display = displayPrefix();
  if (display) getElectron();
  const well = await run('end-to-end tests', [...(display ?? []), tool('playwright'), 'test', '--reporter=list,json'], env);
  const report = readReport('e2e.json');
  const { expected = 0, flaky = 0, unexpected = 0 } = report?.stats ?? {};
  total.passed += expected + flaky;
  total.failed += unexpected + (report?.errors?.length ?? 0);
  for (const suite of report?.suites ?? []) collectNamed(suite, []);
  if (!report || (!well && unexpected === 0 && report.errors.length === 0)) total.failed += 1;
}

/** Tests that are named at the end: those that did not run, and those that passed at the second try. */
function collectNamed(suite, path) {
  const titles = [...path, suite.title];
  for (const inner of suite.suites ?? []) collectNamed(inner, titles);
  for (const spec of suite.specs ?? []) {
    for (const test of spec.tests) {
      if (test.status === 'flaky') unsteady.push(`e2e/${titles.join(' › ')} › ${spec.title}: ${firstLine(test.results[0]?.error?.message)}`);
      if (test.status !== 'skipped') continue;
      const reason = test.annotations.find(({ type }) => type === 'skip')?.description;
      skipped.push({ test: `e2e/${titles.join(' › ')} › ${spec.title}`, reason: reason ?? 'it did not run: what it needs failed before' });
    }
  }
}

const firstLine = (words = '') => words.split('\n')[0];

await check('types', [tool('tsc')]);
await check('lint', [tool('oxlint'), '--deny-warnings']);
await check('dead code', [tool('knip')]);
const built = await check('build', [tool('electron-vite'), 'build', '--logLevel', 'warn']);

const home = mkdtempSync(join(tmpdir(), 'retrace-home-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
const environment = testEnvironment(home);
await unitTests(environment);
if (built) await endToEndTests(environment);
else console.log('\n== end-to-end tests: not run, since there is nothing built to test');

for (const reason of new Set(skipped.map((each) => each.reason))) {
  console.log(`\nSkipped, since ${reason}:`);
  for (const each of skipped) if (each.reason === reason) console.log(`  ${each.test}`);
}
if (unsteady.length > 0) console.log(`\nFailed once, and passed when tried again:\n${unsteady.map((each) => `  ${each}`).join('\n')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${skipped.length} skipped`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
