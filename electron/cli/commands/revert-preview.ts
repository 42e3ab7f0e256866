import type { Engine } from '@shared/link';
import { partId, type PendingRevert, type RevertFile, type RevertFileState, type RevertFileView, type RevertPreview, type RevertRefusal, type SessionId } from '@shared/model';
import { type CommandContext, Refusal } from '../command-context';
import { jsonText } from '../json-text';
import { plainLine, plainText } from '../plain-text';
import type { ExitCode } from '../surroundings';

/** Files asked for at once. */
const fileWindow = 500;

/** `retrace diff --revert-to`: what going back to before a message would do, as a list, as one document, or as one patch. Nothing is written. */
export async function revertPreview(context: CommandContext, session: SessionId, message: string, patch: boolean): Promise<ExitCode> {
  const before = message.startsWith(`${session}#`) ? message : partId(session, message);
  const first = await context.engine.call('revert.preview', { session, before, from: 0, count: fileWindow });
  if (!first) throw new Refusal('There is no such session.');
  if ('refused' in first) throw new Refusal(first.refused);
  const reader = new PreviewReader(context.engine, before, first);
  if (context.json) await writeDocument(context, reader);
  else if (patch) await writePatches(context, reader);
  else await writeList(context, reader);
  return 0;
}

/** The files of a preview in windows, and their lines one file at a time. */
class PreviewReader {
  constructor(
    readonly engine: Engine,
    readonly before: string,
    readonly first: RevertPreview,
  ) {}

  async *files(): AsyncIterable<RevertFile> {
    const { session } = this.first;
    for (let answer: RevertPreview | null = this.first; answer && answer.files.length > 0; ) {
      yield* answer.files;
      const from: number = answer.from + answer.files.length;
      const next: RevertPreview | RevertRefusal | null = from < answer.total ? await this.engine.call('revert.preview', { session, before: this.before, from, count: fileWindow }) : null;
      answer = next && !('refused' in next) ? next : null;
    }
  }

  async view({ path }: RevertFile): Promise<RevertFileView> {
    const found = await this.engine.call('revert.file', { session: this.first.session, before: this.before, path });
    if (!found) throw new Refusal('The session changed while it was read. Run the command again.');
    return found;
  }
}

/** One document, a file a line, written as it is read. */
async function writeDocument({ out }: CommandContext, reader: PreviewReader): Promise<void> {
  const { session, point, moved, folder, total, counts, conversation, pending, actions, notes } = reader.first;
  const head = { session, scope: { kind: 'revert', before: point.message }, folder, total, counts, point, moved, conversation, pending, actions, notes };
  await out.write(`${jsonText(head).slice(0, -1)},"files":[`);
  let separator = '\n';
  for await (const file of reader.files()) {
    const { patch, large, merge } = await reader.view(file);
    const { path, kind, added, removed, certainty, ...rest } = file;
    await out.write(`${separator}${jsonText({ path, kind, added, removed, certainty, ...rest, merge: merge && { disputed: merge.disputed }, large, patch })}`);
    separator = ',\n';
  }
  await out.write(total > 0 ? '\n]}\n' : ']}\n');
}

/** From the disk as it is to what going back would leave. What is not certain is named in lines that `git apply` passes over. */
async function writePatches({ out, warn, isTerminal }: CommandContext, reader: PreviewReader): Promise<void> {
  for (const note of reader.first.notes) warn(plainLine(note));
  for await (const file of reader.files()) {
    if (file.state === 'unchanged') continue;
    const { patch, large } = await reader.view(file);
    const isCertain = file.state === 'restorable' || file.state === 'deleted' || file.state === 'recreated';
    if (isCertain && file.relative !== null && patch !== null) await out.write(isTerminal ? plainText(patch) : patch);
    else await out.line(plainLine(`# ${shown(file)}: ${isCertain ? (large ? 'its patch is too large' : 'its lines are not known') : `${wordOf[file.state]}. ${file.because}`} Not in this patch.`));
  }
}

async function writeList({ out, paint, warn }: CommandContext, reader: PreviewReader): Promise<void> {
  const { point, moved, conversation, pending, actions, notes, folder, total } = reader.first;
  await out.line(plainLine(`Before turn ${point.turn}: ${point.title}`));
  if (moved !== null) await out.line(paint('dim', plainLine(moved)));
  if (pending) await out.line(plainLine(pendingLine(pending)));
  const { kept, turns, messages } = conversation;
  const stays = kept ? `; ${kept.parts} parts stay, ${kept.estimated ? '~' : ''}${kept.tokens} tokens` : '';
  await out.line(`${turns} turns with ${messages} messages would be taken back${stays}.`);
  await out.line('');
  for (const { kind, by, available, refused, conversation: said, files } of actions) {
    await out.line(plainLine(`${available ? '*' : '-'} ${kind} (${by === 'agent' ? 'the agent’s own way' : 'Retrace, file by file'})`));
    for (const line of refused === null || by === 'retrace' ? [said, files] : [refused]) await out.line(paint('dim', `    ${plainLine(line)}`));
  }
  await out.line('');
  if (total === 0) await out.line('No file would change.');
  for await (const file of reader.files()) await writeFile({ out, paint }, file);
  if (folder.state !== 'present') warn(plainLine(`${folder.looked ?? 'The folder of the session'}: ${folder.reason ?? 'it is not there'}`));
  for (const note of notes) await out.line(paint('dim', plainLine(note)));
  await out.line(paint('dim', 'Nothing was written. A plan is made by retrace revert.'));
}

async function writeFile({ out, paint }: Pick<CommandContext, 'out' | 'paint'>, file: RevertFile): Promise<void> {
  const { state, kind, added, removed, because, agent, keptUntil, changedOutside } = file;
  const counts = kind === 'none' ? '' : `  +${added ?? '?'} −${removed ?? '?'}`;
  const remarks = [agent.restores ? 'the agent takes it back' : 'the agent leaves it', ...(changedOutside ? ['changed outside checkpoints'] : [])];
  await out.line(`${letters[state]} ${plainLine(shown(file))}${counts}  ${wordOf[state]} (${remarks.join(', ')})`);
  if (state === 'unchanged') return;
  const kept = keptUntil && keptUntil.state !== 'later' ? [`${keptUntil.from} ${keptUntil.state === 'passed' ? `That day was ${keptUntil.day}.` : `That is ${keptUntil.day}.`}`] : [];
  for (const line of [because, ...(agent.restores ? [] : [agent.because]), ...kept]) await out.line(paint('dim', `    ${plainLine(line)}`));
}

const pendingLine = ({ hiddenMessages, files }: PendingRevert): string => `A revert is pending: ${hiddenMessages} messages are hidden, ${files.length} files were taken back.`;

const letters: Record<RevertFileState, string> = { conflict: '!', restorable: 'M', deleted: 'D', recreated: 'A', memory: '~', cannot: '?', 'left alone': '=', unchanged: ' ' };
const wordOf: Record<RevertFileState, string> = {
  conflict: 'conflict', restorable: 'would be taken back', deleted: 'would be deleted', recreated: 'would come back', memory: 'memory, stays', cannot: 'cannot be taken back', 'left alone': 'would be left alone', unchanged: 'as it was',
};

const shown = ({ path, relative }: RevertFile): string => relative ?? path;
