import type { ChangeCertainty, ChangePlace, RevertFile, RevertReason } from '@shared/model';
import { messageFlag, stateCode } from '../library/codes';
import { absent, type Content, sameContent, unknown } from '../diff/content';
import type { Composition } from '../diff/composition';
import type { FileTrack } from '../diff/file-track';
import type { Hunk } from '../diff/hunks';
import { netBetween } from '../diff/net-change';
import { keyOf, relativeTo } from '../diff/paths';
import { composeSession } from '../diff/session-changes';
import type { SessionSource } from '../diff/session-source';
import type { Reach } from '../queries/folder-state';
import type { ViewRow } from '../queries/part-rows';
import { type DiskFile, type LookedFolder, ProjectFiles } from './disk-file';
import { type ChangedLines, type FileFacts, type FileVerdict, verdictOf, withLineEndsOf, withoutLines } from './file-state';
import { memoryFilesAfter } from './memory-files';
import { type KeptState, RecordedStates } from './recorded-states';
import { becauseOf } from './sentences';

/** Places of changes that go along with a file. */
const placesTold = 20;

/** A file of a point as the records have it. */
export interface PlannedFile {
  path: string;
  relative: string | null;
  kept: KeptState;
  left: Content;
  lines: ChangedLines | null;
  /** A renamed file whose content is not recorded: the content of the file at its new path, less the lines. */
  renamedTo: { path: string; lines: ChangedLines } | null;
  had(content: Content): boolean;
  atBegin: FileFacts['atBegin'];
  missing: RevertReason;
  /** Changed by the session after the point; else it is only in the agent's checkpoint. */
  isOwn: boolean;
  isMemory: boolean;
  certainty: ChangeCertainty;
  evidence: string[];
  gaps: string[];
  changedOutside: boolean;
  places: ChangePlace[];
}

const reverted = stateCode.code('reverted');
/** Their files stay when a conversation goes back, or go back by themselves. */
const leavesFilesOf = ({ agent }: SessionSource): boolean => agent === 'codex' || agent === 'claude-code';
const isInherited = (row: ViewRow): boolean => ((row.messageFlags ?? 0) & messageFlag.inherited) !== 0;

/** Puts together what the records tell of the files a session changed after a point. */
export class FilePlans {
  readonly states: RecordedStates;
  readonly #notes: string[] = [];

  constructor(
    readonly source: SessionSource,
    readonly point: ViewRow,
    now: number,
  ) {
    this.states = new RecordedStates(source, point, now);
  }

  /** Recorded folders that files may lie in. */
  get folders(): string[] {
    return [...new Set([this.source.folder, this.source.root].filter((folder) => folder !== null && folder !== ''))] as string[];
  }

