import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type RevertTake, revertTakes } from '@shared/model';
import type { CommandRequest, SessionActRequest } from './request';

/** How an option's text is read; it fails with a sentence. */
export interface Readers {
  nonEmpty(value: string): string;
  branchNamed(value: string): string;
}

type Take = (request: CommandRequest) => void;

const withYes = (command: Command): Command => command.option('--yes', 'do it').addOption(new Option('--dry-run', 'only show it (the default)').conflicts('yes'));

/** Commands that write outside the library: each shows its plan, and does it with `--yes`. */
export function addWrites(program: Command, folder: string, { nonEmpty, branchNamed }: Readers, take: Take): void {
  interface ForkOptions {
    at?: string;
    branch?: string;
    way?: string;
    title?: string;
    toolOutput?: boolean;
    worktree?: string | true;
    worktreeBranch?: string;
    yes?: boolean;
  }
  withYes(
    program
      .command('fork')
      .argument('<session>', 'which session')
      .description('show the plan of a fork in the agent’s own store; with --yes it is made')
      .option('--at <message>', 'before this message (default: as the session is now)', nonEmpty)
      .option('--branch <id>', 'of this branch: its number, or "current"', branchNamed)
      .option('--way <way>', 'which way: the plan names those that are open', nonEmpty)
      .option('--title <title>', 'its title (default: the agent’s own rule)', nonEmpty)
      .option('--tool-output', 'Aider: take along what commands printed (the default)')
      .option('--no-tool-output', 'Aider: leave it out')
      .option('--worktree [folder]', 'in a new git worktree with the files as they were then (default: beside the repository)')
      .option('--worktree-branch <name>', 'on this new git branch (default: on none)', nonEmpty),
  ).action((session: string, { at, branch, way, title, toolOutput, worktree, worktreeBranch, yes }: ForkOptions) =>
    take({
      command: 'fork', session, at: at ?? null, branch: branch ?? null, way: way ?? null, title: title ?? null, toolOutput: toolOutput ?? null, yes: yes === true,
      worktree: worktree === undefined && worktreeBranch === undefined ? null : { path: typeof worktree === 'string' ? resolve(folder, worktree) : null, branch: worktreeBranch ?? null },
    }),
  );

  interface RevertOptions {
    at: string;
    scope: 'conversation' | 'files' | 'both';
    way?: string;
    take?: { path: string; take: RevertTake }[];
    takeAll?: RevertTake;
    yes?: boolean;
  }
  withYes(
    program
      .command('revert')
      .argument('<session>', 'which session')
      .description('show the plan of going back to before a message; with --yes it is done')
      .requiredOption('--at <message>', 'before this message: it and all after it is taken back', nonEmpty)
      .addOption(new Option('--scope <what>', 'what is taken back').choices(['conversation', 'files', 'both']).default('both'))
      .option('--way <way>', 'which way for the conversation: the plan names those that are open', nonEmpty)
      .option('--take <path=take>', 'what is left of a file others changed since: mine, checkpoint or merge (can be repeated)', (value, before: { path: string; take: RevertTake }[] = []) => [...before, takeNamed(value)])
      .addOption(new Option('--take-all <take>', 'the same for all of them that are not named').choices(revertTakes)),
  ).action((session: string, { at, scope, way, take: takes, takeAll, yes }: RevertOptions) => take({ command: 'revert', session, at, scope, way: way ?? null, takes: takes ?? [], takeAll: takeAll ?? null, yes: yes === true }));

  addSession(program, nonEmpty, take);
}

const acts: [Exclude<SessionActRequest['act'], 'rename'>, string][] = [
  ['archive', 'put it into the agent’s archive'],
  ['unarchive', 'take it out of the archive'],
  ['trash', 'move it to Retrace’s trash, from where undo brings it back'],
  ['restore', 'write it back into the store of the agent that deleted it'],
];

function addSession(program: Command, nonEmpty: Readers['nonEmpty'], take: Take): void {
  const session = program.command('session').description('rename, archive, trash or write back a session: the plan, and with --yes its doing').helpCommand(false);
  withYes(session.command('rename').argument('<session>', 'which session').argument('<title>', 'its new title', nonEmpty).description('give it another title')).action((name: string, title: string, { yes }: { yes?: boolean }) =>
    take({ command: 'session', session: name, act: 'rename', title, yes: yes === true }),
  );
  for (const [act, description] of acts) {
    withYes(session.command(act).argument('<session>', 'which session').description(description)).action((name: string, { yes }: { yes?: boolean }) => take({ command: 'session', session: name, act, title: null, yes: yes === true }));
  }
}

function takeNamed(value: string): { path: string; take: RevertTake } {
  const mark = value.lastIndexOf('=');
  const take = revertTakes.find((each) => each === value.slice(mark + 1));
  if (mark < 1 || !take) throw new InvalidArgumentError(`It is no PATH=TAKE, where TAKE is one of ${revertTakes.join(', ')}.`);
  return { path: value.slice(0, mark), take };
}
