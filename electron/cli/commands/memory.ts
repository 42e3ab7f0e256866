import type { InstructionFile, MemoryCall, MemoryFile, MemoryFolder, MemoryPiece, MemoryProject, ProjectMemory } from '@shared/model';
import { spellingOf } from '../../engine/stores/foreign/spelling';
import { type CommandContext, Refusal } from '../command-context';
import { byteCount, countOf, localTime } from '../figures';
import { plainLine, shorten } from '../plain-text';
import type { MemoryRequest } from '../request';
import type { ExitCode } from '../surroundings';
import { type Column, table } from '../table';

/** Lines asked for at once: the contract's limit for one window. */
const windowLines = 500;
/** Columns of a piece's first line that are printed. */
const pieceWidth = 60;

type WrittenPiece = MemoryPiece & { text: string };

const columns: readonly Column[] = [
  { head: 'CHANGED' },
  { head: 'PROJECT', style: 'bold' },
  { head: 'FILES', align: 'right' },
  { head: 'WRITES', align: 'right' },
  { head: 'REWOUND', align: 'right' },
  { head: 'SESSION GONE', align: 'right' },
  { head: 'INSTRUCTIONS', align: 'right' },
  { head: 'FOLDER', style: 'dim' },
];

/** `retrace memory`: the projects that have memory, or what one of them remembers, what of it is loaded, and who wrote it. */
export async function memory(context: CommandContext, { project }: MemoryRequest): Promise<ExitCode> {
  const list = await context.engine.call('memory.list', {});
  if (project === null) return listProjects(context, list);
  const [found, another] = projectsNamed(list, project);
  if (!found) throw new Refusal(`There is no memory of a project ${JSON.stringify(project)}.`);
  if (another) throw new Refusal(`Several projects are called ${JSON.stringify(project)}: ${[found, another].map(({ folder, key }) => folder ?? key).join(', ')}${projectsNamed(list, project).length > 2 ? ', …' : ''}. Name its folder.`);
  const known = await context.engine.call('memory.of', { project: found.key });
  if (!known) throw new Refusal(`There is no memory of a project ${JSON.stringify(project)}.`);
  const pieces = new Map<string, WrittenPiece[]>();
  for (const file of known.folders.flatMap(({ files }) => files)) pieces.set(file.id, await piecesOf(context, file));
  if (context.json) {
    await context.out.json({ ...known, folders: known.folders.map((folder) => ({ ...folder, files: folder.files.map((file) => ({ ...file, pieces: pieces.get(file.id) ?? [] })) })) });
  } else {
    for (const line of linesOf(known, pieces, context.paint)) await context.out.line(line);
  }
  return 0;
}

async function listProjects({ out, warn, json, width, paint }: CommandContext, list: readonly MemoryProject[]): Promise<ExitCode> {
  if (json) {
    await out.jsonList(list);
    await out.line();
  } else if (list.length === 0) {
    warn('No project has memory, and no session recorded instructions.');
  } else {
    for (const line of table(columns, list.map(rowOf), width, paint)) await out.line(line);
  }
  return list.length > 0 ? 0 : 1;
}

const rowOf = ({ changed, name, files, writes, rewound, sessionGone, instructions, folder, key }: MemoryProject): string[] => [
  localTime(changed), plainLine(name), String(files), String(writes), String(rewound), String(sessionGone), String(instructions), plainLine(folder ?? key),
];

/** A key or a folder names one project; a name may be that of several. */
function projectsNamed(list: readonly MemoryProject[], name: string): MemoryProject[] {
  const exact = list.filter(({ key }) => key === name || key === spellingOf(name));
  return exact.length > 0 ? exact : list.filter((project) => project.name.toLowerCase() === name.toLowerCase());
}

async function piecesOf({ engine }: CommandContext, { id, lines }: MemoryFile): Promise<WrittenPiece[]> {
  const pieces = new Map<number, MemoryPiece>();
  const text: string[] = [];
  for (let from = 1; from <= (lines ?? 0); from += windowLines) {
    const answer = await engine.call('memory.file', { file: id, from, count: windowLines });
    text.push(...(answer?.lines ?? []));
    for (const piece of answer?.pieces ?? []) pieces.set(piece.from, piece);
  }
  return [...pieces.values()].map((piece) => ({ ...piece, text: text.slice(piece.from - 1, piece.to).join('\n') }));
}