  async make(): Promise<PlannedFile[]> {
    const { source, point } = this;
    const includes = this.#includes();
    this.states.walk((row) => leavesFilesOf(source) || row.state !== reverted);
    const { composition, notes } = await composeSession(source, { from: point.seq, to: Number.MAX_SAFE_INTEGER, sightings: true, includes });
    this.#notes.push(...notes.filter((note) => !source.problems.has(note)));
    const begin = await this.#begin(composition, includes);
    const memory = memoryFilesAfter(source, point.seq);
    const files = new Map<string, PlannedFile>();
    for (const [key, track] of composition.tracks()) for (const file of await this.#planned(track, begin, memory.has(key))) files.set(file.path === track.path ? key : keyOf(file.path, source.folder), file);
    for (const [key, { path, place }] of memory) if (!files.has(key)) files.set(key, memoryFile(path, place));
    for (const path of this.states.paths()) {
      const key = keyOf(path, source.folder);
      if (!files.has(key)) files.set(key, await this.#tracked(path, begin.track(path)));
    }
    if (isInherited(point)) this.#notes.push('The message came with the fork: what the session it was taken from did to files is told there.');
    return [...files.values()];
  }

  notes(): string[] {
    return [...this.#notes, ...this.source.problems];
  }

  /** What lies on the disk is what the session did in the order of time, on all branches, less what was taken back with its files. */
  #includes(): (row: ViewRow) => boolean {
    const leavesFiles = leavesFilesOf(this.source);
    return (row) => (leavesFiles || row.state !== reverted) && !isInherited(row);
  }

  /** The whole session: a file that would be deleted must not have been there when it began, and what the session had is nobody else's work. */
  async #begin(composition: Composition, includes: (row: ViewRow) => boolean): Promise<Composition> {
    if (this.point.seq === 0) return composition;
    return (await composeSession(this.source, { from: 0, to: Number.MAX_SAFE_INTEGER, sightings: true, includes })).composition;
  }

  /** A renamed file is two: the new name goes, the old one comes back. */
  async #planned(track: FileTrack, begin: Composition, isMemory: boolean): Promise<PlannedFile[]> {
    const { path, firstPath, origin, now } = track;
    const { folder } = this.source;
    const atBegin = (first: string): FileFacts['atBegin'] => {
      const state = begin.track(first)?.origin.state ?? 'unknown';
      return state === 'unknown' ? 'unknown' : state === 'absent' ? 'not there' : 'there';
    };
    const lines = track.lines();
    if (keyOf(firstPath, folder) === keyOf(path, folder)) return [await this.#file(begin, track, path, { before: origin, left: now, lines, renamedTo: null, atBegin: atBegin(path), isMemory })];
    const made = await this.#file(begin, track, path, { before: absent, left: now, lines, renamedTo: null, atBegin: origin.state === 'absent' ? atBegin(path) : 'not there', isMemory });
    if (origin.state === 'absent') return [made];
    return [made, await this.#file(begin, track, firstPath, { before: origin, left: absent, lines: null, renamedTo: origin.state === 'unknown' && lines ? { path, lines } : null, atBegin: 'there', isMemory })];
  }

  async #file(whole: Composition, track: FileTrack, path: string, facts: { before: Content } & Pick<PlannedFile, 'left' | 'lines' | 'renamedTo' | 'atBegin' | 'isMemory'>): Promise<PlannedFile> {
    const { before, ...told } = facts;
    const kept = await this.states.of(path, before);
    const fromLines = kept.origin === 'records' && kept.content.state === 'unknown';
    return {
      path, relative: relativeTo(path, this.source.folder), kept: fromLines ? { ...kept, origin: 'patch' } : kept, ...told, had: (content) => track.had(content) || whole.track(path)?.had(content) === true, missing: this.#missing(), isOwn: true,
      ...track.trust(), changedOutside: track.outside.some(({ restored }) => !restored), places: track.places.slice(0, placesTold),
    };
  }

  #missing(): RevertReason {
    if (this.source.agent === 'opencode' && this.source.checkpoints.length > 0) return 'trees gone';
    return this.source.agent === 'claude-code' && this.states.hasCheckpoint ? 'backup gone' : 'not recorded';
  }

  /** In the agent's checkpoint, and not changed by the session after it. */
  async #tracked(path: string, track: FileTrack | undefined): Promise<PlannedFile> {
    const kept = await this.states.of(path, unknown);
    return {
      path, relative: relativeTo(path, this.source.folder), kept, left: kept.content, lines: null, renamedTo: null, had: (content) => track?.had(content) ?? false, atBegin: 'there', missing: this.#missing(), isOwn: false, isMemory: false,
      certainty: 'recorded', evidence: [], gaps: [], changedOutside: false, places: [],
    };
  }
}

function memoryFile(path: string, place: ChangePlace): PlannedFile {
  return {
    path, relative: null, kept: { content: unknown, origin: 'records', keptUntil: null, agent: memoryAgent }, left: unknown, lines: null, renamedTo: null, had: () => false, atBegin: 'unknown', missing: 'not recorded',
    isOwn: true, isMemory: true, certainty: 'recorded', evidence: [], gaps: [], changedOutside: false, places: [place],
  };
}

const memoryAgent = { restores: false, because: 'What was remembered stays when the conversation goes back.' };

