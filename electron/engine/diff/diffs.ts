import type { Checked } from '@shared/contract';
import { asSessionId, assertNever, type ChangeHunk, type DiffScope, type FileBytes, type FileChanges, type FileDiff, type LineWriter, type UnchangedLines } from '@shared/model';
import { messageFlag, stateCode } from '../library/codes';
import type { Db } from '../library/database';
import { sessionDetail } from '../queries/detail';
import type { Reach } from '../queries/folder-state';
import { findSession } from '../queries/session-summary';
import type { ViewRow } from '../queries/part-rows';
import { messageKeyOf } from '../queries/part-rows';
import type { Timeline } from '../queries/timeline';
import { compareEnds } from './against';
import { type Entry, entryOf } from './entry';
import { fileBytes } from './file-bytes';
import type { FileTrack } from './file-track';
import { drawnHunk } from './hunks';
import { keptLine } from './line-writers';
import type { NetChange } from './net-change';
import { isSafePath, writePatch } from './patch-writer';
import { withRenames } from './renames';
import { type Composed, composeSession, type Selection } from './session-changes';
import { SessionSource } from './session-source';
import { Turns } from './turns';
import { lineCountOf, lineWindow, wholeBefore } from './unchanged-lines';

/** A patch that goes over the link whole: characters, and lines. A larger one is had in windows. */
const limits = { chars: 1_000_000, lines: 20_000 };
/** Answers kept to be asked for file by file. */
const kept = 3;

/** What a scope came to. */
interface Answer {
  folder: string | null;
  files: Entry[];
  notes: string[];
}

/** Said where renames with changes were not all looked for. */
const renamesCut = 'Many files came and went: renames of changed files were looked for among files of one name only, or not at all.';

const reverted = stateCode.code('reverted');
const offBranch = stateCode.code('off-branch');

