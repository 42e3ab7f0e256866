import type { ChangeKind, ChangePlace, ChangeSource } from '@shared/model';
import type { Composition } from './composition';
import { type Content, sameContent, unknown } from './content';
import type { ChangeStep } from './change-step';
import type { TreeChange } from './git/trees';
import { keyOf, relativeTo } from './paths';
import type { SessionSource } from './session-source';

/** Commands of a step that are named where the step changed what no call tells. */
const commandsNamed = 3;

interface Arrival {
  source: ChangeSource;
  place: ChangePlace;
  mode: { before: string; after: string } | null;
}

/**
 * The changes of one step, held until the step is over: then the trees before and after it say what every file was, and
 * what the recorded calls do not explain is seen.
 */
export class StepBuffer {
  /** Where the change of the step as a whole is filed. */
  place: ChangePlace | null = null;
  named: string[] = [];
  #steps: ChangeStep[] = [];
  #before: string | null = null;
  #after: string | null = null;
  #lastAfter: string | null = null;
  #commit: { hash: string; own: boolean; before: string | null; after: string } | null = null;
  #ran: string[] = [];
  #ranCount = 0;
  #root: string | null = null;

  constructor(
    readonly source: SessionSource,
    readonly composition: Composition,
  ) {}

  get hasTrees(): boolean {
    return this.#before !== null;
  }

  get isClosed(): boolean {
    return this.#before !== null && this.#after !== null;
  }

