import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Agent, Checkpoint, SessionId } from '@shared/model';
import { asSessionId } from '@shared/model';
import type { Db } from '../library/database';
import type { Reach } from '../queries/folder-state';
import { findSession } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import { liesIn } from '../stores/foreign/spelling';
import type { SessionFacts, SessionStore } from '../stores/store';
import { blobId, bytesContent, type Content, readableFrom } from './content';
import { GitTrouble } from './git/cat-file';
import { GitObjects } from './git/objects';
import { projectPlaces, snapshotPlaces } from './git/places';
import { GitTrees } from './git/trees';
import { Turns } from './turns';

/** Bytes of one checkpoint's file that are read. */
const backupLimit = 16_000_000;

/** Trees that are looked for to know whether the snapshots of a session are still there. */
const treesLooked = 200;

/** A session and all that can be asked about its files. Opened for one question and closed after it. */
export class SessionSource {
  /** Recorded folder of the session. */
  readonly folder: string | null;
  readonly checkpoints: readonly Checkpoint[];
  /** What could not be looked at, one sentence each. */
  readonly problems = new Set<string>();
  /** Recorded folder that trees are pictures of. */
  root: string | null;
  #objects: GitObjects | null = null;
  #trees: Promise<GitTrees | null> | null = null;
  readonly #backups = new Map<string, Content>();

  private constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    readonly reach: Reach,
    readonly id: SessionId,
    readonly row: number,
    readonly storeRow: number,
    readonly agent: Agent,
    readonly store: SessionStore,
    readonly storeFolder: string,
    readonly facts: SessionFacts | null,
    readonly turns: Turns,
  ) {
    this.folder = facts?.directory ?? null;
    this.checkpoints = facts?.checkpoints ?? [];
    this.root = rootOf(facts);
  }

  /** `before`: the same session, opened before and closed, and nothing was written to the library since. What grows with the session is not read again then. */
  static open(db: Db, timeline: Timeline, reach: Reach, id: string, before: SessionSource | null = null): SessionSource | null {
    if (before) return new SessionSource(db, timeline, reach, before.id, before.row, before.storeRow, before.agent, before.store, before.storeFolder, before.facts, before.turns);
    const found = findSession(db, id);
    const store = found && timeline.storeOf(found.agent);
    if (!found || !store) return null;
    const { facts, storeRow, folder } = db
      .prepare('SELECT s.facts, s.store AS storeRow, st.folder FROM session s JOIN store st ON st.id = s.store WHERE s.id = ?')
      .get(found.id) as { facts: string | null; storeRow: number; folder: string };
    const known = facts === null ? null : (JSON.parse(facts) as SessionFacts);
    const source = new SessionSource(db, timeline, reach, asSessionId(id), found.id, storeRow, found.agent as Agent, store, folder, known, new Turns(db, found.id));
    if (found.head === 1) source.problems.add('This session has not been read yet: what it did to files is not known so far.');
    return source;
  }

  /** The git objects a state of files is looked for in, opened at the first question. `object` is one that is wanted. */
  async #gitTrees(kind: 'tree' | 'commit', object: string): Promise<GitTrees | null> {
    this.#trees ??= this.#openTrees(kind, object);
    return this.#trees;
  }

  async #openTrees(kind: 'tree' | 'commit', object: string): Promise<GitTrees | null> {
    const places = kind === 'tree' ? await snapshotPlaces(this.storeFolder, this.folder, this.root, object, this.reach) : await projectPlaces(this.folder, this.reach);
    for (const problem of places.problems) this.problems.add(problem);
    this.root = places.root ?? this.root;
    if (places.folders.length === 0) return null;
    this.#objects = new GitObjects(places.folders, object.length > 40 ? 'sha256' : 'sha1');
    return new GitTrees(this.#objects, { kind: 'git', of: kind, beside: object });
  }

  /** Asks git; what goes wrong there is a fact about this session and no failure of the question. */
  async askGit<T>(kind: 'tree' | 'commit', object: string, ask: (trees: GitTrees) => Promise<T | null>): Promise<T | null> {
    try {
      const trees = await this.#gitTrees(kind, object);
      const answer = trees && (await ask(trees));
      if (answer === null) this.problems.add(kind === 'tree' ? 'Some snapshot trees are not there any more: what only they showed is not known.' : 'Some commits are not in the repository here: what only they showed is not known.');
      return answer;
    } catch (error) {
      if (!(error instanceof GitTrouble)) throw error;
      this.problems.add(`Git could not be asked: ${error.message}.`);
      return null;
    }
  }

  /** Whether the trees that steps name are all there; for a store without such trees they are not. */
  hasAllTrees(): Promise<boolean> {
    this.#hasAllTrees ??= this.#findTrees();
    return this.#hasAllTrees;
  }
  #hasAllTrees: Promise<boolean> | null = null;

  async #findTrees(): Promise<boolean> {
    const trees = [...new Set(this.checkpoints.map(({ id }) => id))].slice(0, treesLooked);
    for (const tree of trees) if ((await this.askGit('tree', tree, async (git) => ((await git.has(tree)) ? true : null))) === null) return false;
    return trees.length > 0;
  }

  /** A file as a checkpoint kept it; null content means that it did not exist. */
  backup(content: string | null): Content {
    if (content === null) return { state: 'absent' };
    const known = this.#backups.get(content);
    if (known) return known;
    const read = this.#readBackup(content);
    // Few files of a session are asked for again and again.
    if (this.#backups.size < 500) this.#backups.set(content, read);
    return read;
  }

  #readBackup(content: string): Content {
    try {
      const read = this.#backupBytes(content);
      if (read === null) return { state: 'unknown' };
      return Buffer.isBuffer(read) ? readableFrom(bytesContent(read, blobId(read)), { kind: 'backup', content }) : { state: 'too large', bytes: read.size, id: basename(content) };
    } catch {
      this.problems.add('Some backups of files are not there any more.');
      return { state: 'unknown' };
    }
  }

  /** Null for what is no file of the store; only its size beyond the limit. */
  #backupBytes(content: string): Buffer | { size: number } | null {
    const steps = content.split(/[/\\]/);
    if (steps.some((step) => step === '..' || step === '.' || step === '')) return null;
    const file = join(this.storeFolder, ...steps);
    const fact = statSync(file);
    if (!fact.isFile()) return null;
    return fact.size > backupLimit ? { size: fact.size } : readFileSync(file);
  }

  /** The bytes of a content that is no text, read once more; null where they are not there any more, or are others. */
  async bytes({ id, from }: Extract<Content, { state: 'binary' }>): Promise<Buffer | null> {
    if (from === undefined) return null;
    if (from.kind === 'git') return this.askGit(from.of, from.beside, async ({ objects }) => {
      const found = await objects.read(id);
      return found.state === 'found' && found.type === 'blob' ? found.bytes : null;
    });
    try {
      const read = this.#backupBytes(from.content);
      return Buffer.isBuffer(read) && blobId(read) === id ? read : null;
    } catch {
      return null;
    }
  }

  /** Lets go of what was opened; asked again, it is opened anew. */
  close(): void {
    this.#objects?.close();
    this.#objects = null;
    this.#trees = null;
  }
}

function rootOf(facts: SessionFacts | null): string | null {
  if (facts === null) return null;
  const { worktree, projectFolder, directory } = facts;
  if (worktree) return worktree.path;
  return projectFolder != null && projectFolder !== '' && directory !== null && liesIn(directory, projectFolder) ? projectFolder : directory;
}
