import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ElectronApplication, expect, test } from '@playwright/test';
import type { MenuCommand } from '@shared/shell';
import { engineAnswer } from './engine-answer';
import { type Fixture, openFixture, recordedHome } from './fixtures';
import { desktopApp, desktopEnvironment, electronPath, noWindow, root, temporaryFolder, windowArgs } from './launch';

test.skip(noWindow !== undefined, noWindow);

let fixture: Fixture;
test.beforeAll(() => void (fixture = openFixture('claude-code', 'fork')));
test.afterAll(() => fixture.dispose());

test('the window opens on a home and its page talks to the engine', async () => {
  const data = temporaryFolder();
  const { page, app, complaints, close } = await desktopApp({ home: fixture.home, data: data.path });
  try {
    await expect(page.getByRole('main')).toBeVisible();
    await expect(page.getByTestId('library')).toBeVisible();
    const info = await engineAnswer(page, 'engine.info', {});
    expect(info).toMatchObject({ home: fixture.home, library: join(data.path, 'library.db') });
    expect(await page.title()).toContain('Retrace');
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()))).toEqual([true]);
    await page.screenshot({ path: 'test-results/desktop.png' });
    expect(complaints).toEqual([]);
  } finally {
    await close();
    data.remove();
  }
});

test('the menu offers what the page can do, and the page hears of it', async () => {
  const { page, app, close } = await desktopApp({ home: fixture.home });
  try {
    const items = await app.evaluate(({ Menu }) =>
      (Menu.getApplicationMenu()?.items ?? []).flatMap(({ label, submenu }) =>
        (submenu?.items ?? []).filter(({ type }) => type === 'normal').map((item) => `${label.replace('&', '')} › ${item.label} ${String(item.accelerator ?? '')}`.trim()),
      ),
    );
    expect(items).toEqual(
      expect.arrayContaining([
        'File › Import a session… CmdOrCtrl+O',
        'File › Bring the library up to date F5',
        'File › Export the session CmdOrCtrl+S',
        'Edit › Find in session CmdOrCtrl+F',
        'View › Command palette CmdOrCtrl+K',
        'View › Show or hide the library CmdOrCtrl+B',
        'View › Show or hide the inspector CmdOrCtrl+Alt+B',
      ]),
    );
    await page.evaluate(() => {
      const heard: MenuCommand[] = [];
      Object.assign(window, { heard });
      window.retrace?.onCommand((command) => heard.push(command));
    });
    await app.evaluate(({ Menu }) => {
      const all = (Menu.getApplicationMenu()?.items ?? []).flatMap(({ submenu }) => submenu?.items ?? []);
      for (const item of all) if (item.type === 'normal' && !item.role && item.label !== 'Show the log file' && item.label !== 'New Window') item.click();
    });
    const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    await expect.poll(heard).toEqual(['import', 'reload-index', 'library-settings', 'export', 'find', 'search', 'palette', 'work', 'journal', 'toggle-library', 'toggle-inspector', 'theme', 'shortcuts']);
  } finally {
    await close();
  }
});

test('a second start brings the first window to the front and hands its link over', async () => {
  const data = temporaryFolder();
  const { page, app, close } = await desktopApp({ home: fixture.home, data: data.path, hash: '#/session/first%2Flink' });
  const hash = () => page.evaluate(() => location.hash);
  try {
    expect(await hash()).toBe('#/session/first%2Flink');
    await expect(page.getByTestId('library')).toBeVisible();
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize());
    expect(await secondStart(data.path, 'retrace://session/second%2Flink')).toEqual({
      code: 0,
      said: 'Retrace is open already: its window comes to the front.',
    });
    await expect.poll(hash).toBe('#/session/second%2Flink');
    const windows = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isMinimized()));
    expect(windows).toEqual([false]);
    // What is no link of ours is passed over.
    expect(await secondStart(data.path, 'https://example.org/')).toMatchObject({ code: 0 });
    expect(await hash()).toBe('#/session/second%2Flink');
    expect(app.windows()).toHaveLength(1);
  } finally {
    await close();
    data.remove();
  }
});

