import type { Checked } from '@shared/contract';
import type { FileBytes, PendingRevert, RevertConversation, RevertFileView, RevertPoint, RevertPoints, RevertPreview, RevertRefusal } from '@shared/model';
import { type Contexts } from '../context/answers';
import { SessionSource } from '../diff/session-source';
import type { Db } from '../library/database';
import { stateCode } from '../library/codes';
import { sessionDetail } from '../queries/detail';
import type { Reach } from '../queries/folder-state';
import type { ViewRow } from '../queries/part-rows';
import type { Timeline } from '../queries/timeline';
import { actionsFor } from './actions';
import { bytesOnDisk, recordedBytes } from './file-bytes';
import { fileView } from './file-view';
import { Points } from './points';
import type { ProjectFiles } from './disk-file';
import { FilePlans, foundFiles, type LookedFile, type PlannedFile } from './planned-files';
import { sortFiles } from './order';

/** Prompts named of those that would be taken back; characters of a stored diff; files looked at on the disk. */
const limits = { prompts: 20, diff: 200_000, files: 2_000 };
/** Answers kept to be asked for file by file, and how long: backups and snapshots can go meanwhile. */
const kept = { plans: 3, ms: 15_000 };

/** What the records say of going back to a point, without the disk. */
interface Plan {
  made: number;
  folder: readonly string[];
  row: ViewRow;
  point: RevertPoint;
  moved: string | null;
  hasCheckpoint: boolean;
  commits: number;
  files: PlannedFile[];
  notes: string[];
}

/** The files of a point with what the disk says of them. */
export interface LookedFiles {
  point: RevertPoint;
  moved: string | null;
  files: LookedFile[];
  disk: ProjectFiles;
  notes: string[];
}

