import { lookup } from 'node:dns';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { isLoopbackAddress, isNetworkAddress, isPublicAddress } from './public-address';
import { isLoopback } from './share-links';

/** Bytes, ms and steps a download may take; beyond them it ends with a fault that says so. */
export const downloadLimits = { bytes: 1_073_741_824, total: 600_000, first: 20_000, idle: 15_000, redirects: 5, slow: { after: 20_000, bytesPerSecond: 512 } };
export type DownloadLimits = typeof downloadLimits;

export const downloadFaults = [
  'offline', 'no host', 'private address', 'not secure', 'certificate', 'refused', 'not found', 'gone', 'forbidden', 'server fault', 'status', 'redirect', 'too many redirects', 'too large', 'too slow', 'cut', 'encoding', 'cancelled',
] as const;
export type DownloadFault = { fault: (typeof downloadFaults)[number]; says: string; url: string; status: number | null };

/** Why a download did not come to its end. */
export class DownloadError extends Error {
  override name = 'DownloadError';
  constructor(readonly fault: DownloadFault) {
    super(fault.says);
  }
}

export interface Download {
  /** The address that answered, after redirects. */
  url: string;
  type: string | null;
  /** Decoded, bounded; throws `DownloadError`. */
  pieces: AsyncIterable<Uint8Array>;
}

export interface DownloadOptions {
  /** The person named an address on this machine themselves. */
  allowsLoopback: boolean;
  /** Host (with its port) of a share server that the person set: it may lie in a private network. */
  ownHost?: string | null;
  signal: AbortSignal;
  limits?: DownloadLimits;
}

const fail = (fault: DownloadFault['fault'], url: string, says: string, status: number | null = null): never => {
  throw new DownloadError({ fault, says, url, status });
};

/**
 * Fetches one address. Every address a name resolves to is checked, and the one that was checked is the one spoken to;
 * a redirect is a new address with the same checks. Nothing is sent but the request: no cookies, no credentials.
 */
export async function download(address: string, options: DownloadOptions): Promise<Download> {
  const limits = options.limits ?? downloadLimits;
  const ends = AbortSignal.any([options.signal, AbortSignal.timeout(limits.total)]);
  let url = address;
  for (let step = 0; step <= limits.redirects; step++) {
    checkAddress(url, options);
    const response = await answerOf(url, options, limits, ends);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      response.destroy();
      url = URL.canParse(location, url) ? new URL(location, url).href : fail('redirect', url, 'The server sends on to an address that cannot be read.', status);
      continue;
    }
    if (status !== 200) {
      response.destroy();
      throw new DownloadError(saidByStatus(status, url));
    }
    return { url, type: response.headers['content-type'] ?? null, pieces: pieces(response, url, limits, ends) };
  }
  return fail('too many redirects', url, `The server sends on more than ${limits.redirects} times.`);
}

function checkAddress(url: string, options: DownloadOptions): void {
  const { allowsLoopback } = options;
  const { protocol, hostname, username, password } = new URL(url);
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:' && protocol !== 'http:') fail('redirect', url, `The server sends on to a ${protocol} address, which is not fetched.`);
  if (username !== '' || password !== '') fail('redirect', url, 'The address holds a user name or password.');
  if (protocol === 'http:' && !(allowsLoopback && isLoopback(hostname))) fail('not secure', url, 'The address is not https: it is not fetched.');
  if (isIP(bare) !== 0) checkResolved(bare, url, options);
}

function checkResolved(address: string, url: string, { allowsLoopback, ownHost }: DownloadOptions): void {
  const { hostname, host } = new URL(url);
  if (isPublicAddress(address) || (allowsLoopback && isLoopbackAddress(address) && isLoopback(hostname))) return;
  if (host === ownHost && isNetworkAddress(address)) return;
  fail('private address', url, `${hostname} is an address of a private network (${address}): it is not spoken to.`);
}

function answerOf(url: string, options: DownloadOptions, limits: DownloadLimits, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? requestSecure : requestPlain)(
      url,
      // No agent: a connection that is kept could have been made to another address.
      { agent: false, signal, lookup: checkedLookup(url, options), headers: { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br, zstd', 'user-agent': 'Retrace' } },
      (response) => {
        clearTimeout(timer);
        resolve(response);
      },
    );
    const timer = setTimeout(() => request.destroy(new DownloadError({ fault: 'too slow', url, status: null, says: `${new URL(url).host} did not answer within ${limits.first / 1000} seconds.` })), limits.first);
    request.on('error', (error) => {
      clearTimeout(timer);
      reject(asFault(error, url, signal));
    });
    request.end();
  });
}