/** Answers what sessions did to files. */
export class Diffs {
  readonly #kept = new Map<string, Promise<Answer | null>>();

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    readonly reach: () => Reach,
    readonly revision: () => number,
  ) {}

  async files({ session, scope, from, count }: Checked<'diff.files'>): Promise<FileChanges | null> {
    const answer = await this.#answer(session, scope);
    if (!answer) return null;
    const sum = (side: 'added' | 'removed') => answer.files.reduce((total, { change }) => total + (change[side] ?? 0), 0);
    return {
      session: asSessionId(session), scope, folder: answer.folder, total: answer.files.length, added: sum('added'), removed: sum('removed'), from,
      files: answer.files.slice(from, from + count).map(({ change }) => change), notes: answer.notes,
    };
  }

  async file({ session, scope, path, window }: Checked<'diff.file'>): Promise<FileDiff | null> {
    const answer = await this.#answer(session, scope);
    const entry = answer?.files.find(({ change }) => change.path === path);
    return entry ? drawn(entry, window ?? null) : null;
  }

  /** Lines that a patch leaves out. */
  async lines({ session, scope, path, from, count }: Checked<'diff.lines'>): Promise<UnchangedLines | null> {
    const entry = (await this.#answer(session, scope))?.files.find(({ change }) => change.path === path);
    const whole = entry && wholeBefore(entry.net);
    return entry === undefined ? null : whole == null ? { state: 'not recorded' } : lineWindow(whole, from, count);
  }

  /** A file that is no text, as it was at one end. */
  async bytes({ session, scope, path, side }: Checked<'diff.bytes'>): Promise<FileBytes | null> {
    const entry = (await this.#answer(session, scope))?.files.find(({ change }) => change.path === path);
    // Of two sessions in one store the one's source finds what the other names, too.
    const source = entry && SessionSource.open(this.db, this.timeline, this.reach(), session);
    if (!source) return null;
    try {
      return await fileBytes(entry.net[side], (content) => source.bytes(content));
    } finally {
      source.close();
    }
  }

  /** Who wrote a line, or took it away. Which of two sessions did is not asked here: each tells of its own. */
  async writer({ session, scope, path, side, line }: Checked<'diff.writer'>): Promise<LineWriter | null> {
    const entry = (await this.#answer(session, scope))?.files.find(({ change }) => change.path === path);
    if (!entry) return null;
    if (scope.kind === 'against') return { state: 'unknown' };
    const { from, net } = entry;
    // Before a rename that no record tells, the lines are those of another history.
    if (from && net.hunks && keptLine(net.hunks, side, line) !== null) return { state: 'unchanged' };
    const { firstPath, path: lastPath } = from && side === 'old' ? from : { firstPath: entry.firstPath, path };
    const key = JSON.stringify([this.revision(), session, scope, firstPath]);
    if (this.#watched?.key !== key) this.#watched = { key, track: this.#compose(session, scope, firstPath).then((composed) => composed?.composition.track(lastPath) ?? null) };
    const watched = this.#watched;
    // A question that failed is asked anew the next time.
    watched.track.catch(() => this.#watched === watched && (this.#watched = null));
    const track = await watched.track;
    return track?.writers && track.isOnePiece ? track.writers.of(side, line, from ? null : net.hunks) : { state: 'unknown' };
  }
  /** The last file that was asked about. */
  #watched: { key: string; track: Promise<FileTrack | null> } | null = null;

  /** The turn a part stands in, from 1; 0 before the first prompt. */
  turn({ session, part }: Checked<'diff.turn'>): { turn: number; turns: number } | null {
    const found = findSession(this.db, session);
    const place = this.timeline.locate(part);
    if (!found || !place || place.session !== session) return null;
    const turns = new Turns(this.db, found.id);
    return { turn: turns.of(place.index), turns: turns.count };
  }

  /** The list of files and its files one by one are asked for in turn: the work is done once. */
  #answer(session: string, scope: DiffScope): Promise<Answer | null> {
    const key = JSON.stringify([this.revision(), session, scope]);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const answer = known ?? this.#work(session, scope);
    this.#kept.set(key, answer);
    if (!known) answer.catch(() => this.#kept.delete(key));
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= kept) break;
      this.#kept.delete(oldest);
    }
    return answer;
  }

  async #work(session: string, scope: DiffScope): Promise<Answer | null> {
    const composed = await this.#compose(session, scope.kind === 'against' ? { kind: 'branch', branch: 'current' } : scope);
    if (!composed) return null;
    const { source, composition, notes } = composed;
    if (scope.kind !== 'against') {
      const { files, cut } = withRenames(composition.files());
      return { folder: source.folder, files: files.map((file) => entryOf(file, source.folder)), notes: cut ? [...notes, renamesCut] : notes };
    }
    const other = await this.#compose(scope.session, { kind: 'branch', branch: 'current' });
    if (!other) return null;
    const files = compareEnds(other.composition, composition).map((file) => entryOf(file, source.folder));
    return { folder: source.folder, files, notes: [...new Set([...other.notes, ...notes])] };
  }

  async #compose(session: string, scope: DiffScope, watched?: string): Promise<(Composed & { source: SessionSource }) | null> {
    const source = SessionSource.open(this.db, this.timeline, this.reach(), session);
    if (!source) return null;
    try {
      const selection = this.#selection(source, scope);
      return selection && { source, ...(await composeSession(source, watched === undefined ? selection : { ...selection, watched })) };
    } finally {
      source.close();
    }
  }

  #selection(source: SessionSource, scope: DiffScope): Selection | null {
    const all = { from: 0, to: Number.MAX_SAFE_INTEGER, sightings: true };
    switch (scope.kind) {
      case 'session': {
        // Codex takes back what was said and leaves the files; with the others a reverted part's files went back, too.
        const leavesFiles = source.agent === 'codex';
        return { ...all, includes: (row) => (leavesFiles || row.state !== reverted) && ((row.messageFlags ?? 0) & messageFlag.inherited) === 0 };
      }
      case 'branch':
        return this.#branch(source, scope.branch, all);
      case 'turn': {
        const range = source.turns.range(scope.turn);
        return range && { ...range, sightings: true, includes: () => true };
      }
      case 'part':
        return this.#part(source, scope.part);
      case 'against':
        return null;
      default:
        return assertNever(scope, 'scope of a diff');
    }
  }

  #branch(source: SessionSource, name: string, all: Omit<Selection, 'includes'>): Selection | null {
    const branches = sessionDetail(this.db, source.id, 'messages')?.branches ?? [];
    const branch = branches.find(({ id, current }) => (name === 'current' ? current : id === name));
    if (!branch) return name === 'current' ? { ...all, includes: (row) => row.state !== reverted } : null;
    if (branch.current) return { ...all, includes: (row) => row.state !== offBranch && row.state !== reverted };
    const messages = new Set<string>(branch.messages);
    return { ...all, includes: (row: ViewRow) => messages.has(`${source.id}#${messageKeyOf(row)}`) };
  }

  /** A tool call by its own record alone; a step, or a commit, by all of its calls and the states around it. */
  #part(source: SessionSource, part: string): Selection | null {
    const place = this.timeline.locate(part);
    if (!place || place.session !== source.id) return null;
    const [row] = this.timeline.rows.window(source.row, place.index, 1);
    if (!row) return null;
    const state = this.timeline.bodies.body(source.store, source.storeRow, row)?.state;
    if (!state || state.kind === 'tree') return { from: place.index, to: place.index + 1, sightings: false, includes: () => true };
    const range = source.turns.range(source.turns.of(place.index));
    return { from: range?.from ?? 0, to: place.index + 1, sightings: true, includes: () => true, onlyStep: row.id };
  }
}

