import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertNever, type RevertOrigin, type RevertRetention } from '@shared/model';
import { kindCode } from '../library/codes';
import { type Content, unknown } from '../diff/content';
import { keyOf, relativeTo } from '../diff/paths';
import { noStore } from '../diff/git/places';
import type { SessionSource } from '../diff/session-source';
import type { ViewRow } from '../queries/part-rows';
import { messageKeyIn } from './points';

/** A state of a file that the agent itself keeps, and would go back to. */
export interface KeptState {
  content: Content;
  /** The bytes of a content that is no text; left out where they are not kept. */
  bytes?: () => Promise<Uint8Array | null>;
  origin: RevertOrigin;
  keptUntil: RevertRetention | null;
  /** The agent's own revert puts it back. */
  agent: { restores: boolean; because: string };
}

/** Parts looked at for the states they name, and files that are named in all. */
const limits = { parts: 200_000, page: 400, files: 20_000 };
const day = 86_400_000;
/** OpenCode's clean-up runs `git gc --prune=7.days` (FORMAT.md, "Snapshots"). */
const snapshotDays = 7;
/** Days before the end in which it is said to be near. */
const soonDays = 3;

/** The states an agent keeps of the files it changed after a point. Opened for one point. */
export class RecordedStates {
  /** Files by the spelling they are compared by. */
  readonly #steps = new Map<string, { path: string; tree: string; time: number | null }>();
  /** Commits of the agent after the point. */
  commits = 0;

  constructor(
    readonly source: SessionSource,
    readonly point: ViewRow,
    readonly now: number,
  ) {}

  /** Goes through the steps after the point: the first that changed a file tells the state before. */
  walk(includes: (row: ViewRow) => boolean): void {
    const { source, point } = this;
    for (let from = point.seq, looked = 0; looked < limits.parts; ) {
      const rows = source.timeline.rows.touching(source.row, from, Number.MAX_SAFE_INTEGER, limits.page);
      for (const row of rows) if (row.kind === patchKind && includes(row)) this.#take(row);
      const last = rows.at(-1);
      looked += rows.length;
      if (!last || rows.length < limits.page) return;
      from = last.seq + 1;
    }
  }

  #take(row: ViewRow): void {
    const { source } = this;
    const state = source.timeline.bodies.body(source.store, source.storeRow, row)?.state;
    if (state?.kind === 'commit' && isCommitOfAgent(source, row)) this.commits++;
    if (state?.kind !== 'step') return;
    for (const file of state.files) {
      const key = keyOf(file, source.folder);
      if (!this.#steps.has(key) && this.#steps.size < limits.files) this.#steps.set(key, { path: file, tree: state.before, time: row.time ?? row.messageTime });
    }
  }

  /** Paths of files the agent keeps a state of, whether they were changed after the point or not. */
  paths(): string[] {
    return this.source.agent === 'claude-code' ? (this.#checkpoint()?.files.map(({ path }) => path) ?? []) : [...this.#steps.values()].map(({ path }) => path);
  }

  get hasCheckpoint(): boolean {
    return this.#checkpoint() !== null;
  }

  /** `known`: what the records alone tell of the file before the point. */
  async of(path: string, known: Content): Promise<KeptState> {
    switch (this.source.agent) {
      case 'claude-code':
        return this.#backup(path, known);
      case 'opencode':
        return this.#tree(path, known);
      case 'codex':
        return this.#ghost(path, known);
      case 'aider':
        return this.#commit(known);
      case 'retrace':
        return { content: known, origin: 'records', keptUntil: null, agent: { restores: false, because: 'No agent has this session.' } };
      default:
        return assertNever(this.source.agent, 'agent');
    }
  }

  async #backup(path: string, known: Content): Promise<KeptState> {
    const checkpoint = this.#checkpoint();
    const records = { content: known, origin: 'records' as const, keptUntil: null };
    if (!checkpoint) return { ...records, agent: { restores: false, because: 'There is no checkpoint before this prompt.' } };
    const file = checkpoint.files.find((each) => keyOf(each.path, this.source.folder) === keyOf(path, this.source.folder));
    if (!file) return { ...records, agent: { restores: false, because: 'Its checkpoint does not have this file: only what the file tools of the main agent edit is in it.' } };
    const content = this.source.backup(file.content);
    if (content.state === 'unknown') return { ...records, agent: { restores: false, because: 'The backup is not there any more; Claude Code passes over it without a word.' } };
    return { content, origin: 'checkpoint', keptUntil: file.content === null ? null : await this.#backupEnd(file.content), agent: { restores: true, because: 'Claude Code writes it back whole from its checkpoint, whatever it holds now.' } };
  }

  async #backupEnd(content: string): Promise<RevertRetention | null> {
    const { store, storeFolder, agent } = this.source;
    const rule = store.retention?.({ agent, folder: storeFolder, origin: 'default' });
    if (!rule) return null;
    const fact = await stat(join(storeFolder, ...content.split('/'))).catch(() => null);
    return fact && this.#end(fact.mtimeMs + rule.days * day, `Claude Code deletes backups ${rule.days} days after they were made (${rule.from === 'default' ? 'its default' : `set in ${rule.from}`}).`);
  }