/** Resolves a name once, checks all that it stands for, and has the connection made to just that. */
function checkedLookup(url: string, options: DownloadOptions): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      try {
        for (const { address } of addresses) checkResolved(address, url, options);
      } catch (fault) {
        return callback(fault as Error, '', 0);
      }
      const [first] = addresses;
      if (lookupOptions.all) return callback(null, addresses);
      return first ? callback(null, first.address, first.family) : callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
    });
  };
}

async function* pieces(response: IncomingMessage, url: string, limits: DownloadLimits, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const decoded = decodedStream(response, url);
  const idle = idleWatch(response, url, limits);
  const onAbort = () => response.destroy(asFault(new Error('aborted'), url, signal));
  signal.addEventListener('abort', onAbort, { once: true });
  let bytes = 0;
  try {
    for await (const piece of decoded) {
      const chunk = piece as Uint8Array;
      bytes += chunk.length;
      if (bytes > limits.bytes) fail('too large', url, `The answer is larger than ${limits.bytes.toLocaleString('en')} bytes.`);
      yield chunk;
    }
    if (!response.complete) fail('cut', url, `The connection ended after ${bytes.toLocaleString('en')} bytes, before the answer did.`);
  } catch (error) {
    throw asFault(error, url, signal);
  } finally {
    idle.stop();
    signal.removeEventListener('abort', onAbort);
    response.destroy();
  }
}

/** Ends an answer that stands still, or only drips. */
function idleWatch(response: IncomingMessage, url: string, limits: DownloadLimits): { stop(): void } {
  const began = Date.now();
  let last = began;
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
    last = Date.now();
  });
  const timer = setInterval(() => {
    const now = Date.now();
    const drips = now - began > limits.slow.after && bytes / ((now - began) / 1000) < limits.slow.bytesPerSecond;
    const stands = now - last > limits.idle;
    if (!stands && !drips) return;
    response.destroy(new DownloadError({ fault: 'too slow', url, status: 200, says: stands ? `The server sent nothing for ${limits.idle / 1000} seconds: it was given up.` : `The server sends fewer than ${limits.slow.bytesPerSecond} bytes in a second: it was given up.` }));
  }, Math.min(250, limits.idle));
  return { stop: () => clearInterval(timer) };
}

function decodedStream(response: IncomingMessage, url: string): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const decoder = encoding === 'gzip' || encoding === 'x-gzip' ? createGunzip() : encoding === 'deflate' ? createInflate() : encoding === 'br' ? createBrotliDecompress() : encoding === 'zstd' ? createZstdDecompress() : fail('encoding', url, `The answer is packed as ${encoding}, which is not known here.`);
  response.on('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

function saidByStatus(status: number, url: string): DownloadFault {
  const { host } = new URL(url);
  const told = (fault: DownloadFault['fault'], says: string): DownloadFault => ({ fault, says: `${status}: ${says}`, url, status });
  if (status === 404) return told('not found', 'the share was removed or never existed.');
  if (status === 410) return told('gone', 'the share was removed.');
  if (status === 401 || status === 403) return told('forbidden', `${host} does not give it to everybody: the share is private.`);
  if (status === 429) return told('refused', `${host} has had too many requests. Try again later.`);
  if (status >= 500) return told('server fault', `${host} has a fault of its own. Try again later.`);
  return told('status', `${host} did not give the session.`);
}

/** The one sentence for what went wrong on the way. */
function asFault(error: unknown, url: string, signal: AbortSignal): DownloadError {
  if (error instanceof DownloadError) return error;
  const { host, hostname } = new URL(url);
  const told = (fault: DownloadFault['fault'], says: string) => new DownloadError({ fault, says, url, status: null });
  if (signal.aborted) return (signal.reason as Error | undefined)?.name === 'TimeoutError' ? told('too slow', 'It took too long and was given up.') : told('cancelled', 'Cancelled.');
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'EAI_AGAIN' || code === 'ENETUNREACH' || code === 'ENETDOWN' || code === 'EHOSTUNREACH') return told('offline', 'This machine is offline, or cannot reach the network.');
  if (code === 'ENOTFOUND') return told('no host', `There is no server named ${hostname}, or this machine is offline.`);
  if (code === 'ECONNREFUSED') return told('refused', `${host} refuses the connection: no server runs there.`);
  if (code === 'ECONNRESET' || code === 'EPIPE' || message === 'aborted') return told('cut', `${host} ended the connection before the answer was whole.`);
  if (code.startsWith('ERR_TLS') || code.startsWith('CERT_') || /certificate|SELF_SIGNED/i.test(code + message)) return told('certificate', `The certificate of ${host} is not trusted (${code || message}).`);
  if (code.startsWith('Z_') || code.startsWith('ERR_ZSTD') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR')) return told('encoding', 'The packed answer is damaged.');
  return told('refused', `${host} could not be asked (${code || message}).`);
}
