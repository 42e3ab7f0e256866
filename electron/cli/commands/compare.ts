import type { ComparedFile, ComparedSide, ComparedTurn, Comparison, KnownItem } from '@shared/model';
import { type CommandContext, Refusal } from '../command-context';
import { countOf, localTime, shortCount } from '../figures';
import { plainLine, shorten } from '../plain-text';
import type { CompareRequest } from '../request';
import { edgeSigns } from '../session-words';
import { sessionNamed } from '../sessions';
import type { ExitCode } from '../surroundings';

/** Columns of a line where the terminal's width is not known. */
const usualWidth = 160;
/** Turns, files and known items printed of each list; JSON has more. */
const printed = 40;

/** `retrace compare`: two sessions or branches from the place where they part. */
export async function compare(context: CommandContext, { a, b, branchA, branchB }: CompareRequest): Promise<ExitCode> {
  const { engine, out, json, paint } = context;
  const answer = await engine.call('compare', { a: { session: await sessionNamed(engine, a), ...branchOf(branchA) }, b: { session: await sessionNamed(engine, b), ...branchOf(branchB) } });
  if ('refused' in answer) throw new Refusal(answer.refused);
  // The library's running number says nothing outside of it.
  const { revision: _, ...document } = answer;
  if (json) await out.json(document);
  else for (const line of linesOf(answer, Math.min(context.width, usualWidth), paint)) await out.line(line);
  return 0;
}

const branchOf = (name: string | null) => (name === null || name === 'current' ? {} : { branch: name });

function* linesOf(comparison: Comparison, width: number, paint: CommandContext['paint']): Iterable<string> {
  const { common, a, b, turns, turnsLeftOut, files, filesLeftOut } = comparison;
  for (const [name, side] of [['A', a], ['B', b]] as const) yield `${paint('bold', name)}  ${nameOf(side)}${paint('dim', `  ${plainLine(side.session)}`)}`;
  yield '';
  yield `${paint('bold', 'in common')}  ${common.messages === 0 ? 'nothing' : `${countOf(common.messages, 'message')}, ${countOf(common.turns, 'turn')}`} (${common.found === 'none' ? 'no common beginning' : common.found})`;
  for (const { child, parent, kind, certainty } of common.edges) yield `  ${edgeSigns[kind]}${certainty === 'inferred' ? '?' : ''} ${plainLine(child)} is a ${kind} of ${plainLine(parent)}`;
  yield paint('dim', `  ${plainLine(common.evidence)}`);
  for (const [name, side] of [['A', a], ['B', b]] as const) yield* sideLines(name, side, paint);
  if (turns.length > 0) yield* ['', paint('bold', 'turns')];
  for (const pair of turns.slice(0, printed)) {
    if (pair.a) yield shorten(`  A  ${turnLine(pair.a)}`, width);
    if (pair.b) yield shorten(`  B  ${turnLine(pair.b)}`, width);
  }
  yield* more(Math.max(0, turns.length - printed) + turnsLeftOut, 'more pair of turns', 'more pairs of turns');
  if (files.length > 0) yield* ['', paint('bold', 'files changed')];
  for (const file of files.slice(0, printed)) yield `  ${fileLine(file)}`;
  yield* more(Math.max(0, files.length - printed) + filesLeftOut, 'more file');
  for (const [name, side, other] of [['A', a, 'B'], ['B', b, 'A']] as const) {
    if (side.knows.length === 0) continue;
    yield* ['', paint('bold', `${name} knows and ${other} does not`)];
    for (const item of side.knows.slice(0, printed)) yield shorten(`  ${itemLine(item)}`, width);
    yield* more(Math.max(0, side.knows.length - printed) + side.knowsLeftOut, 'more item');
  }
}

const nameOf = ({ title, branch, branches, current }: ComparedSide): string =>
  `${(title === null ? '' : plainLine(title)) || 'untitled'}${branches > 1 ? ` (${current ? 'current branch' : `branch ${branch}`} of ${branches})` : ''}`;

function* sideLines(name: string, side: ComparedSide, paint: CommandContext['paint']): Iterable<string> {
  const { messages, turns, toolCalls, failed, filesChanged, added, removed, tokens, compactions, reverted, condition, began, ended, lastWords, notLooked } = side;
  yield '';
  const facts = [
    countOf(turns, 'turn'), countOf(messages, 'message'), ...(toolCalls > 0 ? [`${countOf(toolCalls, 'tool call')}${failed > 0 ? `, ${failed} failed` : ''}`] : []),
    filesChanged > 0 ? `${countOf(filesChanged, 'file')} changed +${added} −${removed}` : 'no file changed',
    tokens ? `tokens ${shortCount(tokens.input)} in, ${shortCount(tokens.output)} out, ${shortCount(tokens.cacheRead)} from cache` : 'tokens not recorded',
    ...(compactions > 0 ? [countOf(compactions, 'compaction')] : []), ...(reverted > 0 ? [`${countOf(reverted, 'part')} taken back`] : []),
  ];
  yield `${paint('bold', name)}  ${messages === 0 ? 'did nothing after the common beginning' : facts.join(' · ')}`;
  if (messages === 0 && reverted > 0) yield `   ${countOf(reverted, 'part')} taken back`;
  if (messages > 0) yield paint('dim', `   ${localTime(began)} to ${localTime(ended)} · ${condition === 'left' ? 'left for another branch' : condition}`);
  if (lastWords) yield `   “${plainLine(lastWords.text)}”`;
  if (notLooked > 0) yield paint('dim', `   ${countOf(notLooked, 'earlier part')} were not looked at for files, commands and decisions`);
}

function turnLine({ prompt, toolCalls, failed, files, filesLeftOut, lastWords }: ComparedTurn): string {
  const facts = [
    ...(toolCalls > 0 ? [`${countOf(toolCalls, 'tool call')}${failed > 0 ? `, ${failed} failed` : ''}`] : []),
    ...(files.length > 0 ? [[...files.map(plainLine), ...(filesLeftOut > 0 ? [`${filesLeftOut} more`] : [])].join(', ')] : []),
    ...(lastWords === null ? [] : [`“${plainLine(lastWords)}”`]),
  ];
  return [prompt === null ? 'goes on with the turn' : plainLine(prompt), ...facts].join(' · ');
}

function fileLine({ path, a, b }: ComparedFile): string {
  const sides = [...(a ? [`A +${a.added} −${a.removed}`] : []), ...(b ? [`B +${b.added} −${b.removed}`] : [])];
  return `${plainLine(path)}  ${sides.join(' · ')}`;
}

const itemLine = ({ kind, text, times }: KnownItem): string => `${kind.padEnd(8)}  ${plainLine(text)}${times > 1 ? ` (${times}×)` : ''}`;

function* more(count: number, one: string, many?: string): Iterable<string> {
  if (count > 0) yield `  and ${countOf(count, one, many)}`;
}
