import type { Outline } from '@shared/contract';
import type { PartView, SessionDetail, SessionWork } from '@shared/model';
import { Refusal } from './command-context';
import { jsonText } from './json-text';
import type { PartReader } from './part-reader';
import type { Scope } from './session-scope';

/**
 * A session as one JSON document, in pieces as they come. The parts of a message may lie apart on the timeline (parallel
 * work): the outline, a few bytes a part, says which they are, so a message is written whole and nothing waits in memory.
 */
export async function* showDocument(session: SessionDetail, work: SessionWork | null, outline: Outline, scope: Scope, reader: PartReader): AsyncIterable<string> {
  const { summary, branches, edges, checkpoints, todos, damage, diagnoses, notices, revert, ...facts } = session;
  yield `{"session":${jsonText({ ...summary, ...facts })},\n"branches":[`;
  // One at a time: each names all its messages, and a session that was rewound often has many.
  for (const [at, branch] of branches.entries()) yield (at > 0 ? ',\n' : '\n') + jsonText(branch);
  yield `],\n"scope":${jsonText({ branch: scope.branch, before: scope.before })},\n"messages":[`;
  let separator = '\n';
  for (const places of messagesOf(outline)) {
    const first = await reader.part(places[0] as number);
    if (!scope.includes(first.message.id)) continue;
    const { id, nativeId, role, time, model, agentName } = first.message;
    yield `${separator}${jsonText({ id, nativeId, role, time, model, agentName }).slice(0, -1)},"parts":[`;
    separator = ',\n';
    for (const [at, place] of places.entries()) {
      const part = await reader.part(place);
      if (part.message.id !== id) throw new Refusal('The session changed while it was read. Run the command again.');
      yield (at > 0 ? ',\n ' : '\n ') + jsonText(partOf(part));
    }
    yield ']}';
  }
  yield `],\n"edges":${jsonText(edges)},\n"checkpoints":${jsonText(checkpoints)},\n"todos":${jsonText(todos)},\n`;
  yield `"damage":${jsonText(damage)},\n"diagnoses":${jsonText(diagnoses)},\n"notices":${jsonText(notices)},\n"revert":${jsonText(revert)},\n"work":${jsonText(work)}}\n`;
}

/** Places of each message's parts, messages in order of first appearance. */
export function messagesOf({ messages }: Pick<Outline, 'messages'>): number[][] {
  if (!messages) throw new Refusal('The Retrace that has the library is of another version. End it and run the command again.');
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