/** Answers what going back in a session would do. Nothing is written. */
export class Reverts {
  readonly #plans = new Map<string, Promise<Plan | RevertRefusal | null>>();
  readonly #points: Points;

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    readonly contexts: Contexts,
    readonly reach: () => Reach,
    readonly revision: () => number,
    readonly clock: () => number,
  ) {
    this.#points = new Points(db, timeline);
  }

  points({ session, from, count }: Checked<'revert.points'>): RevertPoints | null {
    const source = SessionSource.open(this.db, this.timeline, this.reach(), session);
    return source && this.#points.window(source, from, count);
  }

  async preview({ session, before, from, count }: Checked<'revert.preview'>): Promise<RevertPreview | RevertRefusal | null> {
    const source = SessionSource.open(this.db, this.timeline, this.reach(), session);
    const plan = source && (await this.#plan(source, before));
    if (!source || !plan) return null;
    if ('refused' in plan) return plan;
    const looked = await foundFiles(plan.folder, this.reach(), plan.files.slice(0, limits.files));
    const files = sortFiles(looked.files.map(({ file }) => file));
    const pending = this.#pending(session);
    const conversation = this.#conversation(source, plan.point);
    const actions = actionsFor({ agent: source.agent, point: plan.point, messages: conversation.messages, turns: conversation.turns, hasCheckpoint: plan.hasCheckpoint, compacted: plan.row.state === compacted, isPending: pending !== null, commits: plan.commits, files });
    const counts: RevertPreview['counts'] = { conflict: 0, restorable: 0, deleted: 0, recreated: 0, memory: 0, cannot: 0, 'left alone': 0, unchanged: 0 };
    for (const { state } of files) counts[state]++;
    return {
      session: source.id, agent: source.agent, point: plan.point, moved: plan.moved, conversation, pending, actions, folder: looked.folder,
      total: files.length, counts, from, files: files.slice(from, from + count),
      notes: [...plan.notes, ...(plan.files.length > limits.files ? [`Only the first ${limits.files} of ${plan.files.length} files were looked at.`] : [])],
    };
  }

  async file({ session, before, path }: Checked<'revert.file'>): Promise<RevertFileView | null> {
    const source = SessionSource.open(this.db, this.timeline, this.reach(), session);
    const plan = source && (await this.#plan(source, before));
    const planned = plan && !('refused' in plan) && plan.files.slice(0, limits.files).find((file) => file.path === path);
    if (!plan || 'refused' in plan || !planned) return null;
    const { files } = await foundFiles(plan.folder, this.reach(), [planned]);
    return files[0] ? fileView(files[0]) : null;
  }

  /** One file as bytes, at one of its three moments. */
  async bytes({ session, before, path, side }: Checked<'revert.bytes'>): Promise<FileBytes | null> {
    const source = SessionSource.open(this.db, this.timeline, this.reach(), session);
    const plan = source && (await this.#plan(source, before));
    const planned = plan && !('refused' in plan) && plan.files.slice(0, limits.files).find((file) => file.path === path);
    if (!plan || 'refused' in plan || !planned) return null;
    return side === 'now' ? bytesOnDisk(plan.folder, this.reach(), planned) : recordedBytes(source, side === 'left' ? planned.left : planned.kept.content);
  }

  /** All files of a point as they lie on the disk now, for a plan that takes them back. */
  async looked(session: string, before: string): Promise<LookedFiles | RevertRefusal | null> {
    const source = SessionSource.open(this.db, this.timeline, this.reach(), session);
    const plan = source && (await this.#plan(source, before));
    if (!plan || 'refused' in plan) return plan;
    const { files, disk } = await foundFiles(plan.folder, this.reach(), plan.files);
    return { point: plan.point, moved: plan.moved, files, disk, notes: plan.notes };
  }

  /** The preview and its files one by one are asked for in turn: the records are gone through once, the disk each time. */
  #plan(source: SessionSource, before: string): Promise<Plan | RevertRefusal | null> {
    const key = JSON.stringify([this.revision(), source.id, before]);
    const known = this.#plans.get(key);
    this.#plans.delete(key);
    const fresh = async () => {
      const plan = await known;
      return plan && !('refused' in plan) && this.clock() - plan.made > kept.ms ? this.#work(source, before) : (plan ?? this.#work(source, before));
    };
    const answer = known ? fresh() : this.#work(source, before);
    this.#plans.set(key, answer);
    answer.catch(() => this.#plans.delete(key));
    for (const oldest of this.#plans.keys()) {
      if (this.#plans.size <= kept.plans) break;
      this.#plans.delete(oldest);
    }
    return answer;
  }

  async #work(source: SessionSource, before: string): Promise<Plan | RevertRefusal | null> {
    const place = this.timeline.locate(before);
    if (!place || place.session !== source.id) return { refused: 'There is no such message in this session.' };
    const row = this.#points.promptOf(source, place.index);
    if (!row) return { refused: 'No prompt stands before this part: there is nothing to go back to.' };
    const point = this.#points.of(source, row);
    const [asked] = this.timeline.rows.window(source.row, place.index, 1);
    const moved = asked && asked.message !== row.message ? 'Agents go back to prompts: it is the one before the message that was asked for.' : null;
    try {
      const plans = new FilePlans(source, row, this.clock());
      const files = await plans.make();
      return {
        made: this.clock(), folder: plans.folders, row, point, moved, hasCheckpoint: plans.states.hasCheckpoint, commits: plans.states.commits, files, notes: plans.notes(),
      };
    } finally {
      source.close();
    }
  }

  #pending(session: string): PendingRevert | null {
    const revert = sessionDetail(this.db, session)?.revert;
    if (!revert) return null;
    const { message, part, hiddenMessages, files, diff } = revert;
    return { message, part, hiddenMessages, files, diff: diff === null ? null : diff.slice(0, limits.diff), diffCut: (diff?.length ?? 0) > limits.diff };
  }

  #conversation(source: SessionSource, point: RevertPoint): RevertConversation {
    // What is on another branch, or taken back, is so already: the conversation went on without it.
    if (point.on !== 'current branch') return { turns: 0, messages: 0, parts: 0, prompts: [], kept: this.#kept(source, point) };
    const { messages, parts } = this.#points.counts(source.row, point.index);
    const prompts = this.#points.promptsFrom(source, point.index, limits.prompts);
    return { turns: prompts.total, messages, parts, prompts: prompts.points, kept: this.#kept(source, point) };
  }

  #kept(source: SessionSource, point: RevertPoint): RevertConversation['kept'] {
    const context = this.contexts.get({ session: source.id, at: point.message }, this.revision(), { from: 0, count: 1 });
    return context === null || 'refused' in context ? null : { parts: context.count, tokens: context.tokens, estimated: context.estimated };
  }
}

const compacted = stateCode.code('compacted');
