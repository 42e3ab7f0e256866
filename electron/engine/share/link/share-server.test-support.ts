import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A share server that behaves as it is told, on loopback. Counts what it was asked. */
export class ShareServer {
  readonly asked: string[] = [];
  readonly #answers = new Map<string, Answer>();

  private constructor(
    readonly server: Server,
    readonly base: string,
  ) {}

  static async start(): Promise<ShareServer> {
    const server = createServer((request, response) => {
      own.asked.push(request.url ?? '');
      const answer = own.#answers.get(request.url ?? '');
      if (answer) answer(request, response);
      else response.writeHead(404).end('no such share');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const own = new ShareServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return own;
  }

  on(path: string, answer: Answer): string {
    this.#answers.set(path, answer);
    return this.base + path;
  }

  /** A share that is as it should be; gives the link of its page. */
  shares(id: string, items: unknown): string {
    this.on(`/api/share/${id}/data`, (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(items)));
    return `${this.base}/share/${id}`;
  }

  status(path: string, status: number, headers: Record<string, string> = {}): string {
    return this.on(path, (_request, response) => response.writeHead(status, headers).end('said'));
  }

  /** One byte at a time. */
  drips(path: string, everyMs: number): string {
    return this.on(path, (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), everyMs);
      response.on('close', () => clearInterval(timer));
    });
  }

  /** `megabytes` of zeroes, packed small. */
  swells(path: string, megabytes: number): string {
    const packed = gzipSync(Buffer.alloc(megabytes * 1_000_000));
    return this.on(path, (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed));
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
