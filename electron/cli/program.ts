import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { LibrarySort } from '@shared/contract';
import { type Agent, agents, type ExportFormat, exportFormats, type JournalState, journalStates } from '@shared/model';
import { addEngineOptions, type EngineOptions, engineOptionsOf } from '../engine/options';
import { version } from '../engine/version';
import { addWrites } from './program-writes';
import type { CommandRequest, Request } from './request';
import { momentOf } from './time-option';

/** Hits that `search` gives when not told otherwise. */
const usualHits = 50;

/** Reads a command line. Options that all commands share may stand before or after the command. */
export function parseCommandLine(args: readonly string[], folder: string, now = Date.now()): Request {
  const asked: { run?: CommandRequest; serve?: string[] } = {};
  const take = (request: CommandRequest): void => void (asked.run = request);
  const program = addEngineOptions(new Command('retrace'), folder)
    .description('Shows what coding agents did on this machine.')
    .option('--json', 'print one JSON document, for scripts')
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', '\nA session is named by its id, its native id, or a beginning of that which no other session has.\nExit codes: 0 done, 1 refused or nothing found, 2 usage, 130 interrupted.');
  // Subcommands inherit this, so it comes before them.
  let out = '';
  program.exitOverride().configureOutput({ writeOut: (text) => (out += text), writeErr: () => undefined });

  program.command('index').description('bring the library up to date and say what was read').action(() => take({ command: 'index' }));
  addLs(program, folder, now, take);
  program
    .command('tree')
    .argument('[session]', 'only this session and what hangs under it')
    .description('sessions with their forks and subagents')
    .action((session: string | undefined) => take({ command: 'tree', session: session ?? null }));
  program
    .command('show')
    .argument('<session>', 'which session')
    .description('one session with all its messages')
    .option('--branch <id>', 'only this branch: its number, or "current"', nonEmpty)
    .option('--at <message>', 'only what comes before this message', nonEmpty)
    .option('--full', 'leave nothing out of the text: long texts, reasoning, tool input and output')
    .action((session: string, { branch, at, full }: { branch?: string; at?: string; full?: boolean }) => 
      take({ command: 'show', session, branch: branch ?? null, at: at ?? null, full: full === true }),
    );
  addDiff(program, take);
  program
    .command('context')
    .argument('<session>', 'which session')
    .description('what the agent would send to the model next, in order')
    .option('--branch <id>', 'on this branch: its number, or "current"', nonEmpty)
    .option('--at <message>', 'as it was before this message', nonEmpty)
    .action((session: string, { branch, at }: { branch?: string; at?: string }) => take({ command: 'context', session, branch: branch ?? null, at: at ?? null }));
  program
    .command('compare')
    .argument('<a>', 'a session')
    .argument('<b>', 'another one, or the same for two of its branches')
    .description('two sessions or branches, side by side from where they part')
    .option('--branch-a <id>', 'this branch of the first: its number, or "current" (the default)', branchNamed)
    .option('--branch-b <id>', 'this branch of the second', branchNamed)
    .action((a: string, b: string, { branchA, branchB }: { branchA?: string; branchB?: string }) => take({ command: 'compare', a, b, branchA: branchA ?? null, branchB: branchB ?? null }));
  program
    .command('search')
    .argument('<query...>', 'words, "phrases", prefix*, agent: project: role: tool: before: after:')
    .description('find words in prompts, answers, reasoning, tool input and tool output')
    .option('--session <session>', 'only in this session', nonEmpty)
    .option('--limit <number>', `at most so many hits (default: ${usualHits})`, positive)
    .action((words: string[], { session, limit }: { session?: string; limit?: number }) => 
      take({ command: 'search', query: words.join(' '), session: session ?? null, limit: limit ?? usualHits }),
    );
  program
    .command('memory')
    .argument('[project]', 'only this project: its name, its folder, or its key')
    .description('what is remembered beyond sessions, what of it is loaded, and who wrote it')
    .action((project: string | undefined) => take({ command: 'memory', project: project === undefined ? null : projectNamed(project, folder) }));
  addExport(program, folder, take);
  addImport(program, folder, take);
  addLibrary(program, folder, take);
  addWrites(program, folder, { nonEmpty, branchNamed }, take);
  program
    .command('undo')
    .argument('<entry>', 'which write: its name in the journal, or a beginning of it')
    .description('show what takes a write back; with --yes it is done')
    .option('--yes', 'do it')
    .addOption(new Option('--dry-run', 'only show it (the default)').conflicts('yes'))
    .option('--finish', 'bring an interrupted write to its end instead of back')
    .action((entry: string, { yes, finish }: { yes?: boolean; finish?: boolean }) => take({ command: 'undo', entry: nonEmpty(entry), yes: yes === true, finish: finish === true }));
  program
    .command('journal')
    .argument('[entry]', 'only this write, with its steps')
    .description('what was written outside the library, newest first')
    .addOption(new Option('--state <state>', `only entries in this state: ${journalStates.join(', ')} (can be repeated)`).argParser(addTo(stateNamed)))
    .action((entry: string | undefined, { state }: { state?: JournalState[] }) => take({ command: 'journal', entry: entry ?? null, states: state ?? [] }));
  program.command('doctor').description('what was read of every store, what was not, and why').action(() => take({ command: 'doctor' }));
  program
    .command('serve')
    .description('serve the page on this machine and print its address (see serve --help)')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_options: unknown, command: Command) => {
      asked.serve = [...engineArguments(engineOptionsOf(command)), ...command.args];
    });

  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { help: out };
    // Called without a command, or without the act of one: its help is the best answer.
    if (error.code === 'commander.help') return { problem: (program.commands.find((each) => each.commands.length > 0 && args.includes(each.name())) ?? program).helpInformation() };
    return { problem: `${error.message.replace(/^error: /, '')}\n` };
  }
  const { run, serve } = asked;
  if (serve) return { serve };
  if (!run) return { problem: program.helpInformation() };
  return checked({ json: program.opts<{ json?: boolean }>().json === true, engine: engineOptionsOf(program), run });
}