  add(steps: readonly ChangeStep[]): void {
    for (const step of steps) {
      // Some agents name the file once more when an edit is done.
      const isEcho = step.hunks === null && step.added === null && step.after.state === 'unknown' && step.kind === 'edit';
      if (!isEcho || !this.#steps.some((known) => this.#key(known.path) === this.#key(step.path))) this.#steps.push(step);
    }
  }

  ran(what: string): void {
    this.#ranCount++;
    if (this.#ran.length < commandsNamed) this.#ran.push(what);
  }

  forgetCommands(): void {
    this.#ran = [];
    this.#ranCount = 0;
  }

  tree(when: 'before' | 'after', tree: string): void {
    if (when === 'before') this.#before = tree;
    else this.#after = tree;
  }

  async commit(hash: string, own: boolean, place: ChangePlace): Promise<void> {
    const found = await this.source.askGit('commit', hash, (trees) => trees.commit(hash));
    if (!found || found.parent === undefined) return;
    this.#commit = { hash, own, before: found.parent, after: found.tree };
    this.place = place;
  }

  /** Files of a step that were taken back: its edits of them are no change any more. */
  takeBack(files: readonly string[]): void {
    const keys = new Set(files.map((file) => this.#key(file)));
    this.#steps = this.#steps.filter(({ path }) => !keys.has(this.#key(path)));
  }

  clear(): void {
    this.#steps = [];
    this.#reset();
  }

  /** The step is over. */
  async flush(place: ChangePlace): Promise<void> {
    const commit = this.#commit;
    const changes = commit ? await this.#changesOf('commit', commit.before, commit.after) : this.#before !== null && this.#after !== null ? await this.#changesOf('tree', this.#before, this.#after) : null;
    if (!commit) await this.#between(place);
    const source: ChangeSource = commit ? 'commit' : 'snapshot tree';
    if (commit?.own && changes) {
      await this.#see(changes, 'after', source, place, `Changes of the person, which Aider committed as ${commit.hash}.`);
      this.#reset();
      return;
    }
    if (changes) await this.#see(changes, 'before', source, place, 'The state before this step is not what was left by the change before.');
    const unended = changes === null && this.#before !== null && this.#after === null ? await this.#named(this.#before, place) : [];
    this.applyAll();
    for (const step of unended) this.composition.apply(step);
    for (const change of changes ?? []) {
      const content = await this.#content(change.after);
      this.arrive(this.#pathOf(change), content, { source, place, mode: modesOf(change) });
    }
    this.#lastAfter = this.#after ?? this.#lastAfter;
    if (this.isClosed || commit) this.forgetCommands();
    this.#reset();
  }

  /** Early releases keep no tree of how a step ended, only the one before it and the names of the files it changed. */
  async #named(before: string, place: ChangePlace): Promise<ChangeStep[]> {
    const steps: ChangeStep[] = [];
    for (const path of this.named) {
      const inside = relativeTo(path, this.source.root);
      const content = (inside === null ? null : await this.source.askGit('tree', before, async (trees) => trees.at(before, inside))) ?? unknown;
      this.composition.see(path, { content, source: 'snapshot tree', place, evidence: 'The state before this step is not what was left by the change before.', settles: false });
      if (this.#steps.some((step) => this.#key(step.path) === this.#key(path))) continue;
      steps.push({
        path, oldPath: null, kind: content.state === 'absent' ? 'create' : 'edit', before: content, after: unknown, hunks: null, placed: true, added: null, removed: null, mode: null,
        source: 'snapshot tree', certainty: 'inferred', evidence: this.#because('snapshot tree'), gap: 'What the step left is not recorded.', place,
      });
    }
    return steps;
  }

  applyAll(): void {
    for (const step of this.#steps) this.composition.apply(step);
    this.#steps = [];
  }

  #reset(): void {
    this.#before = null;
    this.#after = null;
    this.#commit = null;
    this.place = null;
    this.named = [];
    this.#root = null;
  }

  async #changesOf(kind: 'tree' | 'commit', before: string | null, after: string): Promise<TreeChange[] | null> {
    if (before === after) return [];
    const found = await this.source.askGit(kind, after, (trees) => trees.diff(before, after));
    if (found?.cut) this.source.problems.add('A step changed more files than are looked at.');
    return found?.changes ?? null;
  }

  /** What changed after the last step and before this one was not done by a step. */
  async #between(place: ChangePlace): Promise<void> {
    if (this.#before === null || this.#lastAfter === null || this.#before === this.#lastAfter) return;
    const tracked = new Set([...this.composition.changed()].map((path) => this.#key(path)));
    const changes = (await this.#changesOf('tree', this.#lastAfter, this.#before)) ?? [];
    await this.#see(changes.filter((change) => tracked.has(this.#key(this.#pathOf(change)))), 'after', 'snapshot tree', place, 'The snapshot before this step is not that after the step before.');
  }

  async #see(changes: readonly TreeChange[], side: 'before' | 'after', source: ChangeSource, place: ChangePlace, evidence: string): Promise<void> {
    for (const change of changes) {
      this.composition.see(this.#pathOf(change), { content: await this.#content(change[side]), source, place, evidence, settles: false });
    }
  }

  /** A file as the step left it. What the recorded calls do not explain was done by something else in it. */
  arrive(path: string, content: Content, { source, place, mode }: Arrival): void {
    if (content.state === 'unknown') return;
    const track = this.composition.track(path);
    const now = track?.now ?? unknown;
    const isExplained = track !== undefined && track.steps > 0 && (now.state === 'unknown' || sameContent(now, content));
    if (isExplained) {
      this.composition.see(path, { content, source, place, evidence: '', settles: true });
      if (!mode) return;
    } else if (sameContent(now, content) && !mode) return;
    const isSame = sameContent(now, content);
    const kind: ChangeKind = now.state === 'absent' ? 'create' : content.state === 'absent' ? 'delete' : isSame ? 'mode' : 'edit';
    this.composition.apply({
      path: track?.path ?? path, oldPath: null, kind, before: now, after: content, hunks: null, placed: true, added: null, removed: null, mode, source, place,
      certainty: source === 'commit' ? 'recorded' : 'inferred', evidence: source === 'commit' ? null : this.#because(source), gap: null,
    });
  }

  #because(source: ChangeSource): string {
    const rest = this.#ranCount - this.#ran.length;
    const ran = this.#ran.length === 0 ? '' : ` In it ran ${this.#ran.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
    return source === 'turn diff' ? `The agent's summary of the turn has this change, and no call tells of it.${ran}` : `The agent found the file changed by the step, and no call tells of it.${ran}`;
  }

  #content(file: TreeChange['after']): Promise<Content> {
    return this.source.askGit(this.#commit ? 'commit' : 'tree', file?.oid ?? '', (trees) => trees.content(file)).then((content) => content ?? unknown);
  }

  /** Where a tree's file was: below the folder that the step's own names show, else that of the session. */
  #pathOf({ path }: TreeChange): string {
    const named = this.named.find((file) => file.endsWith(`/${path}`));
    if (named !== undefined) this.#root = named.slice(0, -path.length - 1);
    const root = this.#root ?? this.source.root;
    return root === null ? path : `${root.replace(/[/\\]$/, '')}/${path}`;
  }

  #key(path: string): string {
    return keyOf(path, this.source.folder);
  }
}

function modesOf({ before, after }: TreeChange): { before: string; after: string } | null {
  return before && after && before.mode !== after.mode ? { before: before.mode, after: after.mode } : null;
}
