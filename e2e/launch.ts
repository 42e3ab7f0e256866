import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { _electron, type Browser, chromium, type ElectronApplication, type Page } from '@playwright/test';
import { findElectron, noDisplay } from '../electron/scripts/electron.mjs';
import { findChromium } from './scripts/chromium.mjs';

/** The checkout. */
export const root = resolve(import.meta.dirname, '..');

const browser = findChromium();
/** Why no browser test can run here; undefined when they can. For `test.skip`. */
export const noBrowser = browser === undefined ? 'no Chromium is installed' : undefined;

const electron = findElectron();
/** Why no desktop test can run here; undefined when they can. For `test.skip`. */
export const noWindow = noDisplay() ?? (electron.path === undefined ? electron.why : undefined);

/** The Electron the desktop tests run in. */
export function electronPath(): string {
  if (electron.path === undefined) throw new Error(`${noWindow}: the test should have been skipped`);
  return electron.path;
}

/** A folder of the test's own; `remove` when it is over. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'retrace-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export interface Place {
  /** The home to show; a fixture's, never the machine's own. */
  home: string;
  /** Where the library and the shell's own data go; without it, to a folder that goes when the app is closed. */
  data?: string;
  /** Further arguments. */
  args?: string[];
  /** Where on the page to open it, e.g. `#/session/…`. */
  hash?: string;
}

export interface Server {
  /** The printed link. */
  url: string;
  /** Everything printed to stdout so far. */
  output(): string;
  process: ChildProcess;
  /** Asks it to end and gives its exit code. */
  end(): Promise<number | null>;
}

/** ms; it takes a moment, and stops its engine by force after 3 s. */
const endLimit = 20_000;

/** `serve` on a home, in a process of its own. */
export async function pageServer({ home, data, args = [] }: Place): Promise<Server> {
  const own = data === undefined ? temporaryFolder() : { path: data, remove: () => undefined };
  const library = join(own.path, 'library.db');
  const child = spawn(process.execPath, [join(root, 'out/main/serve.js'), '--home', home, '--library', library, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const url = await new Promise<string>((found, failed) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      const link = /http:\S+/.exec(output);
      if (link) found(link[0]);
    });
    child.once('exit', (code) => failed(new Error(`serve ended with ${code} before it printed its link`)));
  });
  return {
    url,
    output: () => output,
    process: child,
    async end() {
      const code = await new Promise<number | null>((done, failed) => {
        if (child.exitCode !== null) return done(child.exitCode);
        // A test that waited for it would only say that its time is over.
        const limit = setTimeout(() => {
          child.kill('SIGKILL');
          failed(new Error(`serve did not end within ${endLimit / 1_000} s of being asked to`));
        }, endLimit);
        child.once('exit', (ended) => {
          clearTimeout(limit);
          done(ended);
        });
        child.kill('SIGTERM');
      });
      own.remove();
      return code;
    },
  };
}

export interface OpenPage {
  page: Page;
  /** Console errors, uncaught errors and policy violations so far. */
  complaints: string[];
  close(): Promise<void>;
}

export interface ServedPage extends OpenPage {
  server: Server;
}

/** One for all tests of a worker, with which it ends: each test has a context of its own, where nothing of another is kept. */
let chrome: Promise<Browser> | undefined;

async function startedBrowser(): Promise<Browser> {
  const started = await chromium.launch({ ...(browser !== undefined && { executablePath: browser }) });
  // One that broke down takes the test with it, and not those that come after.
  started.on('disconnected', () => (chrome = undefined));
  return started;
}

/** A page in Chromium, in a context of its own. */
export async function openPage({ url }: Pick<Server, 'url'>, hash = ''): Promise<OpenPage> {
  chrome ??= startedBrowser();
  const context = await (await chrome).newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = listen(page);
  // The redirect that takes the token out of the address keeps what stands from `#` on.
  await page.goto(url + hash);
  return { page, complaints, close: () => context.close() };
}

/** The page in Chromium, served from a home. */
export async function servedPage({ hash = '', ...place }: Place): Promise<ServedPage> {
  const server = await pageServer(place);
  const opened = await openPage(server, hash);
  return {
    ...opened,
    server,
    async close() {
      await opened.close();
      await server.end();
    },
  };
}

export interface DesktopApp extends OpenPage {
  app: ElectronApplication;
}

/** The desktop window on a home. Its engine runs as a Node child where this Electron is too old for the database. */
export async function desktopApp({ home, data, args = [], hash = '' }: Place): Promise<DesktopApp> {
  const own = data === undefined ? temporaryFolder() : { path: data, remove: () => undefined };
  const link = hash === '' ? [] : [hash.replace(/^#\//, 'retrace://')];
  const opened = await openedWindow(root, [...windowArgs({ home, data: own.path }), ...args, ...link], desktopEnvironment());
  return {
    ...opened,
    async close() {
      await opened.close();
      own.remove();
    },
  };
}

/**
 * Starts Electron on a folder that holds the app and waits for its page. A start whose page does not load is given up and
 * made once more: on virtual displays Chromium's renderer was seen to hang (about once in fifty starts of the stand-in)
 * after it has asked for the page's scripts and before it runs any of them.
 */
export async function openedWindow(folder: string, args: string[], environment: Record<string, string>): Promise<DesktopApp> {
  for (let left = 1; ; left -= 1) {
    const app = await startedElectron(folder, args, environment);
    try {
      const page = await app.firstWindow();
      const complaints = listen(page);
      await page.waitForLoadState('load', { timeout: loadLimit });
      return { app, page, complaints, close: () => app.close() };
    } catch (error) {
      await app.close();
      if (left === 0) throw error;
      console.warn('The page of the window did not load: started once more.');
    }
  }
}

/** ms; a page takes a second or two, ten when the machine is busy. */
const loadLimit = 15_000;

/** Held back until the test is attached to it. */
function startedElectron(folder: string, args: string[], environment: Record<string, string>): Promise<ElectronApplication> {
  // Given the executable itself, Playwright would let the app run ahead and might miss that its page has loaded. It finds
  // the executable by the `electron` package, which goes by this variable.
  process.env.ELECTRON_OVERRIDE_DIST_PATH = dirname(electronPath());
  // Without this Chromium first tries, and fails, to use the hardware that a virtual display does not have.
  const drawing = process.platform === 'linux' ? ['--disable-gpu'] : [];
  return _electron.launch({ args: [...drawing, folder, ...args], env: environment, cwd: root });
}

/** The arguments of a window on a home, for a start by hand. */
export function windowArgs({ home, data }: { home: string; data: string }): string[] {
  return [`--user-data-dir=${join(data, 'electron')}`, '--home', home, '--library', join(data, 'library.db')];
}

export function desktopEnvironment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(inherited), RETRACE_ENGINE_NODE: process.execPath };
}

function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}
