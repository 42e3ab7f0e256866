import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { MessageChannelMain, type MessagePortMain, utilityProcess } from 'electron';
import { Restarts } from '@shared/restarts';
import { report } from './uncaught';

const entry = join(import.meta.dirname, 'engine.js');
const databaseNeeds = 10;

/**
 * A Node to run the engine in, where this Electron is too old for it: better-sqlite3 13 is built for Node-API 10
 * (Electron 35 and later) and crashes an older runtime. The tests set the variable; the product's Electron never needs it.
 */
function nodeForEngine(): string | undefined {
  return Number(process.versions.napi) >= databaseNeeds ? undefined : process.env.RETRACE_ENGINE_NODE;
}

/** An engine that runs, whatever runs it. */
interface Host {
  /** Gives the engine's end of a client's channel to the engine. */
  connect(port: MessagePortMain): void;
  end(): void;
}

/** Keeps one engine running. A crashed one is started again; its clients see their port close and ask for a new one. */
export class EngineProcess {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #restarts = new Restarts();
  #host: Host | undefined;
  #waiting: MessagePortMain[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: Record<string, string>) {
    // glibc keeps an arena a thread and what was freed in it; with two the engine holds 90 MB less.
    this.#environment = { MALLOC_ARENA_MAX: '2', ...process.env, ...options };
  }

  start(): void {
    const node = nodeForEngine();
    const exited = (how: string) => this.#exited(how);
    this.#host = node ? nodeChild(node, this.#environment, exited) : utility(this.#environment, exited);
    for (const port of this.#waiting.splice(0)) this.#host.connect(port);
  }

  /** A fresh port wired to the engine, to hand to a page. While no engine runs its messages wait for the next one. */
  connect(): MessagePortMain {
    const { port1, port2 } = new MessageChannelMain();
    if (this.#host) this.#host.connect(port2);
    else this.#waiting.push(port2);
    return port1;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#host?.end();
  }

  #exited(how: string): void {
    this.#host = undefined;
    if (this.#ended) return;
    const delay = this.#restarts.next(Date.now());
    report(`the engine ended (${how}); it starts again in ${(delay / 1000).toFixed(1)} s`);
    if (Number(process.versions.napi) < databaseNeeds && !process.env.RETRACE_ENGINE_NODE) {
      report(`this Electron has Node-API ${process.versions.napi} and cannot load the database: set RETRACE_ENGINE_NODE to a Node 22.15 or newer`);
    }
    this.#timer = setTimeout(() => this.start(), delay);
  }
}

function utility(env: NodeJS.ProcessEnv, exited: (how: string) => void): Host {
  const child = utilityProcess.fork(entry, [], { serviceName: 'Retrace engine', env });
  child.on('exit', (code) => exited(`code ${code}`));
  return {
    connect: (port) => child.postMessage({ type: 'connect' }, [port]),
    end: () => child.kill(),
  };
}

/** One channel for all clients, told apart by number (see `hostEngine`). */
function nodeChild(execPath: string, env: NodeJS.ProcessEnv, exited: (how: string) => void): Host {
  const child: ChildProcess = fork(entry, [], { execPath, execArgv: [], serialization: 'json', env });
  const clients = new Map<number, MessagePortMain>();
  let last = 0;
  const send = (message: object) => {
    if (child.connected) child.send(message, () => {});
  };
  child.on('message', (message: { client: number; data: unknown }) => clients.get(message.client)?.postMessage(message.data));
  child.on('error', (error) => report('the engine could not be reached', error));
  child.once('close', (code, signal) => {
    for (const port of clients.values()) port.close();
    clients.clear();
    exited(signal ?? `code ${code}`);
  });
  return {
    connect(port) {
      const client = ++last;
      clients.set(client, port);
      port.on('message', ({ data }) => send({ client, data }));
      port.on('close', () => clients.delete(client) && send({ client, close: true }));
      port.start();
    },
    end() {
      if (child.connected) child.disconnect();
      else child.kill();
    },
  };
}
