import { homedir } from 'node:os';
import { join } from 'node:path';
import { ForeignPlaceError } from '../engine/library/ownership';
import { libraryFile } from '../engine/library/place';
import { refusePlaces } from '../engine/open-hub';
import { downloadsFolder } from '../engine/share/downloads';
import { type EngineOptions, encodeOptions, optionsVariable, parseServeOptions } from '../engine/options';
import { startServer } from './server';

/** ms between two requests to end that make the second one mean it. */
const impatience = 500;

const parsed = parseServeOptions(process.argv.slice(2), process.cwd());
if ('help' in parsed) {
  process.stdout.write(`${parsed.help}\n`);
} else if ('problem' in parsed) {
  process.stderr.write(`${parsed.problem}\n`);
  process.exitCode = 2;
} else {
  const { port, ...engine } = parsed.options;
  process.env[optionsVariable] = encodeOptions(engine);
  await serve(port, engine);
}

/** Serves until the process is asked to end. */
async function serve(port: number, engine: EngineOptions): Promise<void> {
  try {
    refusePlaces(engine, homedir());
    const server = await startServer({ port, page: join(import.meta.dirname, '../renderer'), engine: join(import.meta.dirname, 'engine.js'), downloads: downloadsFolder(libraryFile(engine, homedir(), process.platform, process.env)) });
    let asked = 0;
    const end = () => {
      // Whoever asks again does not want to wait. One Ctrl-C may come twice: from the terminal and from npm.
      if (asked > 0 && Date.now() - asked > impatience) process.exit(130);
      if (asked === 0) void server.end().then(() => process.exit(0));
      asked ||= Date.now();
    };
    // Under `retrace serve` the command line listened until now.
    process.removeAllListeners('SIGINT').on('SIGINT', end);
    process.on('SIGTERM', end);
    process.stdout.write(`Retrace is at ${server.url}\n`);
  } catch (error) {
    process.stderr.write(`${whyNot(error, port)}\n`);
    process.exitCode = 1;
  }
}

function whyNot(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program: choose one with --port, or leave it out to get a free one.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this user: choose one above 1023.`;
  if (error instanceof ForeignPlaceError) return error.message;
  return `Retrace could not be served: ${error instanceof Error ? error.message : String(error)}`;
}
