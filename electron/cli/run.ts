import { assertNever } from '@shared/model';
import { type CommandContext, Refusal } from './command-context';
import { context as contextCommand } from './commands/context';
import { compare } from './commands/compare';
import { diff } from './commands/diff';
import { doctor } from './commands/doctor';
import { exportSession } from './commands/export';
import { fork } from './commands/fork';
import { importSession } from './commands/import';
import { indexLibrary } from './commands/index-library';
import { library as libraryCommand } from './commands/library';
import { journal } from './commands/journal';
import { ls } from './commands/ls';
import { memory } from './commands/memory';
import { revert } from './commands/revert';
import { search } from './commands/search';
import { sessionAct } from './commands/session-act';
import { show } from './commands/show';
import { tree } from './commands/tree';
import { undo } from './commands/undo';
import { type Connection, connectTo } from './engine-connection';
import { Interrupted } from './interrupted';
import { bringUpToDate, withProgress } from './library-update';
import { Output, OutputClosed } from './output';
import { paintFor } from './paint';
import { plainLine, plainText } from './plain-text';
import { parseCommandLine } from './program';
import type { Request } from './request';
import type { ExitCode, Surroundings } from './surroundings';

type EngineRequest = Extract<Request, { run: unknown }>;

/** Does what a command line asks for and gives its exit code; `serve` is the caller's to start. */
export async function runCommandLine(args: readonly string[], surroundings: Surroundings): Promise<ExitCode | { serve: string[] }> {
  const request = parseCommandLine(args, surroundings.folder);
  if ('serve' in request) return request;
  const out = new Output(surroundings.stdout);
  const warn = (text: string) => void surroundings.stderr.write(`${text}\n`);
  try {
    if ('problem' in request) {
      warn(request.problem.trimEnd());
      return 2;
    }
    if ('help' in request) await out.write(request.help);
    const code = 'help' in request ? 0 : await withLibrary(request, surroundings, out, warn);
    await out.finish();
    return code;
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    warn(`stdout could not be written: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

/** Opens the library, brings it up to date unless told otherwise, and runs the command on it. */
async function withLibrary(request: EngineRequest, surroundings: Surroundings, out: Output, warn: (text: string) => void): Promise<ExitCode> {
  let connection: Connection | null = null;
  try {
    connection = connectTo(surroundings.openHub(request.engine));
    return await runOn(connection, request, surroundings, out, warn);
  } catch (error) {
    if (error instanceof OutputClosed) throw error;
    if (error instanceof Interrupted) {
      warn('Stopped.');
      return 130;
    }
    const { message } = connection?.refusal() ?? (error instanceof Error ? error : new Error(String(error)));
    const candidates = error instanceof Refusal ? error.candidates : [];
    warn([plainText(message), ...candidates.map(({ id, title }) => plainLine(`${id} ${title ?? ''}`)).map((line) => `  ${line}`)].join('\n'));
    if (request.json && out.isUntouched) await out.json({ error: message, candidates: candidates.map(({ id }) => id) });
    return 1;
  } finally {
    await connection?.close();
  }
}

async function runOn(connection: Connection, request: EngineRequest, surroundings: Surroundings, out: Output, warn: (text: string) => void): Promise<ExitCode> {
  const { engine } = connection;
  const { stdout } = surroundings;
  const isTerminal = stdout.isTTY === true;
  const context: CommandContext = {
    engine, stdin: surroundings.stdin, out, warn, json: request.json, isTerminal, paint: paintFor(surroundings), width: isTerminal ? (stdout.columns ?? 80) : Infinity, onInterrupt: surroundings.onInterrupt,
    wait: (long) => withProgress(long, surroundings),
  };
  await checkHome(connection, request, surroundings);
  if (!connection.isOwner() && request.engine.add) warn('Another Retrace has the library open: --add has no effect until it has ended.');
  const { run } = request;
  if (run.command === 'index') {
    const outcome = await bringUpToDate(connection, surroundings);
    const code = await indexLibrary(context, outcome);
    await warnOfStores(context);
    return code;
  }
  // What changes the library's settings must not read first what may be left out by it.
  if (run.command === 'library' && run.act.kind !== 'figures') return libraryCommand(context, run);
  if (!request.engine.noIndex && !(await isUpToDate(connection, surroundings, warn))) return 130;
  // Who brings a session in may have none yet.
  if (run.command !== 'import') await warnOfStores(context);
  switch (run.command) {
    case 'ls':
      return ls(context, run);
    case 'tree':
      return tree(context, run);
    case 'context':
      return contextCommand(context, run);
    case 'show':
      return show(context, run);
    case 'diff':
      return diff(context, run);
    case 'compare':
      return compare(context, run);
    case 'doctor':
      return doctor(context);
    case 'library':
      return libraryCommand(context, run);
    case 'memory':
      return memory(context, run);
    case 'import':
      return importSession(context, run);
    case 'export':
      return exportSession(context, run);
    case 'search':
      return search(context, run);
    case 'fork':
      return fork(context, run);
    case 'revert':
      return revert(context, run);
    case 'session':
      return sessionAct(context, run);
    case 'undo':
      return undo(context, run);
    case 'journal':
      return journal(context, run);
    default:
      return assertNever(run, 'command');
  }
}

/** A library belongs to one home: the one that a running Retrace reads must be the one that is asked for. */
async function checkHome({ engine }: Connection, { engine: options }: EngineRequest, surroundings: Surroundings): Promise<void> {
  const { home, library } = await engine.call('engine.info', {});
  const wanted = options.home ?? surroundings.home;
  if (home !== wanted) throw new Refusal(`A running Retrace uses ${library} for the home ${home}, not ${wanted}. Choose another --library, or end it.`);
}

/** False when the person stopped it. A library that cannot be brought up to date is still shown, and said to be old. */
async function isUpToDate(connection: Connection, surroundings: Surroundings, warn: (text: string) => void): Promise<boolean> {
  try {
    const { cancelled } = await bringUpToDate(connection, surroundings);
    if (cancelled) warn('Stopped. What was read is kept; --no-index shows it.');
    return !cancelled;
  } catch (error) {
    if (error instanceof Interrupted || connection.refusal()) throw error;
    warn(`The library could not be brought up to date: ${error instanceof Error ? error.message : String(error)}. This is what it has.`);
    return true;
  }
}

/** What is wrong with whole stores, and where was looked when there is none. */
async function warnOfStores({ engine, warn }: CommandContext): Promise<void> {
  const { stores } = await engine.call('engine.info', {});
  const { error } = await engine.call('index.status', {});
  if (error !== null) warn(plainLine(error));
  for (const { agent, folder, problem } of stores) if (problem !== null) warn(plainLine(`${agent} (${folder}): ${problem}`));
  if (stores.some((store) => store.found || store.sessions > 0)) return;
  const places = stores.map(({ agent, folder }) => `  ${agent}: ${plainLine(folder)}`);
  warn([`No histories were found.${places.length > 0 ? ' Looked at:' : ''}`, ...places, 'Another home is named by --home DIR.'].join('\n'));
}