function drawn(entry: Entry, window: { from: number; count: number } | null): FileDiff {
  const { change, net } = entry;
  const isWritable = net.hunks !== null && (net.hunks.length > 0 || net.kind !== 'edit');
  if (net.hunks === null || !isWritable) return { file: change, hunks: null, patch: null, applies: false, large: null, window: null, wholeLines: null };
  const hunks = net.hunks.map(drawnHunk);
  // A path from elsewhere stands in the patch without its first slash, as other tools write it.
  const path = change.relative ?? plainPath(change.path);
  const patch = (entry.patch ??= writePatch({ path, oldPath: change.oldPath === null ? null : (change.oldRelative ?? plainPath(change.oldPath)), kind: net.kind, mode: net.mode, hunks }));
  const size = sizeOf(patch);
  const isLarge = size.chars > limits.chars || size.lines > limits.lines;
  return {
    file: change, hunks: isLarge ? null : hunks, patch: isLarge ? null : patch, applies: [change.relative, ...(change.oldPath === null ? [] : [change.oldRelative])].every((each) => each !== null && isSafePath(each)) && applies(net, hunks),
    large: isLarge ? size : null, window: window === null ? null : { from: window.from, text: patch.slice(window.from, window.from + window.count) },
    wholeLines: (entry.wholeLines ??= wholeLinesOf(net)),
  };
}

function wholeLinesOf(net: NetChange): number | null {
  const whole = wholeBefore(net);
  return whole === null ? null : lineCountOf(whole);
}

const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:[a-z]:)?\/+/i, '');

/** A hunk without lines around it fits only at the ends of a file; where those are is known of whole files only. */
function applies(net: NetChange, hunks: readonly ChangeHunk[]): boolean {
  if (net.gap !== null) return false;
  // A rename alone says nothing of bytes.
  if (net.before.state === 'binary' || net.after.state === 'binary') return net.kind === 'rename' && hunks.length === 0;
  if (net.before.state !== 'unknown') return true;
  return hunks.every(({ oldStart, lines }) => (oldStart <= 1 || lines[0]?.startsWith(' ')) && lines.at(-1)?.startsWith(' '));
}

function sizeOf(text: string): { chars: number; lines: number; longestLine: number } {
  let lines = 0;
  let longestLine = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    longestLine = Math.max(longestLine, to - from);
    lines++;
    from = to + 1;
  }
  return { chars: text.length, lines, longestLine };
}
