import type { Branch, ClippedText, ContextState, Damage, Diagnosis, Edge, PartView, SessionDetail, SessionWork } from '@shared/model';
import { byteCount, countOf, localTime, shortCount } from './figures';
import type { Paint } from './paint';
import { plainLine, plainText, shorten } from './plain-text';
import type { PartReader } from './part-reader';
import type { Scope } from './session-scope';
import { edgeSigns, stateMeanings, stateSigns, titleOf } from './session-words';
import { workLines } from './work-text';

export interface TextStyle {
  paint: Paint;
  width: number;
  /** Nothing is left out. */
  full: boolean;
}

/** Lines of a summary, of reasoning or of a failed tool's output that are shown without `--full`. */
const foldedLines = 6;
/** Columns of a tool's one-line description where the terminal's width is not known. */
const usualWidth = 160;

/** A session for people: who said what, one line a tool call, signs for what the model no longer sees. */
export async function* showText(session: SessionDetail, work: SessionWork | null, total: number, scope: Scope, reader: PartReader, style: TextStyle): AsyncIterable<string> {
  yield* headOf(session, work, scope, style);
  const seen = new Set<ContextState>();
  let speaker = '';
  const aside: PartView[] = [];
  const damage = [...session.damage];
  const damageUpTo = function* (place: number): Iterable<string> {
    while (damage[0] && damage[0].before <= place) yield `${style.paint('yellow', '!')} ${damageWords(damage.shift() as Damage)}`;
  };
  for (let place = 0; place < total; place++) {
    const part = await reader.part(place);
    if (!scope.includes(part.message.id)) continue;
    if (!style.full && isAside(part) && part.diagnoses.length === 0) {
      aside.push(part);
      continue;
    }
    const lines = [...linesOf(part, style), ...part.diagnoses.flatMap((diagnosis) => diagnosisLines(diagnosis, style))];
    if (lines.length === 0) continue;
    yield* asides(aside.splice(0), style);
    yield* damageUpTo(place);
    const now = speakerOf(part);
    if (now !== speaker || (part.opensMessage && part.message.role === 'user')) {
      yield '';
      yield style.paint('bold', now) + style.paint('dim', ` · ${localTime(part.message.time)} · ${plainLine(part.message.nativeId)}`);
      speaker = now;
    }
    if (part.state !== 'live') seen.add(part.state);
    yield* gutter(lines, part.state, style.paint);
  }
  yield* asides(aside, style);
  if (scope.before === null) yield* damageUpTo(total);
  yield* footOf(session, seen, style);
}

/** What the agent put in beside the conversation. Where history was compacted, and its own words, are no asides. */
function isAside({ injected, state, kind, message }: PartView): boolean {
  return (injected || state === 'hidden') && message.role !== 'assistant' && kind !== 'compaction' && kind !== 'summary';
}

/** Asides on one line: they are seldom what one looks for. */
function* asides(parts: readonly PartView[], { paint, width }: TextStyle): Iterable<string> {
  if (parts.length === 0) return;
  const titles = parts.map(({ title, text, kind }) => plainLine(title ?? text?.text.slice(0, usualWidth) ?? '') || kind);
  yield paint('dim', shorten(`${stateSigns.hidden} ${countOf(parts.length, 'part')} put in by the agent: ${titles.join(', ')}`, Math.min(width, usualWidth)));
}

function* headOf(session: SessionDetail, work: SessionWork | null, scope: Scope, { paint }: TextStyle): Iterable<string> {
  const { summary } = session;
  yield paint('bold', titleOf(summary));
  yield [summary.agent, summary.model, summary.directory, summary.gitBranch].filter((fact) => fact !== null).map(plainLine).join(' · ');
  yield paint('dim', `${plainLine(summary.id)} · created ${localTime(summary.created)} · updated ${localTime(summary.updated)}`);
  const { counts, tokens, compactions } = summary;
  const figures = [
    ...(counts ? [countOf(counts.messages, 'message'), countOf(counts.toolCalls, 'tool call')] : []),
    ...(tokens ? [`tokens ${shortCount(tokens.input)} in, ${shortCount(tokens.output)} out, ${shortCount(tokens.cacheRead)} from cache`] : []),
    ...(compactions > 0 ? [countOf(compactions, 'compaction')] : []),
    ...(session.condition === 'finished' ? [] : [session.condition]),
  ];
  if (figures.length > 0) yield paint('dim', figures.join(' · '));
  for (const edge of session.edges) yield lineOfEdge(edge, session);
  yield* workLines(work);
  if (session.branches.length > 1) yield* linesOfBranches(session.branches);
  if (scope.branch !== null) yield paint('yellow', `only branch ${scope.branch}${scope.before === null ? '' : `, before ${scope.before}`}`);
  for (const { text } of session.notices) yield `${paint('yellow', 'notice')}: ${plainLine(text)}`;
  for (const each of session.damage) yield `${paint('yellow', 'damaged')}: ${plainLine(each.place)}${damageWhere(each)}: ${plainLine(each.reason)}`;
}

const damageWhere = ({ line, bytes }: Damage): string => `${line === null ? '' : `, line ${line}`}${bytes === null ? '' : `, ${byteCount(bytes)}`}`;

/** A damaged place where it lies: its file stands in the head already. */
const damageWords = (damage: Damage): string => `damaged${damageWhere(damage)}: ${plainLine(damage.reason)}`;

function diagnosisLines({ class: kind, text, help }: Diagnosis, { paint }: TextStyle): string[] {
  return [`${paint('yellow', `diagnosis ${kind}`)}: ${plainLine(text)}`, paint('dim', `would help: ${plainLine(help)}`)];
}

