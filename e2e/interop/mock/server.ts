import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Fields, fieldsOf } from './fields';
import { answerTo, type Conversation, type Rule, type Step } from './script';

/** One of the protocols that models are spoken to with. */
export interface Protocol {
  /** End of the path that turns are posted to. */
  path: string;
  read(body: Fields): Conversation;
  reply(step: Step, body: Fields, response: ServerResponse, number: number): void;
  /** What else is asked: lists of models, counts. */
  other?(path: string, body: Fields): object | null;
}

/** A model that answers by a script and keeps what it was sent. Listens on 127.0.0.1 only. */
export class MockModel {
  readonly requests: Conversation[] = [];
  /** Requests that no protocol knows: a program wants something this stand-in does not have. */
  readonly unknown: string[] = [];
  rules: Rule[] = [];
  #count = 0;

  private constructor(
    readonly protocol: Protocol,
    readonly server: Server,
  ) {}

  static async start(protocol: Protocol, rules: Rule[]): Promise<MockModel> {
    const server = createServer((request, response) => void model.#answer(request, response));
    const model = new MockModel(protocol, server);
    model.rules = rules;
    await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
    return model;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Turns that were sent while something was done. */
  async turnsDuring(work: () => Promise<unknown>): Promise<Conversation[]> {
    const before = this.requests.length;
    await work();
    return this.requests.slice(before).filter(({ purpose }) => purpose === 'turn');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = await bodyOf(request);
    if (request.method === 'POST' && path.endsWith(this.protocol.path)) {
      const conversation = this.protocol.read(body);
      this.requests.push(conversation);
      this.protocol.reply(answerTo(this.rules, conversation), body, response, ++this.#count);
      return;
    }
    const other = this.protocol.other?.(path, body) ?? null;
    if (other === null && request.method !== 'HEAD') this.unknown.push(`${request.method} ${path}`);
    response.writeHead(other === null && request.method !== 'HEAD' ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(other ?? {}));
  }
}

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'];
  const plain = encoding === 'zstd' ? zstdDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
  try {
    return fieldsOf(JSON.parse(plain.toString('utf8')));
  } catch {
    return {};
  }
}

/** Server-sent events, as all three protocols stream. */
export function startEvents(response: ServerResponse): (event: string | null, data: object | '[DONE]') => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (event, data) => void response.write(`${event === null ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}
