import { type Engine, openLink } from '@shared/link';
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

export function connectTo(hub: Hub): Connection {
  let refusal: Error | null = null;
  // The two ends of one wire. What is sent arrives after the sender's turn, as with a real one.
  const far: ManualPort = new ManualPort((data) => queueMicrotask(() => near.deliver(data)), () => near.closed());
  const near: ManualPort = new ManualPort((data) => queueMicrotask(() => far.deliver(data)));
  const engine = openLink(near);
  hub.attach(far, (reason) => (refusal = reason instanceof Error ? reason : new Error(String(reason))));
  return {
    engine,
    isOwner: () => hub.isOwner,
    refusal: () => refusal,
    async close() {
      far.closed();
      await hub.close();
    },
  };
}