function addDiff(program: Command, take: (request: CommandRequest) => void): void {
  interface Options {
    turn?: number;
    part?: string;
    net?: boolean;
    branch?: string;
    against?: string;
    revertTo?: string;
    patch?: boolean;
  }
  const others = (own: string) => ['turn', 'part', 'net', 'branch', 'against', 'revertTo'].filter((option) => option !== own);
  program
    .command('diff')
    .argument('<session>', 'which session')
    .description('what a session did to files')
    .addOption(new Option('--turn <number>', 'only this turn, from 1').argParser(positive).conflicts(others('turn')))
    .addOption(new Option('--part <part>', 'only this tool call or step').argParser(nonEmpty).conflicts(others('part')))
    .addOption(new Option('--net', 'all of the session, as one change a file (the default)').conflicts(others('net')))
    .addOption(new Option('--branch <id>', 'only this branch: its number, or "current"').argParser(nonEmpty).conflicts(others('branch')))
    .addOption(new Option('--against <session>', 'from what the other session left to what this one left').argParser(nonEmpty).conflicts(others('against')))
    .addOption(new Option('--revert-to <message>', 'what going back to before this message would do to the files as they are now; nothing is written').argParser(nonEmpty).conflicts(others('revertTo')))
    .option('--patch', 'print one patch that git apply takes')
    .action((session: string, { turn, part, branch, against, revertTo, patch }: Options) =>
      take({
        command: 'diff', session, patch: patch === true,
        scope: turn !== undefined ? { kind: 'turn', turn } : part !== undefined ? { kind: 'part', part }
          : branch !== undefined ? { kind: 'branch', branch } : against !== undefined ? { kind: 'against', session: against }
          : revertTo !== undefined ? { kind: 'revert', before: revertTo } : { kind: 'session' },
      }),
    );
}

