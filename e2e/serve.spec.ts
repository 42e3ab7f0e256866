import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { engineAnswer } from './engine-answer';
import { type Fixture, openFixture } from './fixtures';
import { noBrowser, pageServer, root, servedPage, temporaryFolder } from './launch';

let fixture: Fixture;
test.beforeAll(() => void (fixture = openFixture('claude-code', 'fork')));
test.afterAll(() => fixture.dispose());

test('the link opens the page in a browser, and nothing in it is refused', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const data = temporaryFolder();
  const { page, complaints, server, close } = await servedPage({ home: fixture.home, data: data.path, hash: '#/session/claude-code%2Fx' });
  try {
    await expect(page.getByRole('main')).toBeVisible();
    await expect(page.getByTestId('library')).toBeVisible();
    // The token is gone from the address, the place on the page is kept.
    const address = new URL(page.url());
    expect(address.pathname + address.search).toBe('/');
    expect(address.hash).toMatch(/^#\/session\/claude-code%2Fx/);
    expect(await engineAnswer(page, 'engine.info', {})).toMatchObject({ home: fixture.home, library: join(data.path, 'library.db') });
    expect(await page.evaluate(() => [document.cookie, 'retrace' in window])).toEqual(['', false]);
    await page.screenshot({ path: 'test-results/served.png' });
    expect(complaints).toEqual([]);
    expect(server.output()).toMatch(/^Retrace is at http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}\n$/);
  } finally {
    await close();
    data.remove();
  }
});

test('another browser without the link sees nothing', async () => {
  const server = await pageServer({ home: fixture.home });
  try {
    const { origin } = new URL(server.url);
    expect((await fetch(origin)).status).toBe(401);
    expect((await fetch(`${origin}/index.html`)).status).toBe(401);
    expect((await fetch(`${origin}/?token=${'A'.repeat(32)}`)).status).toBe(401);
  } finally {
    expect(await server.end()).toBe(0);
  }
});

test('a server that is asked to end does so in order: nothing of what was looked at stays behind, and its page stays', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const temporary = temporaryFolder();
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporary.path;
  const { page, server, close } = await servedPage({ home: fixture.home });
  try {
    await expect(page.getByTestId('library')).toBeVisible();
    const looked = () => readdirSync(temporary.path).filter((name) => name.startsWith('retrace-import-')).length;
    await engineAnswer(page, 'plan.import', { from: join(root, 'e2e/fixtures/import/renamed.json') });
    expect(looked()).toBe(1);
    expect(await server.end()).toBe(0);
    expect(looked()).toBe(0);
    await expect(page.getByRole('main')).toBeVisible();
  } finally {
    await close();
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    temporary.remove();
  }
});

test('`npm start` without a display says so in one line and serves the page', async () => {
  test.skip(process.platform !== 'linux', 'on this system there is always a display');
  const data = temporaryFolder();
  const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...env } = process.env;
  const start = spawn(process.execPath, [join(root, 'electron/scripts/start.mjs'), '--home', fixture.home, '--library', join(data.path, 'library.db')], { env });
  try {
    let output = '';
    start.stdout.on('data', (chunk) => (output += String(chunk)));
    await expect.poll(() => output).toMatch(/^Retrace opens as a web page, since there is no display\.\nRetrace is at http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}\n$/);
    const link = /http\S+/.exec(output)?.[0] ?? '';
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(303);
    const ended = new Promise((done) => start.once('exit', done));
    start.kill('SIGTERM');
    expect(await ended).toBe(0);
    await expect(fetch(link)).rejects.toThrow();
  } finally {
    start.kill();
    data.remove();
  }
});

test('what cannot be served is said in one line', async () => {
  const server = await pageServer({ home: fixture.home });
  const serve = (...args: string[]) => spawnSync(process.execPath, [join(root, 'out/main/serve.js'), '--home', fixture.home, ...args], { encoding: 'utf8' });
  try {
    const taken = serve('--port', new URL(server.url).port);
    expect([taken.status, taken.stdout]).toEqual([1, '']);
    expect(taken.stderr).toMatch(/^Port \d+ is taken by another program: [^\n]*\n$/);
    expect(serve('--nonsense')).toMatchObject({ status: 2, stdout: '', stderr: "unknown option '--nonsense'\n" });
    expect(serve('--help')).toMatchObject({ status: 0, stderr: '' });
  } finally {
    await server.end();
  }
});
