import type { Checked } from '@shared/contract';
import { asSessionId, assertNever, type ChangeSum, type DiffScope, type FileBytes, type FileChanges, type FileDiff, type LineWriter, type UnchangedLines } from '@shared/model';
import { messageFlag, stateCode } from '../library/codes';
import type { Db } from '../library/database';
import { sessionDetail } from '../queries/detail';
import type { Reach } from '../queries/folder-state';
import { findSession } from '../queries/session-summary';
import type { ViewRow } from '../queries/part-rows';
import { messageKeyOf } from '../queries/part-rows';
import type { Timeline } from '../queries/timeline';
import { compareEnds, sinceThen } from './against';
import { ChangedFile } from './changed-file';
import { fileBytes } from './file-bytes';
import type { FileTrack } from './file-track';
import { keptLine } from './line-writers';
import { withRenames } from './renames';
import { type Composed, composeSession, type Selection } from './session-changes';
import { SessionSource } from './session-source';
import { Turns } from './turns';
import { lineWindow, wholeBefore } from './unchanged-lines';

/**
 * Characters of contents that one answer compares to count lines, beyond its first file: some ten milliseconds, a second
 * for contents made to cost. What is behind comes with the next window.
 */
const compared = 1_000_000;
/** Parts before a stretch that are looked at for what its files were where it begins; a file changed longer ago is told by the stretch alone. */
const lookedBefore = 5_000;
/** Answers kept to be asked for file by file. */
const kept = 3;

/** What a scope came to. */
interface Answer {
  folder: string | null;
  files: ChangedFile[];
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

  async files({ session, scope, from, count, whole = false }: Checked<'diff.files'>): Promise<FileChanges | null> {
    const answer = await this.#answer(session, scope);
    if (!answer) return null;
    if (whole) for (const file of answer.files) file.count();
    const files = whole ? answer.files.slice(from, from + count) : windowOf(answer.files, from, count);
    const changes = files.map((file) => file.count());
    return { session: asSessionId(session), scope, folder: answer.folder, total: answer.files.length, ...this.#totals(answer, files), from, files: changes, notes: answer.notes };
  }

  /** Counts some of the files; lines over all of them once the last was counted. */
  #totals({ files }: Answer, counted: readonly ChangedFile[]): { added: number | null; removed: number | null } {
    for (const file of counted) file.count();
    if (!files.every((file) => file.isCounted)) return { added: null, removed: null };
    const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + (file.count()[side] ?? 0), 0);
    return { added: sum('added'), removed: sum('removed') };
  }

  /** How much was changed, at the cost of one answer with files. */
  async sum({ session, scope }: Checked<'diff.sum'>): Promise<ChangeSum | null> {
    // Lists of branches ask for many: they leave what is kept to be asked for file by file alone.
    const answer = await (this.#kept.get(this.#keyOf(session, scope)) ?? this.#work(session, scope));
    return answer && { files: answer.files.length, ...this.#totals(answer, windowOf(answer.files, 0, Infinity)) };
  }

  async file({ session, scope, path, window }: Checked<'diff.file'>): Promise<FileDiff | null> {
    const answer = await this.#answer(session, scope);
    const file = path === undefined ? answer?.files[0] : answer?.files.find((each) => each.path === path);
    return file?.diff(window ?? null) ?? null;
  }

  /** Lines that a patch leaves out. */
  async lines({ session, scope, path, from, count }: Checked<'diff.lines'>): Promise<UnchangedLines | null> {
    const entry = (await this.#answer(session, scope))?.files.find((file) => file.path === path);
    const whole = entry && wholeBefore(entry.net);
    return entry === undefined ? null : whole == null ? { state: 'not recorded' } : lineWindow(whole, from, count);
  }

  /** A file that is no text, as it was at one end. */
  async bytes({ session, scope, path, side }: Checked<'diff.bytes'>): Promise<FileBytes | null> {
    const entry = (await this.#answer(session, scope))?.files.find((file) => file.path === path);
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
    const entry = (await this.#answer(session, scope))?.files.find((file) => file.path === path);
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
    const key = this.#keyOf(session, scope);
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

  #keyOf(session: string, scope: DiffScope): string {
    return JSON.stringify([this.revision(), session, scope]);
  }

  async #work(session: string, scope: DiffScope): Promise<Answer | null> {
    const composed = await this.#compose(session, scope.kind === 'against' ? { kind: 'branch', branch: 'current' } : scope);
    if (!composed) return null;
    const { source, composition, notes } = composed;
    if (scope.kind !== 'against') {
      const before = scope.kind === 'stretch' ? await this.#compose(session, scope, undefined, 'before') : null;
      const { files, cut } = withRenames(before ? sinceThen(before.composition, composition) : composition.files());
      return { folder: source.folder, files: files.map((file) => new ChangedFile(file, source.folder)), notes: cut ? [...notes, renamesCut] : notes };
    }
    const other = await this.#compose(scope.session, { kind: 'branch', branch: 'current' });
    if (!other) return null;
    const files = compareEnds(other.composition, composition).map((file) => new ChangedFile(file, source.folder));
    return { folder: source.folder, files, notes: [...new Set([...other.notes, ...notes])] };
  }

  async #compose(session: string, scope: DiffScope, watched?: string, side: 'before' | 'in' = 'in'): Promise<(Composed & { source: SessionSource }) | null> {
    const source = this.#open(session);
    if (!source) return null;
    try {
      const selection = side === 'before' ? this.#before(source, scope) : this.#selection(source, scope);
      return selection && { source, ...(await composeSession(source, watched === undefined ? selection : { ...selection, watched })) };
    } finally {
      source.close();
    }
  }

  /** Whoever asks turn by turn, as an export does, does not read all turns for each of them. */
  #open(session: string): SessionSource | null {
    const revision = this.revision();
    const before = this.#opened?.revision === revision && this.#opened.source.id === session ? this.#opened.source : null;
    const source = SessionSource.open(this.db, this.timeline, this.reach(), session, before);
    this.#opened = source && { revision, source };
    return source;
  }
  /** The session that was asked about last. */
  #opened: { revision: number; source: SessionSource } | null = null;

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
      case 'stretch': {
        const place = this.timeline.locate(scope.from);
        return place?.session === source.id ? this.#branch(source, scope.branch, { ...all, from: place.index }) : null;
      }
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

  /** What leads up to a stretch. */
  #before(source: SessionSource, scope: DiffScope): Selection | null {
    const place = scope.kind === 'stretch' ? this.timeline.locate(scope.from) : null;
    if (scope.kind !== 'stretch' || place?.session !== source.id || place.index === 0) return null;
    return this.#branch(source, scope.branch, { from: Math.max(0, place.index - lookedBefore), to: place.index, sightings: true });
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

/** A window that costs no more than is compared at once; of a file whose lines are counted already nothing is compared. */
function windowOf(files: readonly ChangedFile[], from: number, count: number): ChangedFile[] {
  const window: ChangedFile[] = [];
  let cost = 0;
  for (const file of files.slice(from, from + count)) {
    cost += file.isCounted ? 0 : file.cost;
    if (window.length > 0 && cost > compared) break;
    window.push(file);
  }
  return window;
}