function* linesOfBranches(branches: readonly Branch[]): Iterable<string> {
  const current = new Set(branches.find((branch) => branch.current)?.messages);
  for (const branch of branches) {
    const own = branch.messages.filter((message) => !current.has(message)).length;
    yield `branch ${branch.id}: ${branch.current ? 'current' : `${countOf(own, 'message')} that the current one does not have`}`;
  }
}

function lineOfEdge({ child, parent, kind, certainty, evidence, parentKnown }: Edge, { summary }: SessionDetail): string {
  const isUp = child === summary.id;
  const direction = isUp ? `${kind} of ${parent}${parentKnown ? '' : ' (in no store)'}` : `has the ${kind} ${child}`;
  return `${edgeSigns[kind]} ${plainLine(direction)} (${certainty}: ${plainLine(evidence)})`;
}

function* footOf(session: SessionDetail, seen: ReadonlySet<ContextState>, { paint }: TextStyle): Iterable<string> {
  if (session.todos.length > 0) {
    yield '';
    yield paint('bold', 'todos');
    for (const { status, content } of session.todos) yield `  ${plainLine(status)}: ${plainLine(content)}`;
  }
  if (seen.size === 0) return;
  yield '';
  for (const state of seen) yield paint('dim', `${stateSigns[state]} ${stateMeanings[state]}`);
}

function speakerOf({ injected, kind, message: { role, model, agentName } }: PartView): string {
  // A command is the person's, also where its store files it under the agent's message.
  if (kind === 'command' && !injected) return 'you';
  if (role === 'user') return injected || kind === 'summary' || kind === 'compaction' ? 'system' : 'you';
  return [role === 'assistant' ? 'agent' : 'system', agentName, model].filter((name) => name !== null).map(plainLine).join(' · ');
}

/** The sign of a part's state stands before its first line; live parts have none. */
function* gutter(lines: readonly string[], state: ContextState, paint: Paint): Iterable<string> {
  for (const [at, line] of lines.entries()) {
    const mark = at === 0 && state !== 'live' ? paint('yellow', stateSigns[state]) : ' ';
    yield `${mark} ${line}`.trimEnd();
  }
}

function linesOf(part: PartView, style: TextStyle): string[] {
  const { paint } = style;
  switch (part.kind) {
    case 'text':
      return textLines(part.text);
    case 'command':
      return textLines(part.text).map((line) => paint('cyan', line));
    case 'reasoning':
      return folded(part.text, style).map((line) => paint('dim', line));
    case 'summary':
      return [paint('bold', 'summary'), ...folded(part.text, style)];
    case 'compaction':
      return [paint('yellow', `═══ ${plainLine(part.title ?? '') || 'compacted'} ═══`)];
    case 'tool':
      return toolLines(part, style);
    case 'file':
      return [`file: ${[part.file?.name ?? part.title ?? 'without a name', part.file?.mime].filter(Boolean).map((fact) => plainLine(String(fact))).join(' · ')}`];
    case 'notice':
      return [paint('dim', plainLine(part.title ?? part.text?.text ?? '') || 'notice')];
    case 'patch':
      return [paint('dim', `patch: ${plainLine(part.title ?? '')}`)];
    case 'step':
      return style.full ? [paint('dim', plainLine(part.title ?? '') || 'step')] : [];
  }
}

function toolLines({ tool, bytes }: PartView, style: TextStyle): string[] {
  if (!tool) return [];
  const { paint } = style;
  const failed = tool.status === 'error' || tool.status === 'denied' || tool.status === 'interrupted';
  const added = tool.edits.reduce((sum, edit) => sum + edit.added, 0);
  const removed = tool.edits.reduce((sum, edit) => sum + edit.removed, 0);
  const facts = [
    ...(tool.status === 'completed' ? [] : [tool.status]),
    ...(added + removed > 0 ? [`+${added} −${removed}`] : []),
    ...(tool.exitCode ? [`exit ${tool.exitCode}`] : []),
    ...(tool.child === null ? [] : [`⤷ ${plainLine(tool.child)}`]),
    byteCount(bytes),
  ];
  const target = shorten(plainLine(tool.target ?? ''), Math.max(40, Math.min(style.width, usualWidth) - 40));
  const head = `${failed ? paint('red', '✗') : '▸'} ${paint('cyan', plainLine(tool.name))} ${target}${paint('dim', ` · ${facts.join(' · ')}`)}`;
  const note = tool.note === null ? [] : [`  ${paint('dim', plainLine(tool.note))}`];
  const indented = (lines: string[]) => lines.map((line) => `    ${line}`);
  if (style.full) return [head, ...note, ...indented(textLines(tool.input)), ...indented(textLines(tool.output))];
  return failed ? [head, ...note, ...indented(folded(tool.output, style))] : [head, ...note];
}

/** A text's lines; where its middle was not brought, a line says how much is missing. */
function textLines(clipped: ClippedText | null): string[] {
  if (!clipped || clipped.text === '') return [];
  const { text, gap } = clipped;
  if (!gap) return split(text);
  return [...split(text.slice(0, gap.at)), `… ${countOf(gap.lines, 'line')} left out (--full shows them) …`, ...split(text.slice(gap.at))];
}

function folded(clipped: ClippedText | null, { full }: TextStyle): string[] {
  const lines = textLines(clipped);
  if (full || lines.length <= foldedLines + 1) return lines;
  return [...lines.slice(0, foldedLines), `… ${countOf(lines.length - foldedLines, 'more line')} (--full shows them)`];
}

const split = (text: string): string[] => plainText(text).replace(/\n+$/, '').split('\n');
