import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { contentSecurityPolicy } from '@shared/csp';
import { type Fixture, openFixture } from './fixtures';
import { type DesktopApp, desktopApp, noWindow, root } from './launch';

test.skip(noWindow !== undefined, noWindow);

// What keeps a transcript from doing anything, read back from the running window or tried out in it.
let fixture: Fixture;
let desktop: DesktopApp;
test.beforeAll(async () => {
  fixture = openFixture('claude-code', 'titles');
  desktop = await desktopApp({ home: fixture.home });
});
test.afterAll(async () => {
  await desktop.close();
  fixture.dispose();
});

test('the window is sandboxed, isolated and without Node', async () => {
  const preferences = await desktop.app.evaluate(({ BrowserWindow }) =>
    // There, but not in Electron's typings: what the window really was opened with.
    BrowserWindow.getAllWindows().map(({ webContents }) => (webContents as unknown as { getLastWebPreferences(): object }).getLastWebPreferences()),
  );
  expect(preferences).toHaveLength(1);
  expect(preferences[0]).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    experimentalFeatures: false,
    enableBlinkFeatures: '',
  });
  const seen = await desktop.page.evaluate(() => ({
    globals: ['require', 'process', 'module', 'Buffer', 'global', '__dirname', 'electron'].filter((name) => name in globalThis),
    bridge: Object.entries(window.retrace ?? {}).map(([name, value]) => `${name}: ${typeof value}`),
  }));
  expect(seen).toEqual({
    globals: [],
    bridge: ['shell: string', 'platform: string', 'connect: function', 'showFile: function', 'pathOf: function', 'openTerminal: function', 'onOpen: function', 'onCommand: function'],
  });
});

