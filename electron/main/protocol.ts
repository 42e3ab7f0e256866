import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { protocol } from 'electron';
import { pageHeaders } from '@shared/csp';
import { pageFile } from '@shared/page-file';

/** Host of the page's addresses, `app://retrace/…`. */
const host = 'retrace';
const folder = join(import.meta.dirname, '../renderer');

/** Must run before Electron is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } }]);
}

/** Answers `app://retrace/…` with files of the page and nothing else. */
export function servePage(): void {
  protocol.handle('app', answer);
}

async function answer(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (request.method !== 'GET' && request.method !== 'HEAD') return new Response(null, { status: 405, headers: pageHeaders });
  const file = url.host === host ? pageFile(url.pathname) : null;
  const body = file && (await readFile(join(folder, ...file.segments)).catch(() => null));
  if (!file || !body) return new Response(null, { status: 404, headers: pageHeaders });
  return new Response(new Uint8Array(body), { headers: { ...pageHeaders, 'Content-Type': file.type } });
}
