import type { Page } from '@playwright/test';
import type { Answers, Method, Params } from '@shared/contract';

/**
 * Asks the engine over a link of the test's own, beside the page's, by the bytes that `shared/link.ts` puts on it. So a
 * test of the frame depends on no view of the page. To be used when the page has its link.
 */
export async function engineAnswer<M extends Method>(page: Page, method: M, params: Params<M>): Promise<Answers[M]> {
  const reply = await page.evaluate(
    ([name, given]) =>
      new Promise<{ ok: boolean; value?: unknown; message?: string }>((done, failed) => {
        const request = { m: 'run', a: [1, name, given], i: 'test', t: 'q' };
        const take = (data: { t: string; r: never }) => data.t === 's' && done(data.r);
        setTimeout(() => failed(new Error('no answer')), 10_000);
        if (!window.retrace) {
          const socket = new WebSocket(`ws://${location.host}/link`);
          socket.onopen = () => socket.send(JSON.stringify(request));
          socket.onmessage = (event: MessageEvent<string>) => take(JSON.parse(event.data));
          return;
        }
        window.addEventListener('message', function listen({ data, ports: [port] }) {
          if (data !== 'retrace:port' || !port) return;
          window.removeEventListener('message', listen);
          port.onmessage = (event) => take(event.data);
          port.postMessage(request);
        });
        window.retrace.connect();
      }),
    [method, params] as const,
  );
  if (!reply.ok) throw new Error(reply.message);
  return reply.value as Answers[M];
}
