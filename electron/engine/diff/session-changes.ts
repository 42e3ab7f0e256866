import { type ChangePlace, messageId, partId } from '@shared/model';
import { familyCode, kindCode, stateCode, statusCode } from '../library/codes';
import { messageKeyOf, partKey, type ViewRow } from '../queries/part-rows';
import type { FilesState } from '../stores/store';
import { Composition } from './composition';
import type { Content } from './content';

import { isAbsolute } from './paths';
import { stepsOf, wholeFiles } from './recorded-steps';
import type { SessionSource } from './session-source';
import { StepBuffer } from './step-buffer';

/** Parts of a session that are looked at for one question, and parts fetched at once. */
const limits = { parts: 200_000, page: 400 };

/** Which parts of a session are composed. */
export interface Selection {
  from: number;
  /** Not included. */
  to: number;
  /** False: the part's changes are left out (another branch, taken back, inherited). */
  includes(row: ViewRow): boolean;
  /** Contents that checkpoints and trees show are looked at; without it a part is told by its own record alone. */
  sightings: boolean;
  /** Only the step that ends with this part. */
  onlyStep?: number;
  /** First path of the file of which it is asked who wrote its lines. */
  watched?: string;
}

export interface Composed {
  composition: Composition;
  notes: string[];
}

const kinds = { tool: kindCode.code('tool'), command: kindCode.code('command'), step: kindCode.code('step'), patch: kindCode.code('patch') };
const families = { shell: familyCode.code('shell'), subagent: familyCode.code('subagent') };
const patchFamilies = new Set((['edit', 'write', 'mcp'] as const).map((family) => familyCode.code(family)));
const completed = statusCode.code('completed');
const offBranch = stateCode.code('off-branch');

/** Follows all files through the chosen parts of a session. */
export async function composeSession(source: SessionSource, selection: Selection): Promise<Composed> {
  const walk = new Walk(source, selection);
  await walk.run();
  return { composition: walk.composition, notes: walk.notes() };
}

class Walk {
  readonly composition: Composition;
  readonly #buffer: StepBuffer;
  readonly #checkpoints: Map<string, number>;
  #commands = 0;
  #helpers = 0;
  #turnIsWhole = true;
  #cut = false;
  #turn = -1;
  #turnEnd: { path: string; after: Content }[] = [];
  #last: ViewRow | null = null;
  #message: number | null = null;

  constructor(
    readonly source: SessionSource,
    readonly selection: Selection,
  ) {
    this.composition = new Composition(source.folder, selection.watched ?? null);
    this.#buffer = new StepBuffer(source, this.composition);
    this.#checkpoints = new Map(selection.sightings && source.agent === 'claude-code' ? source.checkpoints.flatMap(({ message }, index) => (message === null ? [] : [[message as string, index]])) : []);
  }

  async run(): Promise<void> {
    const { row: session, timeline } = this.source;
    let looked = 0;
    for (let from = this.selection.from; from < this.selection.to; ) {
      const rows = timeline.rows.touching(session, from, this.selection.to, limits.page);
      for (const row of rows) await this.#take(row);
      const last = rows.at(-1);
      looked += rows.length;
      if (!last || rows.length < limits.page) break;
      this.#cut = looked >= limits.parts;
      if (this.#cut) break;
      from = last.seq + 1;
    }
    await this.#endTurn();
  }

  async #take(row: ViewRow): Promise<void> {
    const isIncluded = this.selection.includes(row);
    if (row.message !== this.#message) {
      this.#message = row.message;
      if (this.#buffer.hasTrees) await this.#flush(row);
      if (isIncluded) this.#checkpoint(row);
    }
    const turn = this.source.turns.of(row.seq);
    if (turn !== this.#turn) {
      await this.#endTurn();
      this.#turn = turn;
      if (isIncluded) await this.#beginTurn(turn, row);
    }
    if (!isIncluded) this.#turnIsWhole = false;
    if (row.kind === kinds.step || row.kind === kinds.patch) await this.#takeState(row, isIncluded);
    else if (isIncluded && (row.kind === kinds.tool || row.kind === kinds.command)) this.#takeTool(row);
    if (isIncluded) this.#last = row;
  }

  #takeTool(row: ViewRow): void {
    if (row.family === families.subagent) {
      this.#helpers++;
      this.#buffer.ran('a subagent');
      return;
    }
    const hasLines = row.added !== null || row.removed !== null;
    if (row.family === families.shell && !hasLines) {
      this.#commands++;
      this.#buffer.ran(row.title === null ? 'a shell command' : `\`${row.title.slice(0, 120)}\``);
      return;
    }
    if (row.status !== completed) return;
    const tool = this.#body(row)?.tool;
    // Codex's own reader knows its patches; in its code mode the changes stand in records of their own.
    const mayBePatch = this.source.agent !== 'codex' && row.family !== null && patchFamilies.has(row.family);
    if (tool) this.#buffer.add(stepsOf(tool, mayBePatch, this.#place(row)));
  }

