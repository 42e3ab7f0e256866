import type { JournalEntry, JournalState, PlanStep } from '@shared/model';
import { type CommandContext, Refusal } from '../command-context';
import { byteCount, localTime } from '../figures';
import { plainLine } from '../plain-text';
import { stepLines } from '../plan-text';
import type { JournalRequest } from '../request';
import type { ExitCode } from '../surroundings';
import { type Column, table } from '../table';

/** Entries and steps asked for at once. */
const windowSize = 500;

const columns: readonly Column[] = [{ head: 'APPLIED' }, { head: 'STATE' }, { head: 'KIND', style: 'cyan' }, { head: 'BACKUPS', align: 'right' }, { head: 'TITLE', style: 'bold', flexible: { least: 24, most: 90 } }, { head: 'ENTRY', style: 'dim' }];

/** `retrace journal`: what was written outside the library, newest first; or one entry with its steps. */
export async function journal(context: CommandContext, { entry, states }: JournalRequest): Promise<ExitCode> {
  return entry === null ? list(context, states) : one(context, entry);
}

async function list(context: CommandContext, states: JournalState[]): Promise<ExitCode> {
  const { out, json, paint, width, warn } = context;
  if (json) {
    await out.jsonList(entriesOf(context, states));
    await out.line();
    return 0;
  }
  const rows: string[][] = [];
  for await (const { applied, state, kind, backups, title, id } of entriesOf(context, states)) rows.push([localTime(applied), state, kind, backups === 0 ? '-' : byteCount(backups), plainLine(title), id]);
  if (rows.length === 0) {
    warn(states.length === 0 ? 'Nothing was written yet.' : `No entry is ${states.join(' or ')}.`);
    return 0;
  }
  for (const line of table(columns, rows, width, paint)) await out.line(line);
  return 0;
}

async function* entriesOf({ engine }: CommandContext, states: JournalState[]): AsyncIterable<JournalEntry> {
  for (let from = 0; ; ) {
    const { entries, total } = await engine.call('journal.list', { from, count: windowSize, ...(states.length > 0 && { states }) });
    yield* entries;
    from += entries.length;
    if (entries.length === 0 || from >= total) return;
  }
}

async function one(context: CommandContext, id: string): Promise<ExitCode> {
  const { engine, out, json, paint } = context;
  const entry = await engine.call('journal.entry', { id });
  if (entry === null) throw new Refusal(`The journal has no entry ${id}, or more than one that begins so.`);
  const steps: PlanStep[] = [];
  for (let total = 1; steps.length < total; ) {
    const page = await engine.call('plan.steps', { plan: entry.id, from: steps.length, count: windowSize });
    total = page?.total ?? 0;
    if (!page || page.steps.length === 0) break;
    steps.push(...page.steps);
  }
  if (json) {
    await out.json({ ...entry, steps });
    return 0;
  }
  await out.line(`${paint('bold', plainLine(entry.title))}  ${entry.state}`);
  await out.line(`  ${localTime(entry.applied)} · ${plainLine(entry.way)}`);
  for (const line of stepLines(steps, steps.length, paint)) await out.line(line);
  for (const because of entry.because) await out.line(`  ${paint('yellow', 'note')}: ${plainLine(because)}`);
  if (entry.undoes !== null) await out.line(`  takes back ${entry.undoes}`);
  if (entry.undoneBy !== null) await out.line(`  taken back by ${entry.undoneBy}`);
  if (entry.backups > 0) await out.line(paint('dim', `  backups: ${byteCount(entry.backups)}`));
  await out.line(`  ${entry.noUndo === null ? `retrace undo ${entry.id} takes it back.` : plainLine(entry.noUndo)}`);
  return 0;
}
