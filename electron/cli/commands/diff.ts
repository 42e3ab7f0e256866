import type { Engine } from '@shared/link';
import { type DiffScope, type FileChange, type FileChanges, type FileDiff, partId, type SessionId } from '@shared/model';
import { type CommandContext, Refusal } from '../command-context';
import { jsonText } from '../json-text';
import { plainLine, plainText } from '../plain-text';
import type { DiffRequest } from '../request';
import { sessionNamed } from '../sessions';
import type { ExitCode } from '../surroundings';
import { revertPreview } from './revert-preview';

/** Files asked for at once, and characters of a patch that is too large to come whole. */
const windows = { files: 500, patch: 1_000_000 };

/** `retrace diff`: what a session did to files, as a list, as one document, or as one patch. */
export async function diff(context: CommandContext, request: DiffRequest): Promise<ExitCode> {
  const session = await sessionNamed(context.engine, request.session);
  if (request.scope.kind === 'revert') return revertPreview(context, session, request.scope.before, request.patch);
  const scope = await scopeOf(context.engine, session, request.scope);
  const first = await context.engine.call('diff.files', { session, scope, from: 0, count: windows.files });
  if (!first) throw new Refusal(missing(scope));
  const reader = new FileReader(context.engine, session, scope, first);
  if (context.json) await writeDocument(context, reader);
  else if (request.patch) await writePatches(context, reader);
  else await writeList(context, reader);
  return first.total > 0 ? 0 : 1;
}

async function scopeOf(engine: Engine, session: SessionId, scope: Exclude<DiffRequest['scope'], { kind: 'revert' }>): Promise<DiffScope> {
  if (scope.kind === 'part') return { kind: 'part', part: scope.part.startsWith(`${session}#`) ? scope.part : partId(session, scope.part) };
  return scope.kind === 'against' ? { kind: 'against', session: await sessionNamed(engine, scope.session) } : scope;
}

function missing(scope: DiffScope): string {
  if (scope.kind === 'turn') return `There is no turn ${scope.turn} in this session.`;
  if (scope.kind === 'part') return `There is no part ${JSON.stringify(scope.part)} in this session.`;
  return scope.kind === 'branch' ? `There is no branch ${JSON.stringify(scope.branch)} in this session.` : 'There is no such session.';
}

/** The files of a scope in windows, and their lines one file at a time. */
class FileReader {
  constructor(
    readonly engine: Engine,
    readonly session: SessionId,
    readonly scope: DiffScope,
    readonly first: FileChanges,
  ) {}

  async *files(): AsyncIterable<FileChange> {
    for (let answer: FileChanges | null = this.first; answer && answer.files.length > 0; ) {
      yield* answer.files;
      const from: number = answer.from + answer.files.length;
      answer = from < answer.total ? await this.engine.call('diff.files', { session: this.session, scope: this.scope, from, count: windows.files }) : null;
    }
  }

  async diff(path: string): Promise<FileDiff> {
    const found = await this.engine.call('diff.file', { session: this.session, scope: this.scope, path });
    if (!found) throw new Refusal('The session changed while it was read. Run the command again.');
    return found;
  }

  /** A patch in pieces; none when its lines are not known. */
  async *patch(found: FileDiff): AsyncIterable<string> {
    if (found.patch !== null) yield found.patch;
    for (let from = 0; found.large && from < found.large.chars; from += windows.patch) {
      const piece = await this.engine.call('diff.file', { session: this.session, scope: this.scope, path: found.file.path, window: { from, count: windows.patch } });
      yield piece?.window?.text ?? '';
    }
  }
}

/** One document, a file a line, written as it is read. */
async function writeDocument({ out }: CommandContext, reader: FileReader): Promise<void> {
  const { session, scope, folder, total, added, removed, notes } = reader.first;
  await out.write(`${jsonText({ session, scope, folder, total, added, removed, notes }).slice(0, -1)},"files":[`);
  let separator = '\n';
  for await (const file of reader.files()) {
    const found = await reader.diff(file.path);
    const hasPatch = found.patch !== null || found.large !== null;
    const { path, kind, added: plus, removed: minus, certainty, ...rest } = file;
    await out.write(`${separator}${jsonText({ path, kind, added: plus, removed: minus, certainty, ...rest, applies: found.applies }).slice(0, -1)},"patch":${hasPatch ? '"' : 'null'}`);
    // A string in pieces: the quotes of each piece are taken off.
    for await (const piece of reader.patch(found)) await out.write(jsonText(piece).slice(1, -1));
    await out.write(hasPatch ? '"}' : '}');
    separator = ',\n';
  }
  await out.write(total > 0 ? '\n]}\n' : ']}\n');
}

/** What `git apply` would refuse is named in lines that it passes over. */
async function writePatches({ out, warn, isTerminal }: CommandContext, reader: FileReader): Promise<void> {
  for (const note of reader.first.notes) warn(plainLine(note));
  for await (const file of reader.files()) {
    const found = await reader.diff(file.path);
    if (!found.applies) {
      await out.line(plainLine(`# ${shownPath(file)}: ${refusalOf(file, found)}`));
      continue;
    }
    // A terminal gets no control characters, a pipe gets every byte.
    for await (const piece of reader.patch(found)) await out.write(isTerminal ? plainText(piece) : piece);
  }
}

function refusalOf(file: FileChange, { patch, large }: FileDiff): string {
  if (file.before === 'binary' || file.after === 'binary') return 'binary, not in this patch';
  if (patch === null && large === null) return 'its lines are not known, not in this patch';
  if (file.relative === null) return 'it lies outside the folder of the session, not in this patch';
  return 'its lines have no certain place in the file, not in this patch';
}

async function writeList({ out, warn, paint }: CommandContext, reader: FileReader): Promise<void> {
  const { total, added, removed, notes } = reader.first;
  if (total === 0) warn('No change of a file is known.');
  for await (const file of reader.files()) {
    const counts = `+${file.added ?? '?'} −${file.removed ?? '?'}`;
    const remarks = [...(file.certainty === 'recorded' ? [] : [file.certainty]), ...outsideOf(file)];
    await out.line(plainLine(`${letters[file.kind]} ${shownPath(file)}  ${counts}${remarks.length > 0 ? `  (${remarks.join(', ')})` : ''}`));
    for (const line of [...file.evidence, ...file.gaps]) await out.line(paint('dim', plainLine(`    ${line}`)));
  }
  if (total > 0) await out.line(`${total === 1 ? '1 file' : `${total} files`}, +${added} −${removed}`);
  for (const note of notes) await out.line(paint('dim', plainLine(note)));
}

/** What others did in between; a rewind, or an undo, only brings back what the session had before. */
function outsideOf({ outside }: FileChange): string[] {
  if (outside.some(({ restored }) => !restored)) return ['changed outside checkpoints'];
  return outside.length > 0 ? ['taken back in between'] : [];
}

/** As git's own short lists have them; `B` for a binary file, `X` for a mode. */
const letters: Record<FileChange['kind'], string> = { create: 'A', edit: 'M', delete: 'D', rename: 'R', mode: 'X', binary: 'B' };

const shownPath = ({ path, relative, oldPath, oldRelative }: FileChange): string => `${oldPath === null ? '' : `${oldRelative ?? oldPath} → `}${relative ?? path}`;
