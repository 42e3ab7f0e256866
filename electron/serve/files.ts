import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pageFile } from '@shared/page-file';

/** Answers with a file of the page from `folder`; 404 for anything that is none. */
export async function sendFile(response: ServerResponse, folder: string, pathname: string): Promise<void> {
  const file = pageFile(pathname);
  const body = file && (await readFile(join(folder, ...file.segments)).catch(() => null));
  if (!file || !body) return void response.writeHead(404).end('There is no such file.\n');
  // For HEAD Node leaves the body out by itself.
  response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': body.byteLength }).end(body);
}