  #end(time: number, from: string): RevertRetention {
    const state = time <= this.now ? 'passed' : time <= this.now + soonDays * day ? 'soon' : 'later';
    return { day: new Date(time).toISOString().slice(0, 10), state, from };
  }

  async #tree(path: string, known: Content): Promise<KeptState> {
    const { source } = this;
    const step = this.#steps.get(keyOf(path, source.folder));
    const records = { content: known, origin: 'records' as const, keptUntil: null };
    if (!step) return { ...records, agent: { restores: false, because: 'No step of OpenCode names it as changed, so its revert leaves it.' } };
    const relative = relativeTo(path, source.root);
    const content = relative === null ? null : await source.askGit('tree', step.tree, async (git) => git.at(step.tree, relative));
    if (content === null || content.state === 'unknown') return { ...records, agent: { restores: false, because: 'The snapshot tree is not there any more, or git could not be asked.' } };
    const keptUntil = step.time === null ? null : this.#end(step.time + snapshotDays * day, 'OpenCode tidies snapshots away that are older than seven days when it starts.');
    // The project's own repository can have the tree, too; OpenCode asks its store alone.
    if (source.problems.has(noStore)) return { content, origin: 'commit', keptUntil: null, agent: { restores: false, because: 'OpenCode has no snapshot store here any more.' } };
    return { content, origin: 'snapshot tree', keptUntil, agent: { restores: true, because: content.state === 'absent' ? 'OpenCode deletes it: the snapshot does not have it.' : 'OpenCode writes it back whole from its snapshot, whatever it holds now.' } };
  }

  /** Codex leaves files; old releases could keep a commit before a turn. */
  async #ghost(path: string, known: Content): Promise<KeptState> {
    const agent = { restores: false, because: 'Codex takes back what was said and leaves the files.' };
    const { source } = this;
    const commit = this.#checkpoint()?.id;
    const relative = relativeTo(path, source.root);
    if (known.state !== 'unknown' || commit === undefined || relative === null) return { content: known, origin: 'records', keptUntil: null, agent };
    const content = await source.askGit('commit', commit, async (git) => {
      const found = await git.commit(commit);
      return found && git.at(found.tree, relative);
    });
    return content === null || content.state === 'unknown' ? { content: unknown, origin: 'records', keptUntil: null, agent } : { content, origin: 'commit', keptUntil: null, agent };
  }

  #commit(known: Content): KeptState {
    const agent =
      this.commits === 0 ? { restores: false, because: 'No commit of Aider after the message has it.' }
      : known.state === 'absent' ? { restores: false, because: '/undo refuses a commit that made a file.' }
      : { restores: true, because: 'One /undo for each commit, newest first, takes it back.' };
    return { content: known, origin: 'commit', keptUntil: null, agent };
  }

  #checkpoint() {
    const key = messageKeyIn(this.source.db, this.point);
    return this.source.checkpoints.find(({ message }) => message !== null && message === key) ?? null;
  }
}

/** Aider also commits what the person had changed. */
function isCommitOfAgent({ db }: SessionSource, row: ViewRow): boolean {
  const { note } = db.prepare('SELECT note FROM record WHERE id = ?').get(row.record) as { note: string | null };
  return note === null || (JSON.parse(note) as { own?: unknown }).own !== true;
}

const patchKind = kindCode.code('patch');