function addLibrary(program: Command, folder: string, take: (request: CommandRequest) => void): void {
  const library = program
    .command('library')
    .description('what the library keeps, for how long, and the room it takes')
    .helpCommand(false)
    .action(() => take({ command: 'library', act: { kind: 'figures' } }));
  const whatDryRun = (kind: 'exclude' | 'include', description: string) =>
    library
      .command(kind)
      .argument('<what>', 'an agent, the id of a store, or a project: its name or its folder')
      .description(description)
      .option('--dry-run', 'say what would be done')
      .action((what: string, { dryRun }: { dryRun?: boolean }) => take({ command: 'library', act: { kind, what: projectNamed(nonEmpty(what), folder), dryRun: dryRun === true } }));
  whatDryRun('exclude', 'index it no more; what was read of it is kept and in no list');
  whatDryRun('include', 'index it again');
  library
    .command('forget')
    .argument('[what...]', 'sessions whose source is gone, or one thing that is excluded')
    .description('take sessions out of the library for good; stores are never touched')
    .option('--due', 'the sessions that the keep rule does not keep any more')
    .option('--yes', 'do it; without this the plan is printed')
    .addOption(new Option('--dry-run', 'print the plan').conflicts('yes'))
    .action((what: string[], { due, yes }: { due?: boolean; yes?: boolean }) =>
      take({ command: 'library', act: { kind: 'forget', what: what.map((each) => projectNamed(nonEmpty(each), folder)), due: due === true, yes: yes === true } }),
    );
  library
    .command('keep')
    .description('for how long sessions are kept whose source is gone')
    .addOption(new Option('--days <number>', 'for so many days after it was seen to be gone').argParser(positive).conflicts('forEver'))
    .option('--for-ever', 'for ever (the default)')
    .option('--dry-run', 'say what would be due')
    .action(({ days, forEver, dryRun }: { days?: number; forEver?: boolean; dryRun?: boolean }) =>
      take({ command: 'library', act: { kind: 'keep', days: forEver ? null : days, dryRun: dryRun === true } }),
    );
  const servers = library
    .command('servers')
    .description('share servers of your own, whose links are fetched without a question')
    .helpCommand(false)
    .action(() => take({ command: 'library', act: { kind: 'servers', add: [], remove: [] } }));
  servers
    .command('add')
    .argument('<address...>', 'https, or http on this machine itself')
    .description('know these too')
    .action((add: string[]) => take({ command: 'library', act: { kind: 'servers', add: add.map(nonEmpty), remove: [] } }));
  servers
    .command('remove')
    .argument('<address...>', 'as the list names it')
    .description('do not know these any more')
    .action((remove: string[]) => take({ command: 'library', act: { kind: 'servers', add: [], remove: remove.map(nonEmpty) } }));
  library
    .command('compact')
    .description('make the file as small as what it holds')
    .option('--dry-run', 'say what it needs and frees')
    .action(({ dryRun }: { dryRun?: boolean }) => take({ command: 'library', act: { kind: 'compact', dryRun: dryRun === true } }));
}

function addImport(program: Command, folder: string, take: (request: CommandRequest) => void): void {
  program
    .command('import')
    .argument('<from>', 'a file, a link to a shared session, or - for standard input', nonEmpty)
    .description('look at a session from elsewhere: a share link, an export, a transcript, a bundle; with --yes it is taken in')
    .option('--salvage', 'take in what is whole of a file that was cut')
    .option('--allow-host <host>', 'fetch from this share server, which Retrace does not know', nonEmpty)
    .option('--yes', 'do it')
    .addOption(new Option('--dry-run', 'only look (the default)').conflicts('yes'))
    .action((from: string, { salvage, allowHost, yes }: { salvage?: boolean; allowHost?: string; yes?: boolean }) =>
      take({ command: 'import', from: from === '-' || isLink(from) ? from : resolve(folder, from), salvage: salvage === true, host: allowHost ?? null, yes: yes === true }),
    );
}

