import type { ContextAnswer, ContextPart, PartView } from '@shared/model';
import { type CommandContext, Refusal } from '../command-context';
import { countOf, shortCount } from '../figures';
import { jsonText } from '../json-text';
import { plainLine, shorten } from '../plain-text';
import type { ContextCommand } from '../request';
import { scopeOf } from '../session-scope';
import { sessionNamed } from '../sessions';
import { stateSigns } from '../session-words';
import type { ExitCode } from '../surroundings';

/** Parts asked for at once. */
const window = 200;
/** Columns of a line where the terminal's width is not known. */
const usualWidth = 140;

/** `retrace context`: what the agent would send to the model next, in order. */
export async function context(command: CommandContext, request: ContextCommand): Promise<ExitCode> {
  const { engine, out, json } = command;
  const session = await sessionNamed(engine, request.session);
  const detail = await engine.call('session.get', { session, branches: 'messages' });
  if (!detail) throw new Refusal(`There is no session ${JSON.stringify(request.session)}.`);
  const scope = scopeOf(detail, request);
  const place = { ...(scope.branch === null ? {} : { branch: scope.branch }), ...(scope.before === null ? {} : { at: scope.before }) };
  const ask = async (from: number): Promise<ContextAnswer> => {
    const answer = await engine.call('context.get', { session, ...place, from, count: window, whole: json });
    if (!answer || 'refused' in answer) throw new Refusal(answer?.refused ?? 'The session changed while it was read. Run the command again.');
    return answer;
  };
  const first = await ask(0);
  if (json) await writeDocument(command, first, ask);
  else {
    for (const line of headLines(first, command)) await out.line(line);
    for await (const { parts } of windows(first, ask)) {
      const words = await wordsOf(command, session, parts);
      for (const [at, part] of parts.entries()) await out.line(lineOf(part, words[at] ?? '', command));
    }
    for (const line of footLines(first, command)) await out.line(line);
  }
  return 0;
}

async function* windows(first: ContextAnswer, ask: (from: number) => Promise<ContextAnswer>): AsyncIterable<ContextAnswer> {
  let answer = first;
  for (let from = 0; answer.parts.length > 0; answer = await ask(from)) {
    yield answer;
    from += answer.parts.length;
    if (from >= first.count) return;
  }
}

async function writeDocument({ out }: CommandContext, first: ContextAnswer, ask: (from: number) => Promise<ContextAnswer>): Promise<void> {
  const { session, branch, at, count, tokens, estimated, request, window: size, leftOut, notes } = first;
  await out.write(`{"session":${jsonText(session)},"branch":${jsonText(branch)},"at":${jsonText(at)},\n"parts":[`);
  let separator = '\n';
  for await (const { parts } of windows(first, ask)) {
    for (const part of parts) {
      await out.write(separator + jsonText(documentOf(part)));
      separator = ',\n';
    }
  }
  await out.write(`],\n"total":${tokens},"estimated":${estimated},"count":${count},"request":${jsonText(request)},"window":${jsonText(size)},\n"leftOut":${jsonText(leftOut)},"notes":${jsonText(notes)}}\n`);
}

/** A part for scripts: what a made message is made from and its text only where there is one. */
function documentOf({ id, message, role, kind, state, output, tokens, estimated, title, from, text }: ContextPart): object {
  return { id, message, role, kind, state, tokens, estimated, ...(output === null ? {} : { output }), ...(title === null ? {} : { title }), ...(id === null ? { from } : {}), ...(text === null ? {} : { text: text.text }) };
}

function* headLines({ count, tokens, estimated, request, window: size, at, branch }: ContextAnswer, { paint }: CommandContext): Iterable<string> {
  yield paint('bold', `${countOf(count, 'part')}, ${estimated ? 'about ' : ''}${shortCount(tokens)} tokens`) + (at === null ? '' : `, on branch ${plainLine(branch)} before ${plainLine(at)}`);
  if (request) yield paint('dim', `the last request was ${shortCount(request.tokens)} tokens as its provider counted${size === null ? '' : `, of ${shortCount(size)}`}`);
  yield '';
}

function lineOf(part: ContextPart, words: string, { paint, width }: CommandContext): string {
  const sign = part.state === 'live' ? ' ' : stateSigns[part.state];
  const size = `${part.estimated ? '~' : ''}${shortCount(part.tokens)}`.padStart(7);
  const kind = part.id === null ? 'made' : part.kind;
  const line = `${sign} ${part.role.padEnd(9)} ${kind.padEnd(10)} ${words}${part.output === 'cleared' ? ' (output cleared)' : part.output === 'none' ? ' (no output)' : ''}`;
  return paint('dim', size) + shorten(` ${line}`, Math.min(width, usualWidth) - size.length);
}

/** First words of each part: its title, or the beginning of its text. */
async function wordsOf({ engine }: CommandContext, session: string, parts: readonly ContextPart[]): Promise<string[]> {
  const views = new Map<number, PartView>();
  for (const { index, id } of parts) {
    if (id === null || index === null || views.has(index)) continue;
    const answer = await engine.call('session.parts', { session, from: index, count: 50 });
    for (const view of answer?.parts ?? []) views.set(view.index, view);
  }
  return parts.map(({ id, index, title, text }) => {
    if (id === null) return plainLine(text?.text.slice(0, usualWidth) ?? title ?? '');
    const view = index === null ? undefined : views.get(index);
    const name = view?.tool ? `${view.tool.name} ` : '';
    return plainLine(`${name}${title ?? view?.text?.text.slice(0, usualWidth) ?? text?.text.slice(0, usualWidth) ?? ''}`);
  });
}

function* footLines({ leftOut, notes }: ContextAnswer, { paint }: CommandContext): Iterable<string> {
  yield '';
  yield paint('dim', `Not in this list: ${leftOut.map((text) => text.replace(/\.$/, '').replace(/^The /, 'the ').replace(/^What /, 'what ')).join('; ')}.`);
  for (const note of notes) yield paint('dim', note);
}
