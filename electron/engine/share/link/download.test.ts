import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { download, DownloadError, type DownloadFault, downloadLimits } from './download';
import { isNetworkAddress, isPublicAddress } from './public-address';
import { shareLink } from './share-links';
import { ShareServer } from './share-server.test-support';

let server: ShareServer;
beforeEach(async () => void (server = await ShareServer.start()));
afterEach(() => server.close());

const quick = { ...downloadLimits, bytes: 1_000_000, total: 3_000, first: 300, idle: 200, slow: { after: 400, bytesPerSecond: 100 } };

async function fetched(url: string, more: { allowsLoopback?: boolean; signal?: AbortSignal } = {}): Promise<string> {
  const { pieces } = await download(url, { allowsLoopback: more.allowsLoopback ?? true, signal: more.signal ?? new AbortController().signal, limits: quick });
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

async function fault(url: string, more: Parameters<typeof fetched>[1] = {}): Promise<DownloadFault> {
  const error = await fetched(url, more).then(
    () => new Error('it came through'),
    (caught: unknown) => caught,
  );
  if (!(error instanceof DownloadError)) throw error;
  return error.fault;
}

const said = async (...of: Parameters<typeof fault>) => {
  const { fault: kind, says } = await fault(...of);
  return `${kind}: ${says.replaceAll(server.base.slice('http://'.length), 'HOST')}`;
};

test('an answer comes through, packed or not, and a redirect is followed', async () => {
  server.shares('abc', [1, 2]);
  server.status('/moved', 302, { location: '/api/share/abc/data' });
  server.swells('/packed', 0.5);
  expect(await fetched(`${server.base}/api/share/abc/data`)).toBe('[1,2]');
  expect(await fetched(`${server.base}/moved`)).toBe('[1,2]');
  expect(await fetched(`${server.base}/packed`)).toHaveLength(500_000);
});

test('each kind of fault has its own sentence', async () => {
  expect(await said(`${server.base}/none`)).toBe('not found: 404: the share was removed or never existed.');
  expect(await said(server.status('/410', 410))).toBe('gone: 410: the share was removed.');
  expect(await said(server.status('/403', 403))).toBe('forbidden: 403: HOST does not give it to everybody: the share is private.');
  expect(await said(server.status('/429', 429))).toBe('refused: 429: HOST has had too many requests. Try again later.');
  expect(await said(server.status('/503', 503))).toBe('server fault: 503: HOST has a fault of its own. Try again later.');
  expect(await said(server.status('/204', 204))).toBe('status: 204: HOST did not give the session.');
  expect(await said('http://127.0.0.1:1/x')).toMatch(/^refused: 127\.0\.0\.1:1 /);
  expect(await said('https://no-such-host.invalid/x')).toMatch(/^(?:no host: There is no server named no-such-host\.invalid, or this machine is offline\.|offline: This machine is offline, or cannot reach the network\.)$/);
});

describe('a server that misbehaves', () => {
  test('redirects to a file, to private addresses, and for ever', async () => {
    expect(await said(server.status('/file', 302, { location: 'file:///etc/passwd' }))).toBe('redirect: The server sends on to a file: address, which is not fetched.');
    expect(await said(server.status('/js', 302, { location: 'javascript:alert(1)' }))).toBe('redirect: The server sends on to a javascript: address, which is not fetched.');
    expect(await said(server.status('/ten', 302, { location: 'https://10.0.0.1/x' }))).toBe('private address: 10.0.0.1 is an address of a private network (10.0.0.1): it is not spoken to.');
    expect(await said(server.status('/meta', 301, { location: 'http://169.254.169.254/latest/meta-data' }))).toBe('not secure: The address is not https: it is not fetched.');
    expect(await said(server.status('/six', 302, { location: 'https://[fd00::1]/x' }))).toMatch(/^private address: /);
    expect(await said(server.status('/mapped', 302, { location: 'https://[::ffff:10.0.0.1]/x' }))).toMatch(/^private address: /);
    expect(await said(server.status('/odd', 302, { location: 'https://0x0a000001/x' }))).toMatch(/^private address: /);
    expect(await said(server.status('/user', 302, { location: 'https://a:b@opncd.ai/x' }))).toBe('redirect: The address holds a user name or password.');
    expect(await said(server.status('/ever', 302, { location: '/ever' }))).toBe('too many redirects: The server sends on more than 5 times.');
    expect(server.asked.filter((path) => path === '/ever')).toHaveLength(6);
  });

  test('nothing on this machine is asked unless the person named it', async () => {
    server.shares('abc', []);
    expect((await fault(`${server.base}/api/share/abc/data`, { allowsLoopback: false })).fault).toBe('not secure');
    expect((await fault('https://localhost:1/x', { allowsLoopback: false })).fault).toBe('private address');
    expect(server.asked).toEqual([]);
  });

  test('drips, stalls, swells, ends early, and packs wrongly', async () => {
    expect(await said(server.drips('/drip', 50))).toBe('too slow: The server sends fewer than 100 bytes in a second: it was given up.');
    expect(await said(server.on('/stall', (_request, response) => void response.writeHead(200).write('x')))).toBe('too slow: The server sent nothing for 0.2 seconds: it was given up.');
    expect(await said(server.on('/silent', () => undefined))).toBe('too slow: HOST did not answer within 0.3 seconds.');
    expect(await said(server.swells('/swell', 50))).toBe('too large: The answer is larger than 1,000,000 bytes.');
    expect(await said(server.on('/cut', (_request, response) => void response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy())))).toMatch(/^cut: /);
    expect(await said(server.on('/bad', (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')))).toBe('encoding: The packed answer is damaged.');
    expect(await said(server.on('/odd', (_request, response) => void response.writeHead(200, { 'content-encoding': 'lzma' }).end('x')))).toBe('encoding: The answer is packed as lzma, which is not known here.');
  });

  test('can be left alone at any time', async () => {
    const control = new AbortController();
    const waiting = said(server.on('/stall', (_request, response) => void response.writeHead(200).write('x')), { signal: control.signal });
    setTimeout(() => control.abort(), 50);
    expect(await waiting).toBe('cancelled: Cancelled.');
  });
});

test.each([
  ['https://opncd.ai/share/mYk3pQ2x', ['https://opncd.ai/api/share/mYk3pQ2x/data', 'https://opncd.ai/api/shares/mYk3pQ2x/data'], true],
  ['  <https://opncd.ai/share/mYk3pQ2x/?theme=dark#m3> ', ['https://opncd.ai/api/share/mYk3pQ2x/data', 'https://opncd.ai/api/shares/mYk3pQ2x/data'], true],
  ['https://opencode.ai/s/abcd1234', ['https://opencode.ai/api/share/abcd1234/data', 'https://opencode.ai/api/shares/abcd1234/data'], true],
  ['https://opncd.ai/api/share/x_-1/data', ['https://opncd.ai/api/share/x_-1/data', 'https://opncd.ai/api/shares/x_-1/data'], true],
  ['https://share.example.org/shares/org1', ['https://share.example.org/api/shares/org1/data', 'https://share.example.org/api/share/org1/data'], false],
  ['http://127.0.0.1:4020/share/Zt7-aa_9', ['http://127.0.0.1:4020/api/share/Zt7-aa_9/data', 'http://127.0.0.1:4020/api/shares/Zt7-aa_9/data'], false],
])('the link %s', (text, data, isKnownHost) => {
  expect(shareLink(text)).toMatchObject({ data, isKnownHost });
});

test.each([
  ['hello', 'This is no web address.'],
  ['http://opncd.ai/share/abc', 'Sessions are fetched over https only.'],
  ['file:///etc/passwd', 'file: addresses are not fetched: only https.'],
  ['https://me:secret@opncd.ai/share/abc', 'The link holds a user name or password. Take it out first.'],
  ['https://opncd.ai/', 'The link does not lead to a shared session: those end in /share/ and a name.'],
  ['https://opncd.ai/share/..%2fx', 'The name of the share holds characters that no share has.'],
  [`https://opncd.ai/share/${'a'.repeat(3_000)}`, 'The link is longer than 2,048 characters.'],
])('%.40s is no link', (text, refused) => {
  expect(shareLink(text)).toEqual({ refused });
});

test('a share server that the person set', () => {
  expect(shareLink('https://git.example.org/opencode/share/abc', ['https://git.example.org/opencode/'])).toMatchObject({
    isKnownHost: true, page: 'https://git.example.org/opencode/share/abc', data: ['https://git.example.org/opencode/api/share/abc/data', 'https://git.example.org/opencode/api/shares/abc/data'],
  });
  expect(shareLink('https://git.example.org/other/share/abc', ['https://git.example.org/opencode'])).toEqual({ refused: 'The link does not lead to a shared session: those end in /share/ and a name.' });
});

test.each([
  ['8.8.8.8', true], ['127.0.0.1', false], ['10.1.2.3', false], ['172.31.0.1', false], ['172.32.0.1', true], ['192.168.1.1', false], ['169.254.169.254', false], ['100.64.0.1', false], ['0.0.0.0', false],
  ['::1', false], ['fe80::1', false], ['fd00::1', false], ['2606:4700::1111', true], ['2001:db8::1', false], ['2002:0a00:0001::1', false], ['::ffff:8.8.8.8', false], ['64:ff9b::0a00:1', false], ['name', false],
])('the address %s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test.each([
  ['10.1.2.3', true], ['172.20.0.1', true], ['192.168.0.9', true], ['100.64.1.1', true], ['fd12::1', true], ['169.254.169.254', false], ['127.0.0.1', false], ['0.0.0.0', false], ['fe80::1', false], ['8.8.8.8', false], ['name', false],
])('a share server that the person set may lie at %s: %s', (address, allowed) => {
  expect(isNetworkAddress(address)).toBe(allowed);
});

test('only the host that the person set may lie in a private network', async () => {
  // Cancelled before it begins: what is looked at is whether it would have been asked.
  const asked = async (url: string, ownHost: string) => {
    const error = await download(url, { allowsLoopback: false, ownHost, signal: AbortSignal.abort() }).then(() => null, (caught: unknown) => caught);
    return error instanceof DownloadError ? error.fault.fault : error;
  };
  expect(await asked('https://10.255.255.1/x', '10.255.255.1')).toBe('cancelled');
  expect(await asked('https://10.255.255.1:8443/x', '10.255.255.1')).toBe('private address');
  expect(await asked('https://10.255.255.2/x', '10.255.255.1')).toBe('private address');
  expect(await asked('https://169.254.169.254/x', '169.254.169.254')).toBe('private address');
});
