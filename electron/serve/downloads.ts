import { createReadStream, renameSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** As the engine names exports that wait: nothing else can be asked for. */
const named = /^\/download\/([0-9a-f]{32})$/;

/** Hands out an export once, to be saved and never to be shown: it then goes. */
export async function sendDownload(request: IncomingMessage, response: ServerResponse, folder: string, url: URL): Promise<void> {
  const id = named.exec(url.pathname)?.[1];
  const path = id === undefined ? null : join(folder, id);
  const stat = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || !stat?.isFile()) return void response.writeHead(404).end('There is no such file.\n');
  const name = encodeURIComponent(url.searchParams.get('name') ?? 'export').replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': stat.size, 'Content-Disposition': `attachment; filename*=UTF-8''${name}` });
  if (request.method === 'HEAD') return void response.end();
  // Taken under another name before the first byte: nobody gets it a second time.
  const taken = `${path}.taken`;
  renameSync(path, taken);
  try {
    await pipeline(createReadStream(taken), response);
  } finally {
    rmSync(taken, { force: true });
  }
}