/** Something with a scheme, as people paste it. */
const isLink = (text: string): boolean => /^<?\s*[a-z][a-z0-9+.-]*:\/\//i.test(text.trim());

function addLs(program: Command, folder: string, now: number, take: (request: CommandRequest) => void): void {
  interface Options {
    agent?: Agent[];
    project?: string[];
    archived?: boolean;
    onlyArchived?: boolean;
    since?: string;
    until?: string;
    title?: string;
    sort: LibrarySort;
    limit?: number;
  }
  program
    .command('ls')
    .description('sessions, newest first')
    .option('--agent <agent>', `only of this agent: ${agents.join(', ')} (can be repeated)`, addTo(agentNamed))
    .option('--project <project>', 'only of this project: its name or its folder (can be repeated)', addTo((value) => projectNamed(nonEmpty(value), folder)))
    .option('--archived', 'archived sessions too (the default)')
    .option('--no-archived', 'no archived sessions')
    .addOption(new Option('--only-archived', 'archived sessions only').conflicts('archived'))
    .option('--since <time>', 'updated at this time or later: 2026-11-02, 2026-11-02T14:30, or 12h, 7d, 4w ago', (value) => momentOf(value, 'begin', now))
    .option('--until <time>', 'updated at this time or earlier', (value) => momentOf(value, 'end', now))
    .option('--title <words>', 'all of these words occur in the title', nonEmpty)
    .addOption(new Option('--sort <by>', 'newest update or newest creation first').choices(['updated', 'created']).default('updated'))
    .option('--limit <number>', 'at most so many sessions', positive)
    .action(({ agent, project, archived, onlyArchived, since, until, title, sort, limit }: Options) =>
      take({
        command: 'ls', agents: agent ?? [], projects: project ?? [], archived: onlyArchived ? 'only' : archived === false ? 'hide' : 'include',
        since: since ?? null, until: until ?? null, title: title ?? null, sort, limit: limit ?? null,
      }),
    );
}

function addExport(program: Command, folder: string, take: (request: CommandRequest) => void): void {
  interface Options {
    format?: ExportFormat;
    out?: string;
    force?: boolean;
    branch?: string;
    turns?: { from: number; to: number };
    toolOutput: boolean;
    reasoning: boolean;
    subagents: boolean;
    redact: boolean;
    keep?: string[];
    mask?: string[];
  }
  program
    .command('export')
    .argument('<session>', 'which session')
    .description('write a session to a file: to read, or to take it elsewhere; secrets, home folders and mail addresses are masked')
    .addOption(new Option('--format <format>', 'what to write (default: by the ending of the file, else markdown)').choices(exportFormats))
    .option('--out <file>', 'where to (default: stdout)', (value) => resolve(folder, nonEmpty(value)))
    .option('--force', 'replace a file that is there')
    .option('--branch <id>', 'only this branch: its number, or "current"', branchNamed)
    .option('--turns <a-b>', 'only these turns, from 1: 3-5, or 3', turnsNamed)
    .option('--no-tool-output', 'leave out what tools printed')
    .option('--no-reasoning', 'leave out what the model wrote to itself')
    .option('--no-subagents', 'leave out the sessions that steps started')
    .option('--keep <what>', 'let it stand: secret, home, mail, word, or the id of a finding (can be repeated)', addTo(nonEmpty))
    .option('--mask <word>', 'mask this word too (can be repeated)', addTo(wordToMask))
    .option('--no-redact', 'mask nothing')
    .action((session: string, { format, out, force, branch, turns, toolOutput, reasoning, subagents, redact, keep, mask }: Options) =>
      take({
        command: 'export', session, format: format ?? formatOf(out), out: out ?? null, force: force === true, branch: branch ?? null, turns: turns ?? null, toolOutput, reasoning, subagents, redact,
        keep: keep ?? [], mask: mask ?? [],
      }),
    );
}

