import { PerformError } from '../../store';
import { asObject, asText, parsed } from '../../foreign/fields';

/** Milliseconds a running server gets to say who it is: a first connection can hang. */
const healthPatience = 1_500;
/** Milliseconds for one request; forks of long sessions copy row by row. */
const patience = 120_000;

/** One of OpenCode's servers on this machine, spoken to over loopback only. */
export class OpenCodeServer {
  constructor(
    /** `http://127.0.0.1:PORT`. */
    readonly url: string,
    readonly password: string | null,
    readonly signal: AbortSignal,
  ) {}

  /** Asks in the name of a folder, as all calls of the first interface want it; null: the call knows no folder. Throws `PerformError`. */
  async ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, directory: string | null, body?: unknown): Promise<unknown> {
    const url = new URL(path, this.url);
    if (directory !== null) url.searchParams.set('directory', directory);
    const { status, text } = await this.#answer(method, url, body);
    if (status === 401) throw new PerformError(`OpenCode’s server at ${this.url} wants a password (OPENCODE_SERVER_PASSWORD), which Retrace does not know.`);
    const value = parsed(text);
    if (status >= 200 && status < 300) return value;
    const data = asObject(asObject(value)?.['data']);
    const said = asText(data?.['message']) ?? asText(asObject(value)?.['message']) ?? asText(asObject(value)?.['name']) ?? text.slice(0, 200);
    throw new PerformError(status === 409 ? 'OpenCode is at work on this session.' : `OpenCode’s server refused ${method} ${path} (${status}): ${said}`, method !== 'GET' && status >= 500);
  }

  async #answer(method: string, url: URL, body: unknown): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(url, {
        method, redirect: 'error', signal: AbortSignal.any([this.signal, AbortSignal.timeout(patience)]),
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...this.#authorization() }, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      throw new PerformError(`OpenCode’s server at ${this.url} did not answer ${method} ${url.pathname}: ${because}.`, method !== 'GET');
    }
  }

  #authorization(): Record<string, string> {
    return this.password === null ? {} : { authorization: `Basic ${Buffer.from(`opencode:${this.password}`).toString('base64')}` };
  }
}

/** Where a server of OpenCode listens when nobody said otherwise. There is no file that tells of one (FORMAT.md, "Writing"). */
export const usualAddress = 'http://127.0.0.1:4096';

/** Milliseconds until a server that says it listens must have answered once. */
const firstAnswer = 60_000;

/** Waits for the first answer of a server that was just started: its first connections were seen to hang for good. */
export async function answered({ url, password }: OpenCodeServer): Promise<void> {
  const headers: Record<string, string> = password === null ? {} : { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}` };
  for (const end = Date.now() + firstAnswer; Date.now() < end; ) {
    try {
      const response = await fetch(new URL('/global/health', url), { headers, redirect: 'error', signal: AbortSignal.timeout(healthPatience * 2) });
      await response.text();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  throw new PerformError('OpenCode started as a server and answered nothing.');
}

/** Who answers at an address: a version, a text that says why it cannot be used, or null for nobody. */
export async function healthAt(address: string): Promise<{ version: string } | string | null> {
  try {
    const response = await fetch(new URL('/global/health', address), { redirect: 'error', signal: AbortSignal.timeout(healthPatience) });
    const answer = asObject(parsed(await response.text()));
    if (response.status === 401) return `The server at ${address} wants a password (OPENCODE_SERVER_PASSWORD), which Retrace does not know.`;
    const version = asText(answer?.['version']);
    return answer?.['healthy'] === true && version !== null ? { version } : null;
  } catch {
    return null;
  }
}
