import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServedLink, serveLink } from '@shared/link';
import { ManualPort, type Port } from '@shared/port';
import type { Emit, RunningEngine } from '../engine';
import { refuseForeignFile } from '../library/ownership';
import { LibraryLock } from './lock';
import { portOver } from './lines';

/** Milliseconds in which an engine that holds the library must answer on its socket. */
const patience = 5_000;
/** Bytes of a path that a socket can have; a longer one gets a short name in the temporary folder. */
const socketPath = 100;

/**
 * One engine at a time has a library. The hub starts it when nobody has it, and lets other processes in through a
 * socket only this user can open; when another process has it, calls are handed on to that one. Should that one end,
 * its clients are closed and come again, and then this hub takes the library over.
 */
export class Hub {
  readonly #lock: LibraryLock;
  #engine: RunningEngine | null = null;
  #server: Server | null = null;
  #guests = new Set<Socket>();
  #links = new Set<ServedLink>();

  constructor(
    readonly file: string,
    readonly start: (emit: Emit) => RunningEngine,
    /** Throws where the library may not be, before anything is made there. */
    readonly refuse: () => void = () => refuseForeignFile(file),
  ) {
    this.#lock = new LibraryLock(`${file}.lock`);
  }

  /** True when this process has the library itself. */
  get isOwner(): boolean {
    return this.#engine !== null;
  }

  /** Connects a client with the engine, wherever it runs. What the client sends before is kept. `refused` is told why there is none. */
  attach(port: Port, refused: (reason: unknown) => void = console.error): void {
    const early: unknown[] = [];
    let deliver = (data: unknown): void => void early.push(data);
    let closed = false;
    let leave = (): void => undefined;
    port.addEventListener('message', (event) => deliver(event.data));
    port.addEventListener('close', () => {
      closed = true;
      leave();
    });
    this.#connect().then(
      (socket) => {
        if (closed) return void socket?.destroy();
        const near = new ManualPort((data) => port.postMessage(data), () => port.close?.());
        deliver = socket ? handOn(socket, near) : (data) => near.deliver(data);
        leave = socket ? () => socket.destroy() : () => near.closed();
        if (!socket) this.#serve(near);
        for (const data of early) deliver(data);
      },
      (error: unknown) => {
        refused(error);
        port.close?.();
      },
    );
  }

  #serve(port: Port): void {
    const engine = this.#engine;
    if (!engine) throw new Error('The engine is not here.');
    const link: ServedLink = serveLink(port, engine.methods, () => this.#links.delete(link));
    this.#links.add(link);
  }

  /** Null when this process has the library (now, if nobody had it); else a socket to the one that has. */
  async #connect(): Promise<Socket | null> {
    if (!this.#engine) this.refuse();
    for (const end = Date.now() + patience; ; ) {
      if (this.#engine || this.#lock.take()) {
        await (this.#starting ??= this.#begin());
        return null;
      }
      const socket = await openSocket(this.address);
      if (socket) return socket;
      if (Date.now() > end) throw new Error(`Another Retrace has ${this.file} and does not answer.`);
      await delay(50);
    }
  }

  #starting: Promise<void> | null = null;

  async #begin(): Promise<void> {
    this.#engine = this.start((name, payload) => {
      for (const link of this.#links) link.emit(name, payload);
    });
    // Whoever left a socket here is gone: this process holds the lock.
    if (process.platform !== 'win32') rmSync(this.address, { force: true });
    const server = createServer((socket) => {
      this.#guests.add(socket);
      socket.on('close', () => this.#guests.delete(socket));
      this.#serve(portOver(socket));
    });
    this.#server = server;
    await new Promise<void>((done, fail) => server.once('error', fail).listen(this.address, done));
    if (process.platform !== 'win32') chmodSync(this.address, 0o600);
  }

  /** Where the engine of this library listens: a socket beside it, or a named pipe on Windows. */
  get address(): string {
    const name = createHash('sha256').update(this.file).digest('hex').slice(0, 20);
    if (process.platform === 'win32') return `\\\\.\\pipe\\retrace-${userInfo().username}-${name}`;
    const beside = `${this.file}.sock`;
    if (Buffer.byteLength(beside) <= socketPath) return beside;
    const folder = join(tmpdir(), `retrace-${userInfo().uid}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, `${name}.sock`);
  }

  async close(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    for (const guest of this.#guests) guest.destroy();
    await new Promise<void>((done) => (this.#server ? this.#server.close(() => done()) : done()));
    await this.#engine?.close();
    this.#engine = null;
    this.#lock.release();
  }
}

/** Ties a client to the engine of another process; returns what sends to it. */
function handOn(socket: Socket, near: ManualPort): (data: unknown) => void {
  const remote = portOver(socket);
  remote.addEventListener('message', (event) => near.postMessage(event.data));
  remote.addEventListener('close', () => near.close());
  return (data) => remote.postMessage(data);
}

function openSocket(address: string): Promise<Socket | null> {
  return new Promise((done) => {
    const socket = connect(address);
    socket.once('connect', () => done(socket));
    socket.once('error', () => done(null));
  });
}