function formatOf(file = ''): ExportFormat {
  if (/\.html?$/i.test(file)) return 'html';
  if (/\.retrace\.jsonl$/i.test(file)) return 'bundle';
  if (/\.opencode\.json$/i.test(file)) return 'opencode';
  return /\.json$/i.test(file) ? 'json' : 'markdown';
}

/** A single letter would be found everywhere. */
function wordToMask(value: string): string {
  if (value.trim().length < 2) throw new InvalidArgumentError('A word to mask has two letters at least.');
  return value;
}

function turnsNamed(value: string): { from: number; to: number } {
  const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(value) ?? [];
  const turns = { from: Number(from), to: Number(to) };
  if (!(turns.from >= 1 && turns.to >= turns.from)) throw new InvalidArgumentError('It is neither a turn (3) nor a stretch of them (3-5).');
  return turns;
}

function checked(request: Extract<Request, { run: CommandRequest }>): Request {
  if (request.run.command === 'journal' && request.run.entry !== null && request.run.states.length > 0) return { problem: '--state chooses from the list; an entry is named already.\n' };
  if (request.run.command === 'index' && request.engine.noIndex) return { problem: 'index brings the library up to date; --no-index asks it not to.\n' };
  if (request.run.command === 'library' && request.run.act.kind === 'forget') {
    const { what, due } = request.run.act;
    if (what.length === 0 && !due) return { problem: 'forget needs sessions, something that is excluded, or --due.\n' };
    if (what.length > 0 && due) return { problem: '--due says what is forgotten; name nothing beside it.\n' };
  }
  if (request.run.command === 'export' && !request.run.redact && request.run.keep.length + request.run.mask.length > 0) return { problem: '--no-redact masks nothing: --mask and --keep have no meaning beside it.\n' };
  if (request.run.command === 'diff' && request.run.patch && request.json) return { problem: '--patch prints a patch and --json a document; choose one.\n' };
  return request;
}

/** The shared options as arguments again, for the server. Their paths are absolute by now. */
function engineArguments({ home, library, add = [], map = [], noIndex }: EngineOptions): string[] {
  return [
    ...(home === undefined ? [] : ['--home', home]),
    ...(library === undefined ? [] : ['--library', library]),
    ...add.flatMap((folder) => ['--add', folder]),
    ...map.flatMap((mapping) => ['--map', mapping]),
    ...(noIndex ? ['--no-index'] : []),
  ];
}

const addTo =
  <T>(read: (value: string) => T) =>
  (value: string, before: T[] = []): T[] => [...before, read(value)];

function agentNamed(value: string): Agent {
  const found = agents.find((agent) => agent === value.toLowerCase());
  if (!found) throw new InvalidArgumentError(`There is no such agent: ${agents.join(', ')}.`);
  return found;
}

/** A relative path (`.`, `./web`, `../web`) means a folder; anything else is a name or an absolute folder. */
function projectNamed(value: string, folder: string): string {
  return /^\.{1,2}([/\\]|$)/.test(value) ? resolve(folder, value) : value;
}

function stateNamed(value: string): JournalState {
  const found = journalStates.find((state) => state === value.toLowerCase());
  if (!found) throw new InvalidArgumentError(`There is no such state: ${journalStates.join(', ')}.`);
  return found;
}

function branchNamed(value: string): string {
  if (!/^(\d{1,9}|current)$/.test(value)) throw new InvalidArgumentError('It is neither a number nor "current".');
  return value;
}

function nonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

function positive(value: string): number {
  const number = Number(value);
  if (!/^\d{1,9}$/.test(value) || number < 1) throw new InvalidArgumentError('It is no number from 1 up.');
  return number;
}
