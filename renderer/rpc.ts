import { create } from 'zustand';
import type { Answers, EngineEvents, Method, Params } from '@shared/contract';
import { openLink, type Engine } from '@shared/link';
import { ManualPort, type Port } from '@shared/port';
import { shell } from './shell';

/** `connecting`: the first time. `lost`: it was open before, and is tried again. */
export type LinkState = 'connecting' | 'open' | 'lost';

interface Link {
  state: LinkState;
  engine: Engine | null;
  /** Grows with every link, so that a view can ask again for what a lost link took with it. */
  opened: number;
  /** It has been tried for so long that the engine is likely gone. */
  silent: boolean;
}

export const useLink = create<Link>(() => ({ state: 'connecting', engine: null, opened: 0, silent: false }));

/** Time without a link before that is told, ms. A shell starts its engine anew, which takes longer than to reach one that runs. */
const silence = shell ? 20_000 : 4_000;
let silenceTimer: ReturnType<typeof setTimeout> | undefined;

function awaitLink(): void {
  silenceTimer ??= setTimeout(() => useLink.setState({ silent: true }), silence);
}

function linkCame(): void {
  clearTimeout(silenceTimer);
  silenceTimer = undefined;
}

/** Waits between tries, ms; the last one repeats. */
const pauses = [250, 500, 1_000, 2_000, 5_000];
/** A port that was asked for and never came: the shell's engine may be starting. */
const portPatience = 15_000;

function portFromShell(connect: () => void): Promise<Port> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      window.removeEventListener('message', take);
    };
    const take = (event: MessageEvent) => {
      const port = event.ports[0];
      if (event.source !== window || event.data !== 'retrace:port' || !port) return;
      stop();
      resolve(fromMessagePort(port));
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error('The engine did not answer.'));
    }, portPatience);
    window.addEventListener('message', take);
    connect();
  });
}

/** The page's port type has no `close` event in its typings, though Chromium sends one. */
function fromMessagePort(native: MessagePort): Port {
  const port = new ManualPort((data) => native.postMessage(data));
  native.addEventListener('message', (event: MessageEvent) => port.deliver(event.data));
  native.addEventListener('close', () => port.closed());
  native.start();
  return port;
}

function portFromSocket(): Promise<Port> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/link`);
    const port = new ManualPort((data) => socket.send(JSON.stringify(data)));
    socket.onopen = () => resolve(port);
    socket.onerror = () => reject(new Error('The engine cannot be reached.'));
    socket.onmessage = (event: MessageEvent<string>) => port.deliver(JSON.parse(event.data));
    socket.onclose = () => {
      // Closed before it was open, and not always with an error: the next try must come.
      reject(new Error('The engine cannot be reached.'));
      port.closed();
    };
  });
}

/** Opens the one link of this page and keeps it open; called once. */
export async function keepLink(): Promise<void> {
  for (let failed = 0; ; ) {
    awaitLink();
    try {
      const port = await (shell ? portFromShell(shell.connect) : portFromSocket());
      await untilClosed(port);
      failed = 0;
    } catch {
      failed += 1;
    }
    if (useLink.getState().state === 'open') useLink.setState({ state: 'lost', engine: null });
    await new Promise((resume) => setTimeout(resume, pauses[Math.min(failed, pauses.length - 1)]));
  }
}

function untilClosed(port: Port): Promise<void> {
  return new Promise((closed) => {
    // Before the link's own listener, so that a call that fails with the link already finds it lost.
    port.addEventListener('close', () => {
      useLink.setState({ state: 'lost', engine: null });
      closed();
    });
    const engine = openLink(port);
    engine.on('index.progress', (payload) => tell('index.progress', payload));
    engine.on('share.progress', (payload) => tell('share.progress', payload));
    engine.on('library.changed', (payload) => tell('library.changed', payload));
    engine.on('plan.progress', (payload) => tell('plan.progress', payload));
    engine.on('journal.changed', (payload) => tell('journal.changed', payload));
    engine.on('library.compaction', (payload) => tell('library.compaction', payload));
    linkCame();
    useLink.setState(({ opened }) => ({ state: 'open', engine, opened: opened + 1, silent: false }));
  });
}

type Listeners = { [E in keyof EngineEvents]: Set<(payload: EngineEvents[E]) => void> };
const listeners: Listeners = { 'index.progress': new Set(), 'library.changed': new Set(), 'plan.progress': new Set(), 'journal.changed': new Set(), 'library.compaction': new Set(), 'share.progress': new Set() };

function tell<E extends keyof EngineEvents>(name: E, payload: EngineEvents[E]): void {
  for (const listener of listeners[name]) listener(payload);
}

/** Listens over every link there will be. */
export function onEngine<E extends keyof EngineEvents>(name: E, listener: (payload: EngineEvents[E]) => void): () => void {
  listeners[name].add(listener);
  return () => listeners[name].delete(listener);
}

/** Runs now if the link is open, and each time it opens again. */
export function onLinked(listener: () => void): () => void {
  if (useLink.getState().engine) listener();
  return useLink.subscribe((link, before) => {
    if (link.opened !== before.opened) listener();
  });
}

function linkedEngine(): Promise<Engine> {
  const { engine } = useLink.getState();
  if (engine) return Promise.resolve(engine);
  return new Promise((resolve) => {
    const stop = useLink.subscribe((link) => {
      if (!link.engine) return;
      stop();
      resolve(link.engine);
    });
  });
}

/** Asks the engine; waits for the link if there is none yet. */
export async function call<M extends Method>(method: M, params: Params<M>, options?: { signal?: AbortSignal }): Promise<Answers[M]> {
  const engine = await linkedEngine();
  return engine.call(method, params, options);
}

/** A call that ended because nobody wants its answer, or because the link went: nothing to tell the person. */
export function isAbandoned(error: unknown): boolean {
  return (error instanceof Error && error.name === 'AbortError') || useLink.getState().state !== 'open';
}

/** What went wrong, in words for the person. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
