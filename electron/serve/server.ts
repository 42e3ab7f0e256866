import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { pageHeaders } from '@shared/csp';
import { EngineThread } from './engine-thread';
import { sendDownload } from './downloads';
import { sendFile } from './files';
import { createSockets } from './socket';
import { cookieName, createToken, readCookie, setCookie } from './token';

/** Only this machine; another one comes through a tunnel (`ssh -L PORT:127.0.0.1:PORT`). */
const address = '127.0.0.1';

export interface ServerSettings {
  /** 0 takes any free one. */
  port: number;
  /** Folder of the built page. */
  page: string;
  /** The engine's bundle. */
  engine: string;
  /** Folder in which the engine puts exports that wait to be fetched. */
  downloads: string;
}

export interface Server {
  /** The link that opens the page. */
  url: string;
  end(): Promise<void>;
}

/** Serves the page, and the engine to the page, to whoever has the link. */
export async function startServer({ port, page, engine: entry, downloads }: ServerSettings): Promise<Server> {
  const token = createToken();
  const server = createServer();
  await new Promise<void>((listening, refused) => server.once('error', refused).listen(port, address, listening));
  const bound = portOf(server.address());
  const hosts = [`${address}:${bound}`, `localhost:${bound}`];
  const cookie = cookieName(bound);
  const engine = new EngineThread(entry);
  const sockets = createSockets(() => engine.connect());

  // A page of another site that resolves its own name to this machine sends that name as its host.
  const isOurHost = ({ headers }: IncomingMessage) => headers.host !== undefined && hosts.includes(headers.host);
  const isOurOrigin = ({ headers }: IncomingMessage) => hosts.some((host) => headers.origin === `http://${host}`);
  const hasCookie = ({ headers }: IncomingMessage) => token.matches(readCookie(headers.cookie, cookie));

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    if (!isOurHost(request)) return refuse(response, 421, 'This address is not served here.');
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response.setHeader('Allow', 'GET, HEAD'), 405, 'Only GET and HEAD are answered.');
    const target = `http://${address}${request.url ?? ''}`;
    if (!request.url?.startsWith('/') || !URL.canParse(target)) return refuse(response, 400, 'The address cannot be read.');
    const url = new URL(target);
    if (token.matches(url.searchParams.get('token'))) {
      // The token leaves the address bar, and with it the history and what is copied from there.
      return response.writeHead(303, { 'Set-Cookie': setCookie(cookie, token), Location: '/' }).end();
    }
    if (!hasCookie(request)) return refuse(response, 401, 'Open the link that Retrace printed when it was started.');
    if (url.pathname.startsWith('/download/')) return sendDownload(request, response, downloads, url);
    // What Node sees of the path is not normalised by `URL`: `..` is refused rather than resolved.
    return sendFile(response, page, request.url.split('?', 1)[0] ?? '/');
  };
  server.on('request', (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const allowed = isOurHost(request) && isOurOrigin(request) && hasCookie(request) && request.url === '/link';
    if (allowed) sockets.accept(request, socket, head);
    else socket.end(`HTTP/1.1 403 ${STATUS_CODES[403]}\r\nConnection: close\r\n\r\n`);
  });

  return {
    url: `http://${address}:${bound}/?token=${token.value}`,
    async end() {
      sockets.end();
      server.close();
      server.closeAllConnections();
      await engine.end();
    },
  };
}

async function refuse(response: ServerResponse, status: number, why: string): Promise<void> {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
}

function portOf(bound: AddressInfo | string | null): number {
  if (bound === null || typeof bound === 'string') throw new Error('A TCP server has an address with a port.');
  return bound.port;
}