test('the page comes from the private scheme under the same policy as from `serve`', async () => {
  expect(new URL(desktop.page.url()).href).toMatch(/^app:\/\/retrace\/index\.html/);
  const answer = await desktop.page.evaluate(async () => {
    const page = await fetch('/index.html');
    return { status: page.status, headers: Object.fromEntries(page.headers), origin: location.origin, secure: isSecureContext };
  });
  expect(answer).toMatchObject({ status: 200, origin: 'app://retrace', secure: true });
  expect(answer.headers).toMatchObject({
    'content-security-policy': contentSecurityPolicy,
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
});

test('the private scheme gives files of the page and nothing else', async () => {
  const statuses = await desktop.page.evaluate(async () => {
    const paths = ['/', '/main/index.js', '/../main/index.js', '/..%2fmain%2findex.js', '/%2e%2e%2f%2e%2e%2fpackage.json', '/..%5cmain%5cindex.js', '/.built', '/assets/', '//etc/passwd.html'];
    const answers = await Promise.all(paths.map((path) => fetch(`app://retrace${path}`)));
    return [...answers.map(({ status }) => status), (await fetch('/', { method: 'POST', body: 'x' })).status];
  });
  expect(statuses).toEqual([200, 404, 404, 404, 404, 404, 404, 404, 404, 405]);
});

test('nothing reaches the network or another origin', async () => {
  let requests = 0;
  const outside = createServer((_request, response) => {
    requests += 1;
    response.setHeader('Access-Control-Allow-Origin', '*').end('outside');
  });
  await new Promise<void>((listening) => outside.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
  try {
    const outcomes = await desktop.page.evaluate(async (url) => {
      const violations: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
      const failed = (element: HTMLElement) =>
        new Promise<string>((done) => {
          element.addEventListener('error', () => done('error'));
          element.addEventListener('load', () => done('load'));
          document.body.append(element);
        });
      const image = Object.assign(new Image(), { src: url });
      const script = Object.assign(document.createElement('script'), { src: url });
      const inline = Object.assign(document.createElement('script'), { textContent: 'window.ran = true' });
      const frame = Object.assign(document.createElement('iframe'), { src: url });
      const asked = [
        await fetch(url).then(() => 'load', () => 'error'),
        await fetch('app://other/index.html').then(() => 'load', () => 'error'),
        await fetch('file:///etc/passwd').then(() => 'load', () => 'error'),
        await failed(image),
        await failed(script),
      ];
      document.body.append(inline, frame, Object.assign(document.createElement('style'), { textContent: `body { background: url(${url}) }` }));
      await new Promise((resume) => setTimeout(resume, 300));
      return { asked, violations: [...new Set(violations)].sort(), ran: 'ran' in window, evaluated: (() => {
        try {
          return String(new Function('return 1')());
        } catch (error) {
          return (error as Error).name;
        }
      })() };
    }, address);
    expect(outcomes.asked).toEqual(['error', 'error', 'error', 'error', 'error']);
    expect(outcomes.ran).toBe(false);
    expect(outcomes.evaluated).toBe('EvalError');
    expect(outcomes.violations).toEqual(expect.arrayContaining(['connect-src', 'frame-src', 'img-src', 'script-src-elem']));
    // Not the page's policy but the session: a request that the policy does not see goes nowhere either.
    expect(
      await desktop.app.evaluate(({ session }, url) => session.defaultSession.fetch(url).then(() => 'load', () => 'error'), address),
    ).toBe('error');
    expect(requests).toBe(0);
  } finally {
    outside.close();
    await desktop.page.reload();
  }
});

test('the page stays where it is, and only web and mail addresses go to the system', async () => {
  await desktop.app.evaluate(({ shell }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { opened });
    shell.openExternal = (url) => Promise.resolve(void opened.push(url));
  });
  const before = desktop.page.url();
  const addresses = [
    'https://example.org/a?b#c',
    'http://example.org/',
    'mailto:someone@example.org',
    'file:///etc/passwd',
    'javascript:document.title="ran"',
    'data:text/html,<p>x</p>',
    'app://retrace/assets/other.html',
    'app://other/',
    'retrace://session/x',
    'smb://example.org/share',
    'https://bank.example@evil.example/',
    'ms-settings:privacy',
  ];
  const windows = await desktop.page.evaluate((urls) => urls.map((url) => window.open(url)).filter((opened) => opened !== null).length, addresses);
  expect(windows).toBe(0);
  // The same by links in the page itself, one after another.
  for (const address of addresses.filter((url) => !url.startsWith('javascript:'))) {
    await desktop.page.evaluate((url) => {
      const link = Object.assign(document.createElement('a'), { href: url, textContent: 'link' });
      document.body.append(link);
      link.click();
      link.remove();
    }, address);
    await desktop.page.waitForTimeout(50);
  }
  const allowed = ['https://example.org/a?b#c', 'http://example.org/', 'mailto:someone@example.org'];
  await expect
    .poll(() => desktop.app.evaluate(() => [...new Set((globalThis as unknown as { opened: string[] }).opened)].sort()))
    .toEqual([...allowed].sort());
  expect(desktop.page.url()).toBe(before);
  expect(desktop.app.windows()).toHaveLength(1);
  expect(await desktop.page.title()).not.toBe('ran');
  expect(await desktop.page.evaluate(() => 'retrace' in window)).toBe(true);
});

test('permissions, devices, downloads and embedded pages are refused', async () => {
  const answers = await desktop.page.evaluate(async () => {
    const state = async (name: string) => (await navigator.permissions.query({ name: name as PermissionName })).state;
    const outcome = (asked: Promise<unknown>) => asked.then(() => 'granted', (error: Error) => error.name);
    return {
      states: await Promise.all(['notifications', 'geolocation', 'camera', 'microphone', 'clipboard-read', 'midi'].map(state)),
      notification: await Notification.requestPermission(),
      camera: await outcome(navigator.mediaDevices.getUserMedia({ video: true })),
      position: await outcome(new Promise((done, failed) => navigator.geolocation.getCurrentPosition(done, (error) => failed(Object.assign(new Error(), { name: `code ${error.code}` }))))),
    };
  });
  expect(answers.states).toEqual(['denied', 'denied', 'denied', 'denied', 'denied', 'denied']);
  expect(answers.notification).toBe('denied');
  expect(answers.camera).not.toBe('granted');
  // PERMISSION_DENIED
  expect(answers.position).toBe('code 1');

  const downloads = await desktop.app.evaluate(async ({ BrowserWindow, session }) => {
    const states: string[] = [];
    session.defaultSession.on('will-download', (event, item) => states.push(`${event.defaultPrevented} ${item.getState()}`));
    await BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
      "Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob(['x'])), download: 'x.txt' }).click()",
    );
    await new Promise((resume) => setTimeout(resume, 500));
    return states;
  });
  expect(downloads.every((state) => state.startsWith('true'))).toBe(true);

  const contents = await desktop.page.evaluate(async () => {
    document.body.append(Object.assign(document.createElement('webview'), { src: 'https://example.org/' }));
    await new Promise((resume) => setTimeout(resume, 300));
  });
  expect(contents).toBeUndefined();
  expect(await desktop.app.evaluate(({ webContents }) => webContents.getAllWebContents().map((each) => each.getType()))).toEqual(['window']);
  await desktop.page.reload();
});

test('writing to the clipboard is the one thing that is allowed', async () => {
  // Asked for rather than done: a display without a window manager gives no window the focus that copying needs.
  const states = await desktop.page.evaluate(() =>
    Promise.all(['clipboard-write', 'clipboard-read'].map(async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state)),
  );
  expect(states).toEqual(['granted', 'denied']);
});

test('a page that is not ours gets no link to the engine', async () => {
  const answers = await desktop.app.evaluate(async ({ BrowserWindow }, preload) => {
    const ours = BrowserWindow.getAllWindows()[0];
    const asks = `new Promise((done) => {
      addEventListener('message', (event) => event.data === 'retrace:port' && done('a port'));
      retrace.connect();
      setTimeout(() => done('nothing'), 1000);
    })`;
    const foreign = new BrowserWindow({ show: false, webPreferences: { sandbox: true, preload } });
    try {
      await foreign.loadURL('data:text/html,<p>foreign</p>');
      return [await foreign.webContents.executeJavaScript(asks), await ours?.webContents.executeJavaScript(asks)] as unknown[];
    } finally {
      foreign.destroy();
    }
  }, join(root, 'out/preload/index.cjs'));
  expect(answers).toEqual(['nothing', 'a port']);
});