test('a terminal is opened on what a plan made: the words come from the engine, never from the page', async () => {
  const home = openFixture('claude-code', 'rewind');
  const data = temporaryFolder();
  const [terminal, said, tree] = [join(data.path, 'my-terminal'), join(data.path, 'said'), join(home.home, 'projects/as-it-was')];
  writeFileSync(terminal, `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@" > '${said}.part'; mv '${said}.part' '${said}'\n`, { mode: 0o755 });
  writeFileSync(join(data.path, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
  const before = { PATH: process.env['PATH'], TERMINAL: process.env['TERMINAL'] };
  Object.assign(process.env, { PATH: `${data.path}:${before.PATH}`, TERMINAL: terminal });
  const { page, close } = await desktopApp({ home: home.home, data: data.path, args: ['--map', `${recordedHome}=${home.home}`] });
  try {
    const drawn = () => engineAnswer(page, 'plan.fork', { session: 'claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5', worktree: { path: tree } });
    await expect.poll(async () => (await drawn()) !== null).toBe(true);
    const plan = await drawn();
    if (plan === null || !('steps' in plan)) throw new Error(plan?.refused ?? 'no session');
    const outcome = await engineAnswer(page, 'plan.apply', { plan: plan.id });
    if (!outcome?.applied) throw new Error(outcome?.refused ?? 'no plan');
    const opened = (entry: unknown) => page.evaluate((given) => window.retrace?.openTerminal(given as string), entry);
    expect(await opened(plan.id)).toBeNull();
    await expect.poll(() => existsSync(said)).toBe(true);
    expect(readFileSync(said, 'utf8').trimEnd().split('\n')).toEqual([tree, '-e', join(data.path, 'claude'), '--resume', outcome.entry.result?.slice('claude-code/'.length)]);
    for (const other of ['nowhere', '', 'x'.repeat(1_000), { argv: ['sh'] }, ['sh', '-c', 'true']]) expect(await opened(other)).toBe('There is no such entry in the journal.');
  } finally {
    await close();
    Object.assign(process.env, before);
    if (before.TERMINAL === undefined) delete process.env['TERMINAL'];
    data.remove();
    home.dispose();
  }
});

function secondStart(data: string, link: string): Promise<{ code: number | null; said: string | undefined }> {
  const asRoot = process.getuid?.() === 0;
  const child = spawn(electronPath(), [...(asRoot ? ['--no-sandbox'] : []), root, ...windowArgs({ home: fixture.home, data }), link], {
    env: desktopEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  return new Promise((done) => child.once('exit', (code) => done({ code, said: said.split('\n').find((line) => line.startsWith('Retrace ')) })));
}

test('the window stands where it was left, or where it can be seen', async () => {
  const data = temporaryFolder();
  const bounds = (app: ElectronApplication) => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds());
  const wanted = { x: 40, y: 30, width: 1_001, height: 702 };
  try {
    const first = await desktopApp({ home: fixture.home, data: data.path });
    await first.app.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setBounds(to), wanted);
    await expect.poll(() => bounds(first.app)).toEqual(wanted);
    const file = join(await first.app.evaluate(({ app }) => app.getPath('userData')), 'window.json');
    await first.close();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ bounds: wanted, maximised: false });

    const second = await desktopApp({ home: fixture.home, data: data.path });
    await expect.poll(() => bounds(second.app)).toEqual(wanted);
    await second.close();

    writeFileSync(file, JSON.stringify({ bounds: { ...wanted, x: 90_000, y: -5_000 }, maximised: false }));
    const third = await desktopApp({ home: fixture.home, data: data.path });
    const screen = await third.app.evaluate(({ screen: { getPrimaryDisplay } }) => getPrimaryDisplay().workArea);
    await expect.poll(() => bounds(third.app)).toEqual({
      x: screen.x + Math.round((screen.width - wanted.width) / 2),
      y: screen.y + Math.round((screen.height - wanted.height) / 2),
      width: wanted.width,
      height: wanted.height,
    });
    await third.close();
  } finally {
    data.remove();
  }
});

test('an engine that dies is started again and the page finds it', async () => {
  test.skip(!existsSync('/proc/self'), 'the process of the engine is found through /proc');
  const { page, app, close } = await desktopApp({ home: fixture.home });
  try {
    await expect(page.getByTestId('library')).toBeVisible();
    await engineAnswer(page, 'engine.info', {});
    const first = await enginePid(app);
    process.kill(first, 'SIGKILL');
    await expect(async () => expect(await enginePid(app)).not.toBe(first)).toPass();
    expect(await engineAnswer(page, 'engine.info', {})).toMatchObject({ home: fixture.home });
    await expect(page.getByRole('main')).toBeVisible();
  } finally {
    await close();
  }
});

