import { type Engine, openLink } from '@shared/link';
import type { EngineEvents } from '@shared/contract';
import { ManualPort } from '@shared/port';
import type { Hub } from '../engine/hub/hub';

/** The engine as the command line talks to it: in this process, or in the one that has the library. */
export interface Connection {
  engine: Engine;
  /** True when this process has the library itself; known once a call was answered. */
  isOwner(): boolean;
  /** Why there is no engine, when the link was lost for that reason. */
  refusal(): Error | null;
  close(): Promise<void>;
}

/** How often a call is asked anew because the process that had the library ended. Each time another one takes it over. */
const tries = 20;

interface Link {
  engine: Engine;
  far: ManualPort;
  lost: boolean;
}

/**
 * Connects with whoever has the library. Should that process end, its guests come again, and one of them takes the
 * library over; a call that was cut off is asked once more, which is sound since calls only ask. The one that writes is
 * not: the journal knows what became of it.
 */
export function connectTo(hub: Hub): Connection {
  let refusal: Error | null = null;
  let closed = false;
  let current: Link | null = null;
  const listeners: ((engine: Engine) => void)[] = [];

  const open = (): Link => {
    // The two ends of one wire. What is sent arrives after the sender's turn, as with a real one.
    const far: ManualPort = new ManualPort((data) => queueMicrotask(() => near.deliver(data)), () => near.closed());
    const near: ManualPort = new ManualPort((data) => queueMicrotask(() => far.deliver(data)));
    const link: Link = { engine: openLink(near), far, lost: false };
    link.engine.onClose(() => (link.lost = true));
    for (const listen of listeners) listen(link.engine);
    hub.attach(far, (reason) => (refusal = reason instanceof Error ? reason : new Error(String(reason))));
    return link;
  };
  const live = (): Link => (current = current && !current.lost ? current : open());

  const engine: Engine = {
    async call(method, params, options) {
      for (let attempt = 1; ; attempt++) {
        const link = live();
        try {
          return await link.engine.call(method, params, options);
        } catch (error) {
          if (!link.lost || closed || refusal !== null || attempt === tries || options?.signal?.aborted || method === 'plan.apply') throw error;
        }
      }
    },
    on<E extends keyof EngineEvents>(name: E, listener: (payload: EngineEvents[E]) => void) {
      let stop = (): void => undefined;
      const listen = (to: Engine) => (stop = to.on(name, listener));
      listeners.push(listen);
      if (current && !current.lost) listen(current.engine);
      return () => {
        listeners.splice(listeners.indexOf(listen), 1);
        stop();
      };
    },
    onClose: (listener) => live().engine.onClose(listener),
  };
  live();
  return {
    engine,
    isOwner: () => hub.isOwner,
    refusal: () => refusal,
    async close() {
      closed = true;
      current?.far.closed();
      await hub.close();
    },
  };
}