/** A file with what the disk says of it. */
export interface LookedFile {
  planned: PlannedFile;
  now: DiskFile;
  verdict: FileVerdict;
  /** What going back would leave, with the line ends of the file. */
  result: Content;
  hunks: Hunk[] | null;
  file: RevertFile;
}

/** Looks at the files on the disk. Those of the agent's checkpoint that are as they were are left out. */
export async function foundFiles(folders: readonly string[], reach: Reach, planned: readonly PlannedFile[]): Promise<{ folder: LookedFolder; files: LookedFile[]; disk: ProjectFiles }> {
  const disk = new ProjectFiles(folders, reach);
  const files: LookedFile[] = [];
  for (const each of planned) {
    const now: DiskFile = each.isMemory ? { state: 'refused', reason: 'outside' } : await disk.read(each.path);
    const looked = lookedFile(await withRenamed(each, disk), now);
    if (looked) files.push(looked);
  }
  return { folder: await disk.folder(), files, disk };
}

async function withRenamed(planned: PlannedFile, disk: ProjectFiles): Promise<PlannedFile> {
  if (!planned.renamedTo) return planned;
  const content = withoutLines(planned.renamedTo.lines, diskContent(await disk.read(planned.renamedTo.path)));
  return content === null ? planned : { ...planned, kept: { ...planned.kept, content } };
}

function lookedFile(planned: PlannedFile, now: DiskFile): LookedFile | null {
  const { kept, left, lines, had, atBegin, missing } = planned;
  const found = verdictOf({ before: kept.content, left, now, lines, had, atBegin, missing });
  const verdict = planned.isMemory ? { ...found, state: 'memory' as const, reason: null, result: unknown } : planned.isOwn || (now.state === 'read' && had(now.content)) ? found : foreign(found);
  if (!planned.isOwn && (verdict?.state === 'unchanged' || verdict?.state === 'cannot')) return null;
  if (!verdict) return null;
  const disk = diskContent(now);
  const result = kept.origin === 'records' ? withLineEndsOf(verdict.result, disk) : verdict.result;
  const { state, reason } = verdict;
  const net = result.state === 'unknown' || disk.state === 'unknown' || sameContent(disk, result) ? null : netBetween(disk, result, null, false);
  const isKnown = kept.content.state !== 'unknown' || verdict.fromLines;
  const agent = planned.isMemory ? memoryAgent : hardLinked(planned, now) ?? kept.agent;
  const file: RevertFile = {
    path: planned.path, relative: planned.relative, state, reason, because: becauseOf(state, reason, planned.isOwn && (left.state === 'unknown' || sameContent(disk, left))),
    kind: net === null ? 'none' : net.kind === 'create' || net.kind === 'delete' || net.kind === 'binary' ? net.kind : 'edit',
    added: net ? net.added : result.state === 'unknown' ? null : 0, removed: net ? net.removed : result.state === 'unknown' ? null : 0,
    certainty: planned.certainty, evidence: planned.evidence, gaps: planned.gaps, origin: isKnown ? (verdict.fromLines ? 'patch' : kept.origin) : null, keptUntil: kept.keptUntil, agent,
    before: kept.content.state, left: left.state, now: disk.state, changedOutside: planned.changedOutside, places: planned.places,
  };
  return { planned, now, verdict, result, hunks: net?.hunks ?? null, file };
}

/** Only a file that others changed is worth telling. */
function foreign(verdict: FileVerdict): FileVerdict | null {
  return verdict.state === 'unchanged' || verdict.state === 'cannot' ? null : { ...verdict, state: 'left alone', reason: null };
}

/** Claude Code passes over files that have a second name. */
function hardLinked({ kept }: PlannedFile, now: DiskFile): RevertFile['agent'] | null {
  return kept.origin === 'checkpoint' && now.state === 'read' && now.links > 1 ? { restores: false, because: 'The file has a second name on the disk (a hard link): Claude Code passes over it.' } : null;
}

export const diskContent = (now: DiskFile): Content => (now.state === 'read' ? now.content : now.state === 'absent' ? { state: 'absent' } : unknown);
