import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { contentSecurityPolicy } from '@shared/csp';
import { type Server, startServer } from './server';

// A page of two files, a file beside its folder that must not be reached, and an engine that answers what it is told.
const folder = mkdtempSync(join(tmpdir(), 'retrace-serve-'));
const engine = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (message) => {
    if (message.end) process.exit(0);
    message.port.on('message', (data) => {
      if (data === 'crash') process.exit(7);
      message.port.postMessage({ heard: data });
    });
  });
`;
let server: Server;
let port: number;
let cookie: string;

beforeAll(async () => {
  mkdirSync(join(folder, 'page/assets'), { recursive: true });
  writeFileSync(join(folder, 'page/index.html'), '<title>page</title>');
  writeFileSync(join(folder, 'page/assets/a.js'), 'let a;');
  writeFileSync(join(folder, 'page/.built'), 'stamp');
  writeFileSync(join(folder, 'secret.html'), 'secret');
  writeFileSync(join(folder, 'engine.mjs'), engine);
  server = await startServer({ port: 0, page: join(folder, 'page'), engine: join(folder, 'engine.mjs'), downloads: join(folder, 'downloads') });
  port = Number(new URL(server.url).port);
  cookie = `retrace-${port}=${new URL(server.url).searchParams.get('token')}`;
});
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true });
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends the path as it is written, which `fetch` would not. */
function ask(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
  return new Promise((done, failed) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers: { cookie, ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', failed).end();
  });
}

describe('downloads', () => {
  const id = '0123456789abcdef0123456789abcdef';
  beforeAll(() => {
    mkdirSync(join(folder, 'downloads'), { recursive: true });
    writeFileSync(join(folder, 'downloads/other'), 'other');
  });

  test('an export is handed out once, to be saved and not to be shown', async () => {
    writeFileSync(join(folder, 'downloads', id), '<script>alert(1)</script>');
    const answer = await ask(`/download/${id}?name=${encodeURIComponent("a'ö\r\n.html")}`);
    expect(answer).toMatchObject({ status: 200, body: '<script>alert(1)</script>' });
    expect(answer.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-disposition': "attachment; filename*=UTF-8''a%27%C3%B6%0D%0A.html", 'x-content-type-options': 'nosniff' });
    expect((await ask(`/download/${id}`)).status).toBe(404);
  });

  test('a look at its head leaves it there', async () => {
    writeFileSync(join(folder, 'downloads', id), 'text');
    expect((await ask(`/download/${id}`, { method: 'HEAD' })).status).toBe(200);
    expect((await ask(`/download/${id}`)).body).toBe('text');
  });

  test.each(['/download/other', '/download/../secret.html', '/download/%2e%2e%2fsecret.html', `/download/${id}/..`, '/download/', `/download/${'0'.repeat(33)}`])('%s is not there', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  test('nothing is handed out without the cookie', async () => {
    writeFileSync(join(folder, 'downloads', id), 'text');
    expect((await ask(`/download/${id}`, { headers: { cookie: '' } })).status).toBe(401);
    expect((await ask(`/download/${id}`)).body).toBe('text');
  });
});

describe('pages', () => {
  test('the link swaps its token for a cookie and leaves the address bar', async () => {
    const { pathname, search } = new URL(server.url);
    const answer = await ask(pathname + search, { headers: { cookie: '' } });
    expect(answer.status).toBe(303);
    expect(answer.headers['location']).toBe('/');
    expect(answer.headers['set-cookie']).toEqual([`${cookie}; HttpOnly; SameSite=Strict; Path=/`]);
  });

  test('with the cookie the page is served, with its headers', async () => {
    const answer = await ask('/');
    expect(answer).toMatchObject({ status: 200, body: '<title>page</title>' });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': '19',
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(contentSecurityPolicy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(await ask('/assets/a.js?v=1')).toMatchObject({ status: 200, body: 'let a;', headers: { 'content-type': 'text/javascript; charset=utf-8' } });
    expect(await ask('/', { headers: { host: `localhost:${port}` } })).toMatchObject({ status: 200 });
  });

  test('HEAD has the headers and no body', async () => {
    expect(await ask('/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '', headers: { 'content-length': '19' } });
  });

  test.each([
    ['no cookie', '', '/'],
    ['a wrong cookie', 'retrace-PORT=AAAA', '/'],
    ['a cookie of another port', 'retrace-1=TOKEN', '/'],
    ['a wrong token', '', '/?token=AAAA'],
    ['the token as the name of a file', '', '/TOKEN'],
  ])('%s is answered 401', async (_what, sent, path) => {
    const filled = (text: string) => text.replace('PORT', String(port)).replace('TOKEN', cookie.slice(cookie.indexOf('=') + 1));
    const answer = await ask(filled(path), { headers: { cookie: filled(sent) } });
    expect(answer.status).toBe(401);
    expect(answer.body).not.toContain('page');
    expect(answer.headers['content-security-policy']).toBe(contentSecurityPolicy);
  });

  test.each(['evil.example', 'evil.example:PORT', '127.0.0.1', '127.0.0.1:1', '127.0.0.1:PORT.evil.example', '0.0.0.0:PORT'])(
    'the host %s is answered 421, even with the cookie',
    async (host) => {
      expect((await ask('/', { headers: { host: host.replace('PORT', String(port)) } })).status).toBe(421);
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])('%s is answered 405', async (method) => {
    expect(await ask('/', { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test.each([
    '/../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '/..%5csecret.html',
    '/assets/../../secret.html',
    '/assets/..%2f..%2fsecret.html',
    '//secret.html',
    '/./index.html',
    '/.built',
    '/assets',
    '/assets/',
    '/missing.html',
    '/index.html%00.js',
    '/%',
  ])('%s is answered 404', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('secret');
  });

  test('a request that names no path of this server is answered 400', async () => {
    const text = await new Promise<string>((done) => {
      let all = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(`GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`));
      socket.on('data', (data) => (all += String(data))).on('close', () => done(all));
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });

  // Linux answers on all of 127.0.0.0/8; other systems would wait for a minute.
  test.runIf(process.platform === 'linux')('it is bound to one address of this machine', async () => {
    const other = await new Promise<string>((done) => {
      const socket = connect(port, '127.0.0.2', () => done('reached'));
      socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'error'));
    });
    expect(other).toBe('ECONNREFUSED');
  });
});

describe('the link to the engine', () => {
  const open = (headers: Record<string, string | undefined>, path = '/link') =>
    new Promise<WebSocket | number>((done) => {
      const given = Object.fromEntries(Object.entries({ cookie, origin: `http://127.0.0.1:${port}`, ...headers }).filter(([, value]) => value !== undefined));
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: given });
      socket.on('open', () => done(socket));
      socket.on('unexpected-response', (_request, response) => done(response.statusCode ?? 0));
      socket.on('error', () => {});
    });
  const opened = async () => {
    const socket = await open({});
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
    return socket;
  };
  const answerTo = (socket: WebSocket, text: string) =>
    new Promise<unknown>((done) => {
      socket.once('message', (data) => done(JSON.parse(String(data))));
      socket.send(text);
    });
  const closing = (socket: WebSocket) => new Promise<number>((done) => socket.once('close', done));

  test('carries JSON to the engine and back', async () => {
    const socket = await opened();
    expect(await answerTo(socket, '{"a":[1,"é"]}')).toEqual({ heard: { a: [1, 'é'] } });
    socket.close();
    expect(await closing(socket)).toBe(1005);
  });

  test.each([
    ['without a cookie', { cookie: undefined }],
    ['with a wrong cookie', { cookie: 'retrace=x' }],
    ['without an origin', { origin: undefined }],
    ['from another site', { origin: 'http://evil.example' }],
    ['from another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['from a secure page', { origin: 'https://127.0.0.1:PORT' }],
    ['from an opaque origin', { origin: 'null' }],
    ['under another host', { host: 'evil.example' }],
  ])('%s it is refused with 403', async (_what, headers) => {
    const filled = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, value?.replace('PORT', String(port))]));
    expect(await open(filled)).toBe(403);
  });

  test('another path is refused with 403', async () => {
    expect(await open({}, '/other')).toBe(403);
    expect(await open({}, '/link?x')).toBe(403);
  });

  test('what is not JSON, binary or too long closes the socket of its sender only', async () => {
    const good = await opened();
    for (const [message, code] of [['{"a":', 1007], [Buffer.from('{}'), 1007], [`"${'x'.repeat(8 * 1024 * 1024)}"`, 1009]] as const) {
      const bad = await opened();
      bad.send(message);
      expect(await closing(bad)).toBe(code);
    }
    expect(await answerTo(good, '1')).toEqual({ heard: 1 });
    good.close();
  });

  test('an engine that crashes closes its links and is there again', async () => {
    const socket = await opened();
    socket.send('"crash"');
    expect(await closing(socket)).toBe(1012);
    // The links close before the thread is seen to have ended: who comes back at once is sent away once more.
    let heard: unknown = 1012;
    while (heard === 1012) {
      const again = await opened();
      heard = await Promise.race([answerTo(again, '2'), closing(again)]);
      again.close();
    }
    expect(heard).toEqual({ heard: 2 });
  });
});

test('ending the server ends its links and frees the port', async () => {
  const other = await startServer({ port: 0, page: join(folder, 'page'), engine: join(folder, 'engine.mjs'), downloads: join(folder, 'downloads') });
  const url = new URL(other.url);
  const headers = { cookie: `retrace-${url.port}=${url.searchParams.get('token')}`, origin: url.origin };
  const socket = new WebSocket(`ws://${url.host}/link`, { headers });
  await new Promise((done) => socket.once('open', done));
  const closed = new Promise((done) => socket.once('close', done));
  await other.end();
  await closed;
  await expect(fetch(url.origin)).rejects.toThrow();
});
