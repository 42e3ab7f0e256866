import { createBirpc } from 'birpc';
import { sayBadParameters } from './bad-parameters';
import { params as schemas, type Answers, type Call, type EngineEvents, type EngineMethods, type Method, type Params } from './contract';
import type { Port } from './port';

type Reply = { ok: true; value: unknown } | { ok: false; name: string; message: string };

interface EngineSide {
  run(id: number, method: string, params: unknown): Promise<Reply>;
  cancel(id: number): void;
}
interface ClientSide {
  event(name: keyof EngineEvents, payload: unknown): void;
}

const channel = (port: Port) => ({
  post: (data: unknown) => port.postMessage(data),
  on: (listener: (data: unknown) => void) => port.addEventListener('message', (event) => listener(event.data)),
  timeout: -1,
});

export interface ServedLink {
  emit<E extends keyof EngineEvents>(name: E, payload: EngineEvents[E]): void;
}

const isMethod = (name: string): name is Method => Object.hasOwn(schemas, name);

/** Engine side: checks and answers calls on a port; a closed port aborts what it asked for. */
export function serveLink(port: Port, methods: EngineMethods, closed: () => void): ServedLink {
  const running = new Map<number, AbortController>();
  const rpc = createBirpc<ClientSide, EngineSide>(
    {
      async run(id, method, given) {
        if (!isMethod(method)) return { ok: false, name: 'UnknownMethod', message: `There is no method ${JSON.stringify(method).slice(0, 100)}.` };
        const checked = schemas[method].safeParse(given);
        if (!checked.success) return { ok: false, name: 'BadParameters', message: sayBadParameters(method, checked.error.issues) };
        const abort = new AbortController();
        running.set(id, abort);
        try {
          const run = methods[method] as (params: unknown, call: Call) => unknown;
          return { ok: true, value: await run(checked.data, { signal: abort.signal }) };
        } catch (error) {
          const { name, message } = error instanceof Error ? error : new Error(String(error));
          return { ok: false, name, message };
        } finally {
          running.delete(id);
        }
      },
      cancel: (id) => running.get(id)?.abort(),
    },
    channel(port),
  );
  port.addEventListener('close', () => {
    for (const abort of running.values()) abort.abort();
    rpc.$close();
    closed();
  });
  return { emit: (name, payload) => void rpc.$callEvent('event', name, payload) };
}

export interface Engine {
  call<M extends Method>(method: M, params: Params<M>, options?: { signal?: AbortSignal }): Promise<Answers[M]>;
  on<E extends keyof EngineEvents>(name: E, listener: (payload: EngineEvents[E]) => void): () => void;
  /** Called once when the link is lost. */
  onClose(listener: () => void): void;
}

/** What a call ends with whose engine went away; it may have been done. */
export class LinkClosed extends Error {
  override name = 'LinkClosed';
}

/** Client side: one typed engine, whatever the port is made of. */
export function openLink(port: Port): Engine {
  const listeners = new Map<string, Set<(payload: never) => void>>();
  const rpc = createBirpc<EngineSide, ClientSide>(
    { event: (name, payload) => listeners.get(name)?.forEach((listener) => listener(payload as never)) },
    channel(port),
  );
  port.addEventListener('close', () => rpc.$close(new LinkClosed('The link to the engine closed.')));
  let last = 0;
  return {
    async call(method, params, { signal } = {}) {
      signal?.throwIfAborted();
      const id = ++last;
      const cancel = () => void rpc.$callEvent('cancel', id);
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        const reply = await rpc.$call('run', id, method, params);
        signal?.throwIfAborted();
        if (!reply.ok) throw Object.assign(new Error(reply.message), { name: reply.name });
        return reply.value as never;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener as never));
      return () => set.delete(listener as never);
    },
    onClose: (listener) => port.addEventListener('close', listener),
  };
}
