import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { z } from 'zod';

/** What the engine is told when it starts, whoever starts it. Paths are absolute. */
const engineOptions = z.object({
  /** Another home: only what lies in it is read. */
  home: z.string().optional(),
  /** The library file, where it is not at its usual place. */
  library: z.string().optional(),
  /** Further folders to look for histories in; the library remembers them. */
  add: z.array(z.string()).optional(),
  /** `FROM=TO`: recorded paths under FROM are looked for under TO. */
  map: z.array(z.string()).optional(),
  /** The library is taken as it is. */
  noIndex: z.boolean().optional(),
});
export type EngineOptions = z.infer<typeof engineOptions>;

/** Options of `serve` beside the engine's. */
export interface ServeOptions {
  /** 0 takes any free port. */
  port: number;
}

/** The environment variable that carries the options to the engine's process. */
export const optionsVariable = 'RETRACE_OPTIONS';

export function encodeOptions(options: EngineOptions): string {
  return JSON.stringify(options);
}

/** The engine's own options; none when the variable is not set. A value that is not ours is our own fault and throws. */
export function decodeOptions(environment: Record<string, string | undefined>): EngineOptions {
  const value = environment[optionsVariable];
  return value ? engineOptions.parse(JSON.parse(value)) : {};
}

/** Adds the options that every way to start Retrace has in common. Relative paths are taken from `folder`. */
export function addEngineOptions(command: Command, folder: string): Command {
  const path = (value: string) => resolve(folder, nonEmpty(value));
  return command
    .option('--home <dir>', 'read this home instead of yours, and nothing outside it', path)
    .option('--library <file>', "keep Retrace's own data in this file", path)
    .option('--add <dir>', 'also look here for histories (can be repeated)', (value, before: string[] = []) => [...before, path(value)])
    .option('--map <from=to>', 'look for recorded paths under FROM under TO (can be repeated)', (value, before: string[] = []) => [
      ...before,
      mapping(value),
    ])
    .option('--no-index', 'take the library as it is');
}

/** What `addEngineOptions` found on the command line. */
export function engineOptionsOf(command: Command): EngineOptions {
  const { home, library, add, map, index } = command.optsWithGlobals<{ home?: string; library?: string; add?: string[]; map?: string[]; index?: boolean }>();
  return {
    ...(home !== undefined && { home }),
    ...(library !== undefined && { library }),
    ...(add !== undefined && { add }),
    ...(map !== undefined && { map }),
    ...(index === false && { noIndex: true }),
  };
}

export type Parsed<Options> = { options: Options } | { problem: string } | { help: string };

/**
 * Options of the desktop window. Electron and Chromium have options of their own, which are passed over; so are the
 * app's folder and links, which stand among the arguments.
 */
export function parseWindowOptions(args: readonly string[], folder: string): Parsed<EngineOptions> {
  const command = addEngineOptions(new Command('retrace'), folder).allowUnknownOption().allowExcessArguments().helpOption(false);
  return parsed(command, args, () => engineOptionsOf(command));
}

/** Options of `serve`. `--web` says what `serve` does anyway: it may stay when one script hands its arguments to another. */
export function parseServeOptions(args: readonly string[], folder: string): Parsed<EngineOptions & ServeOptions> {
  const command = addEngineOptions(new Command('serve'), folder)
    .description('Serves the page of Retrace on this machine and prints its address.')
    .option('--port <number>', 'listen on this port (default: any free one)', portNumber, 0)
    .option('--web', 'serve the page even where a window could be opened');
  return parsed(command, args, () => ({ ...engineOptionsOf(command), port: command.opts<ServeOptions>().port }));
}

function parsed<Options>(command: Command, args: readonly string[], options: () => Options): Parsed<Options> {
  let out = '';
  command.exitOverride().configureOutput({ writeOut: (text) => (out += text), writeErr: () => {} });
  try {
    command.parse(args, { from: 'user' });
    return { options: options() };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { help: out.trimEnd() } : { problem: error.message.replace(/^error: /, '') };
  }
}

function nonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

function mapping(value: string): string {
  const at = value.indexOf('=');
  if (at < 1 || at === value.length - 1) throw new InvalidArgumentError('It is not FROM=TO.');
  return value;
}

function portNumber(value: string): number {
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535) throw new InvalidArgumentError('It is not a port from 0 to 65535.');
  return port;
}
