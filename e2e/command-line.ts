import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../electron/cli/run';
import { startEngine } from '../electron/engine/engine';
import { Hub } from '../electron/engine/hub/hub';
import { boundsOf } from '../electron/engine/indexing/environment';
import { Indexer } from '../electron/engine/indexing/indexer';
import type { IndexingEvents } from '../electron/engine/indexing/indexing';
import type { EngineOptions } from '../electron/engine/options';
import { readStores, stores } from '../electron/engine/stores';

export interface Place {
  home: string;
  library: string;
}

/** The hub of a library whose indexer, when it runs here, runs in this thread. */
export function libraryHub({ home, library: file }: Place, options: EngineOptions = {}): Hub {
  const index = (events: IndexingEvents) => new Indexer({ file, options, home, watch: false }, readStores, events);
  return new Hub(file, (emit) => startEngine({ file, home, stores, idle: true, bounds: boundsOf(options), index: options.noIndex ? null : index }, emit));
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command line in this process, on a home and a library of the test's own. */
export function retrace(place: Place, ...args: string[]): Promise<CommandResult> {
  return piped('', place, ...args);
}

/** The same with something on standard input. */
export async function piped(input: string | Buffer, place: Place, ...args: string[]): Promise<CommandResult> {
  const stdout = collector();
  const stderr = collector();
  const result = await runCommandLine([...args, '--home', place.home, '--library', place.library], {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    folder: place.home,
    home: join(place.home, 'not-asked-for'),
    variables: {},
    openHub: (options) => libraryHub(place, options),
    onInterrupt: () => () => undefined,
  });
  if (typeof result !== 'number') throw new Error('serve is not started in a test of the command line');
  return { code: result, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
