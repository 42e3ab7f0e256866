import { isMainThread, type MessagePort as NodePort, parentPort as workerParent } from 'node:worker_threads';
import { ManualPort, type Port } from '@shared/port';

/** Electron's port: an event emitter rather than an event target; its messages come wrapped in an event. */
interface ElectronPort {
  on(type: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(type: 'close', listener: () => void): unknown;
  postMessage(data: unknown): void;
  start(): void;
}
interface ElectronParent {
  on(type: 'message', listener: (event: { data: unknown; ports: ElectronPort[] }) => void): void;
}

/** To a worker thread: a client's port, or that the server is about to end. */
export type WorkerMessage = { port: NodePort } | { end: true };
/** To and from a plain Node child, which has one channel for all clients. */
export interface ChildMessage {
  client: number;
  data?: unknown;
  close?: boolean;
}

/**
 * Connects the engine with whatever started it: an Electron utility process (the desktop window), a worker thread
 * (`serve`) or a plain Node child (an Electron too old to load the database). `attach` is called once for each client.
 * When the starter ends, this process or thread exits in order, so that `exit` listeners run.
 */
export function hostEngine(attach: (port: Port) => void): void {
  // Only in an Electron utility process, though Electron's types declare it everywhere.
  const parentPort: ElectronParent | undefined = process.parentPort;
  if (parentPort) inUtilityProcess(parentPort, attach);
  else if (!isMainThread && workerParent) inWorker(workerParent, attach);
  else if (process.send) inChild(attach);
  else throw new Error('The engine was started by itself: it needs a window, a server or a command that talks to it.');
}

/** A port comes first and its messages after it, so it is started when the listeners of `attach` are in place. */
function inUtilityProcess(parent: ElectronParent, attach: (port: Port) => void): void {
  process.once('SIGTERM', () => process.exit(0));
  parent.on('message', ({ ports }) => {
    for (const port of ports) {
      const manual = new ManualPort((data) => port.postMessage(data));
      port.on('message', (event) => manual.deliver(event.data));
      port.on('close', () => manual.closed());
      attach(manual);
      port.start();
    }
  });
}

function inWorker(parent: NodePort, attach: (port: Port) => void): void {
  parent.on('message', (message: WorkerMessage) => {
    // In a worker this ends the thread only.
    if ('end' in message) process.exit(0);
    const { port } = message;
    const manual = new ManualPort((data) => port.postMessage(data));
    port.on('message', (data) => manual.deliver(data));
    port.on('close', () => manual.closed());
    attach(manual);
  });
}

function inChild(attach: (port: Port) => void): void {
  const clients = new Map<number, ManualPort>();
  // Ctrl-C in a terminal reaches the whole group: who started the engine decides when it ends.
  process.on('SIGINT', () => {});
  process.once('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
  process.on('message', ({ client, data, close }: ChildMessage) => {
    let port = clients.get(client);
    if (close) {
      clients.delete(client);
      port?.closed();
      return;
    }
    if (!port) {
      port = new ManualPort((out) => void (process.connected && process.send?.({ client, data: out } satisfies ChildMessage)));
      clients.set(client, port);
      attach(port);
    }
    port.deliver(data);
  });
}
