import type { Outline } from '@shared/contract';
import type { MessageId, PartView, SessionDetail, SessionWork } from '@shared/model';
import { jsonText } from './json-text';

/** Names of messages written together. */
const namesAtOnce = 1_000;

/** Which messages of a session are told. */
export interface ShownScope {
  /** Id of the branch that was chosen, null for all of them. */
  branch: string | null;
  /** The message that is left out with all after it; null when nothing is. */
  before: MessageId | null;
  /** `index`: of the message's first part. */
  includes: (message: MessageId, index: number) => boolean;
}

/** Gives the parts of a session by their place on the timeline. */
export interface ShownParts {
  part(index: number): Promise<PartView>;
}

/** The library was written to while a session was read. */
export class SessionChanged extends Error {
  override name = 'SessionChanged';
  constructor(reason = 'The session changed while it was read. Run the command again.') {
    super(reason);
  }
}

/** What an export does beside: parts it leaves out, values it changes, fields it adds at the end. */
export interface ShownOptions {
  keeps?(index: number): boolean;
  change?<T>(value: T): T;
  /** Pieces of JSON that begin with a comma. */
  more?(): AsyncIterable<string>;
}

/**
 * A session as one JSON document, in pieces as they come. The parts of a message may lie apart on the timeline (parallel
 * work): the outline, a few bytes a part, says which they are, so a message is written whole and nothing waits in memory.
 */
export async function* showDocument(
  session: SessionDetail, work: SessionWork | null, outline: Outline, scope: ShownScope, reader: ShownParts, { keeps = () => true, change = (value) => value, more }: ShownOptions = {},
): AsyncIterable<string> {
  const text = (value: unknown): string => jsonText(change(value));
  const { summary, branches, edges, checkpoints, todos, damage, diagnoses, notices, revert, ...facts } = session;
  yield `{"session":${text({ ...summary, ...facts })},\n"branches":[`;
  // In pieces: each names all its messages, and a session that was rewound often has many.
  for (const [at, { messages, ...branch }] of branches.entries()) {
    yield `${at > 0 ? ',\n' : '\n'}${text(branch).slice(0, -1)},"messages":[`;
    for (let from = 0; from < messages.length; from += namesAtOnce) yield (from > 0 ? ',' : '') + text(messages.slice(from, from + namesAtOnce)).slice(1, -1);
    yield ']}';
  }
  yield `],\n"scope":${text({ branch: scope.branch, before: scope.before })},\n"messages":[`;
  let separator = '\n';
  for (const all of messagesOf(outline)) {
    const first = await reader.part(all[0] as number);
    const places = all.filter(keeps);
    if (!scope.includes(first.message.id, first.index) || places.length === 0) continue;
    const { id, nativeId, role, time, model, agentName } = first.message;
    yield `${separator}${text({ id, nativeId, role, time, model, agentName }).slice(0, -1)},"parts":[`;
    separator = ',\n';
    for (const [at, place] of places.entries()) {
      const part = await reader.part(place);
      if (part.message.id !== id) throw new SessionChanged();
      yield (at > 0 ? ',\n ' : '\n ') + text(partOf(part));
    }
    yield ']}';
  }
  yield `],\n"edges":${text(edges)},\n"checkpoints":${text(checkpoints)},\n"todos":${text(todos)},\n`;
  yield `"damage":${text(damage)},\n"diagnoses":${text(diagnoses)},\n"notices":${text(notices)},\n"revert":${text(revert)},\n"work":${text(work)}`;
  if (more) yield* more();
  yield '}\n';
}

/** Places of each message's parts, messages in order of first appearance. */
export function messagesOf({ messages }: Pick<Outline, 'messages'>): number[][] {
  if (!messages) throw new SessionChanged('The Retrace that has the library is of another version. End it and run the command again.');
  const places: number[][] = [];
  for (const [place, message] of messages.entries()) {
    const known = places[message];
    if (known) known.push(place);
    else places[message] = [place];
  }
  return places;
}

/** A part as documented in docs/cli.md: no field that would be null or empty for most parts. */
function partOf(part: PartView) {
  const { id, nativeId, index, kind, state, reason, injected, seen, time, bytes, title, text, tool, file, diagnoses } = part;
  return {
    id, nativeId, index, kind, state, reason, injected, seen, time, bytes, title,
    ...(text && { text: text.text }),
    ...(tool && { tool: { ...tool, input: tool.input?.text ?? null, output: tool.output?.text ?? null } }),
    ...(file && { file }),
    ...(diagnoses.length > 0 && { diagnoses }),
  };
}