/** The engine's process: a utility process that Electron counts, or a Node child of main. */
async function enginePid(app: ElectronApplication): Promise<number> {
  const utility = await app.evaluate(({ app: running }) => running.getAppMetrics().find(({ name }) => name === 'Retrace engine')?.pid);
  const main = app.process().pid;
  const found = utility ?? readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).find((pid) => isEngineOf(pid, main));
  if (found === undefined) throw new Error('no engine runs');
  return found;
}

function isEngineOf(pid: number, main: number | undefined): boolean {
  try {
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(parent) === main && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(join('out', 'main', 'engine.js'));
  } catch {
    // It ended between the listing and the look.
    return false;
  }
}

test('a page that crashes is loaded again', async () => {
  const { page, app, close } = await desktopApp({ home: fixture.home, hash: '#/session/some%2Flink' });
  try {
    await expect(page.getByTestId('library')).toBeVisible();
    await app.evaluate(
      ({ BrowserWindow }) =>
        new Promise<void>((loaded) => {
          const contents = BrowserWindow.getAllWindows()[0]?.webContents;
          contents?.once('did-finish-load', () => loaded());
          contents?.forcefullyCrashRenderer();
        }),
    );
    const shown = () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript("[location.hash, document.querySelector('[data-testid=library]') !== null]"),
      );
    await expect.poll(shown).toEqual(['#/session/some%2Flink', true]);
  } finally {
    await close();
  }
});

test('an uncaught error is written down and blocks nothing', async () => {
  const data = temporaryFolder();
  const { page, app, close } = await desktopApp({ home: fixture.home, data: data.path });
  try {
    await app.evaluate(() => {
      setTimeout(() => {
        throw new Error('a fault of the test');
      });
      void Promise.reject(new Error('another fault of the test'));
    });
    const log = join(await app.evaluate(({ app: running }) => running.getPath('userData')), 'main.log');
    await expect.poll(() => (existsSync(log) ? readFileSync(log, 'utf8') : '')).toMatch(/uncaught error: Error: a fault of the test/);
    expect(readFileSync(log, 'utf8')).toContain('unhandled rejection: Error: another fault of the test');
    await expect(page.getByRole('main')).toBeVisible();
    expect(await engineAnswer(page, 'engine.info', {})).toMatchObject({ home: fixture.home });
  } finally {
    await close();
    data.remove();
  }
});

test('closing the window ends the app and its engine', async () => {
  test.skip(!existsSync('/proc/self') || process.platform === 'darwin', 'on this system an app stays when its window closes');
  const data = temporaryFolder();
  const { app } = await desktopApp({ home: fixture.home, data: data.path });
  try {
    const engine = await enginePid(app);
    const ended = new Promise((done) => app.process().once('exit', done));
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close()).catch(() => {});
    expect(await ended).toBe(0);
    await expect.poll(() => existsSync(`/proc/${engine}`)).toBe(false);
  } finally {
    data.remove();
  }
});

test('a diff is read and coloured by its worker under the private scheme, and copied, since the window saves no files', async () => {
  const changed = openFixture('opencode', 'v118-main');
  const { page, complaints, close } = await desktopApp({ home: changed.home });
  try {
    await page.getByRole('tree').waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.evaluate(() => void (location.hash = `#/session/${encodeURIComponent('opencode/ses_e1c685695ffext9gqa0c8sgW3P')}/files`));
    const lines = page.getByRole('region', { name: 'Changed lines of src/server.js' });
    await expect(lines.getByText('import { list, add').first()).toBeVisible();
    await expect(lines.locator('.hljs-keyword').first()).toHaveText('import');
    await expect(page.getByRole('button', { name: 'Copy as patch' })).toBeEnabled();
    await expect(page.getByRole('button', { name: 'Save as .patch', exact: true })).toBeDisabled();
    await page.getByRole('button', { name: 'Copy as patch' }).click();
    await expect(page.getByText('Copied the patch.')).toBeVisible();
    expect(complaints).toEqual([]);
  } finally {
    await close();
    changed.dispose();
  }
});
