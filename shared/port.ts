/** What both ends of a link look like, whatever carries the bytes. Structurally a DOM MessagePort. */
export interface Port {
  postMessage(data: unknown): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: () => void): void;
  /** Ends the link from this side, where that can be done. */
  close?(): void;
}

/** A port driven by hand: the owner feeds `deliver` and `closed`, the consumer sees a Port. */
export class ManualPort implements Port {
  #message = new Set<(event: { data: unknown }) => void>();
  #close = new Set<() => void>();
  constructor(
    readonly send: (data: unknown) => void,
    readonly end?: () => void,
  ) {}
  postMessage(data: unknown): void {
    this.send(data);
  }
  close(): void {
    this.end?.();
  }
  addEventListener(type: 'message' | 'close', listener: ((event: { data: unknown }) => void) | (() => void)): void {
    if (type === 'message') this.#message.add(listener as (event: { data: unknown }) => void);
    else this.#close.add(listener as () => void);
  }
  deliver(data: unknown): void {
    for (const listener of this.#message) listener({ data });
  }
  closed(): void {
    for (const listener of this.#close) listener();
  }
}
