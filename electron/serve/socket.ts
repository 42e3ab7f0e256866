import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';

/** Bytes of one message from a page; a page sends calls, which are small. A longer one closes its socket (1009). */
const longestMessage = 8 * 1024 * 1024;
/** ms between questions whether a browser is still there; a tunnel that broke says nothing by itself. */
const heartbeat = 30_000;

/** Joins the WebSockets of pages with ports to the engine. */
export interface Sockets {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  end(): void;
}

export function createSockets(connect: () => MessagePort): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: longestMessage });
  return {
    accept: (request, socket, head) => server.handleUpgrade(request, socket, head, (page) => join(page, connect())),
    end() {
      for (const page of server.clients) page.terminate();
      server.close();
    },
  };
}

/** Whichever of the two ends first takes the other with it. */
function join(page: WebSocket, port: MessagePort): void {
  let answered = true;
  const timer = setInterval(() => {
    if (!answered) return page.terminate();
    answered = false;
    page.ping();
  }, heartbeat);
  page.on('pong', () => (answered = true));
  page.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : parsed(data);
    if (message === undefined) page.close(1007, 'not JSON');
    else port.postMessage(message);
  });
  page.on('close', () => {
    clearInterval(timer);
    port.close();
  });
  // A broken connection also closes, which is all that has to be known.
  page.on('error', () => {});
  port.on('message', (data) => page.send(JSON.stringify(data)));
  port.on('close', () => page.close(1012, 'the engine ended'));
}

function parsed(data: RawData): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