function* linesOf({ name, folder, folders, instructions, instructionsTotal }: ProjectMemory, pieces: ReadonlyMap<string, WrittenPiece[]>, paint: CommandContext['paint']): Iterable<string> {
  yield `${paint('bold', plainLine(name))}${folder === null ? '' : `  ${plainLine(folder)}`}`;
  for (const place of folders) yield* folderLines(place, pieces, paint);
  if (instructions.length > 0) yield paint('bold', 'instructions that sessions recorded');
  for (const file of instructions) yield instructionLine(file);
  if (instructionsTotal > instructions.length) yield `  and ${countOf(instructionsTotal - instructions.length, 'more file')}`;
}

function* folderLines({ kind, copy, path, files, filesTotal, sharedWith, shell, shellTotal }: MemoryFolder, pieces: ReadonlyMap<string, WrittenPiece[]>, paint: CommandContext['paint']): Iterable<string> {
  yield `${paint('bold', kind === 'auto memory' ? 'memory' : kind)}  ${plainLine(path)}${copy === 'frozen' ? '  (a copy left behind)' : ''}`;
  if (sharedWith.length > 0) yield `  shared with ${sharedWith.map((project) => plainLine(project.key)).join(', ')}`;
  for (const file of files) {
    yield `  ${paint('cyan', plainLine(file.name))}  ${factsOf(file)}${file.plan === null ? '' : ` · plan ${plainLine(file.plan.name)}`}`;
    for (const place of file.damage) yield `    ${paint('yellow', 'damaged')}: ${plainLine(place.reason)}`;
    for (const piece of pieces.get(file.id) ?? []) {
      yield `    ${range(piece).padEnd(9)} ${shorten(plainLine(piece.text.split('\n')[0] ?? ''), pieceWidth)}`;
      yield paint('dim', `              ${piece.scaffold ? 'put there by the plugin when work on the plan began (inferred)' : piece.writer === null ? 'nobody recorded who wrote this' : writerOf(piece.writer, piece.certainty === 'inferred')}`);
    }
  }
  if (filesTotal > files.length) yield `  and ${countOf(filesTotal - files.length, 'more file')}`;
  for (const call of shell) yield `  a shell command named this folder: ${writerOf(call, false)}`;
  if (shellTotal > shell.length) yield `  and ${countOf(shellTotal - shell.length, 'more shell command')}`;
}

function factsOf({ state, role, lines, bytes, loaded, versions }: MemoryFile): string {
  if (state === 'never read') return 'was never read: only the calls that wrote it are known';
  const size = `${state === 'gone' ? 'deleted; its last text: ' : ''}${lines === null ? '' : `${countOf(lines, 'line')}, `}${byteCount(bytes)}${versions > 1 ? `, ${countOf(versions, 'version')}` : ''}`;
  if (role !== 'index') return `${size} · not loaded at start`;
  if (loaded === null) return size;
  if (loaded.limit === null) return `${size} · all loaded at start`;
  return `${size} · lines 1 to ${loaded.lines} are loaded at start, ${countOf((lines ?? 0) - loaded.lines, 'line')} after them ${(lines ?? 0) - loaded.lines === 1 ? 'is' : 'are'} not (${loaded.limit === 'lines' ? 'too many lines' : 'too many bytes'})`;
}

const range = ({ from, to }: MemoryPiece): string => (from === to ? `${from}` : `${from}-${to}`);

const markWords: Record<MemoryCall['marks'][number], string> = { rewound: 'that turn was rewound', 'session gone': 'that session is gone' };

function writerOf({ act, time, part, marks, outcome }: MemoryCall, inferred: boolean): string {
  const remarks = [...(inferred ? ['inferred'] : []), ...(outcome === 'unknown' ? ['no result recorded'] : []), ...marks.map((mark) => markWords[mark])];
  return `${act} ${localTime(time)} ${plainLine(part)}${remarks.length > 0 ? ` (${remarks.join(', ')})` : ''}`;
}

function instructionLine({ path, kind, certainty, sessions, times, last, loads }: InstructionFile): string {
  const by = loads[0] ? ` by ${plainLine(loads[0].session)}` : '';
  return `  ${plainLine(path)}  ${plainLine(kind)}${certainty === 'inferred' ? ', path inferred' : ''} · ${countOf(times, 'time')} in ${countOf(sessions, 'session')}, last ${localTime(last)}${by}`;
}