  async #takeState(row: ViewRow, isIncluded: boolean): Promise<void> {
    const state = this.#body(row)?.state;
    if (!state) return;
    if (!isIncluded) {
      // What a step did to these files was taken back, with the edits of the same step that stay in the conversation.
      if (state.kind === 'step') this.#buffer.takeBack(state.files);
      if (state.kind === 'commit') this.#buffer.clear();
      return;
    }
    const { sightings, onlyStep } = this.selection;
    if (state.kind === 'tree') {
      if (state.when === 'before') await this.#flush(row);
      if (sightings) this.#buffer.tree(state.when, state.tree);
      return;
    }
    if (onlyStep !== undefined && row.id !== onlyStep) {
      this.#buffer.clear();
      return;
    }
    await this.#takeStep(row, state, sightings);
  }

  async #takeStep(row: ViewRow, state: Exclude<FilesState, { kind: 'tree' }>, sightings: boolean): Promise<void> {
    if (sightings && state.kind === 'step') {
      this.#buffer.tree('before', state.before);
      if (state.after !== null) this.#buffer.tree('after', state.after);
      this.#buffer.named = state.files;
      this.#buffer.place = this.#place(row);
      await this.#flush(row);
    } else if (state.kind === 'commit') {
      if (sightings) await this.#buffer.commit(state.hash, this.#isOwnCommit(row), this.#place(row));
      await this.#flush(row);
    }
  }

  /** Aider also commits what the person had changed. */
  #isOwnCommit(row: ViewRow): boolean {
    const { note } = this.source.db.prepare('SELECT note FROM record WHERE id = ?').get(row.record) as { note: string | null };
    return note !== null && (JSON.parse(note) as { own?: unknown }).own === true;
  }

  async #flush(row: ViewRow): Promise<void> {
    await this.#buffer.flush(this.#buffer.place ?? this.#place(this.#last ?? row));
  }

  /** Files as they were before a prompt. */
  #checkpoint(row: ViewRow): void {
    const index = row.message === null ? undefined : this.#checkpoints.get(messageKeyOf(row));
    const checkpoint = index === undefined ? undefined : this.source.checkpoints[index];
    if (!checkpoint) return;
    this.#buffer.applyAll();
    for (const { path, content } of checkpoint.files) {
      // Only of files that are, or will be, changed by recorded calls something can be learned.
      this.composition.see(path, { content: this.source.backup(content), source: 'checkpoint', place: this.#place(row), evidence: 'The checkpoint before this prompt holds another content than the change before it left.', settles: false });
    }
  }

  /** The agent's own summary of a turn stands in where its trees are gone. */
  async #beginTurn(turn: number, row: ViewRow): Promise<void> {
    this.#turnIsWhole = true;
    const record = turn === 0 || !this.selection.sightings || !this.source.store.turnDiff ? null : this.source.turns.prompt(turn);
    if (record === null || (await this.source.hasAllTrees())) return;
    const place = this.source.db.prepare('SELECT source, at, bytes FROM record WHERE session = ? AND key = (SELECT m.key FROM message m WHERE m.first = ?)').get(this.source.row, record) as { source: number; at: number; bytes: number } | undefined;
    const bytes = place && this.source.timeline.bodies.log.read(place.source, place.at, place.bytes);
    if (!bytes) return;
    for (const edit of this.source.store.turnDiff?.(bytes) ?? []) {
      const { path, before, after } = wholeFiles(edit);
      const whole = this.#inRoot(path);
      this.composition.see(whole, { content: before, source: 'turn diff', place: this.#place(row), evidence: 'The summary of this turn begins with another content than the change before it left.', settles: false });
      this.#turnEnd.push({ path: whole, after });
    }
  }

  async #endTurn(): Promise<void> {
    const row = this.#last;
    if (!row) return;
    await this.#flush(row);
    // A summary also counts what was taken back since.
    for (const { path, after } of this.#turnIsWhole ? this.#turnEnd : []) this.#buffer.arrive(path, after, { source: 'turn diff', place: this.#place(row), mode: null });
    this.#turnEnd = [];
    this.#buffer.forgetCommands();
  }

  #inRoot(path: string): string {
    if (isAbsolute(path)) return path;
    // A session that was moved has its older files where it was.
    const recorded = this.source.checkpoints.flatMap(({ files }) => files).find((file) => file.path.endsWith(`/${path}`));
    return recorded?.path ?? (this.source.root === null ? path : `${this.source.root}/${path}`);
  }

  #body(row: ViewRow) {
    return this.source.timeline.bodies.body(this.source.store, this.source.storeRow, row);
  }

  #place(row: ViewRow): ChangePlace {
    const { id } = this.source;
    return { part: partId(id, partKey(row)), message: messageId(id, messageKeyOf(row)), turn: this.source.turns.of(row.seq), current: row.state !== offBranch };
  }

  notes(): string[] {
    const { leftOut } = this.composition;
    const many = (count: number, one: string) => (count === 1 ? `1 ${one}` : `${count} ${one}s`);
    const it = (count: number) => (count === 1 ? 'it' : 'they');
    return [
      ...(this.#commands > 0 ? [`${many(this.#commands, 'shell command')} ran: what ${it(this.#commands)} changed is known only where a snapshot, a checkpoint or a later edit shows it.`] : []),
      ...(this.#helpers > 0 ? [`${many(this.#helpers, 'subagent')} ran: what ${it(this.#helpers)} changed stands in ${this.#helpers === 1 ? 'its own session' : 'their own sessions'}.`] : []),
      ...(this.#cut ? [`Only the first ${limits.parts} parts that may change files were looked at.`] : []),
      ...(leftOut > 0 ? [`${many(leftOut, 'file')} left out: there are too many.`] : []),
      ...this.source.problems,
    ];
  }
}

