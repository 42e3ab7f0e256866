import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompactionProgress, ForgetOutcome, ForgetPlan, ForgetTarget } from '@shared/model';
import type { SessionStore } from '../../stores/store';
import { sessionDetail } from '../../queries/detail';
import { listSessions } from '../../queries/session-filter';
import { Timeline } from '../../queries/timeline';
import { Search } from '../../search/search';
import { Library } from '../library';
import { Pass } from '../pass';
import { Keeping, type KeepingAct, type KeepingAnswers } from './keeping';

/** A library of a home with all stores, and its settings. */
export class KeepHome {
  readonly #folder = mkdtempSync(join(tmpdir(), 'retrace-keep-'));
  readonly file = join(this.#folder, 'library.db');
  library = new Library(this.file);
  now = Date.UTC(2027, 0, 1);
  readonly progress: (CompactionProgress | null)[] = [];

  constructor(
    readonly home: string,
    /** Those of the program, with one of them set up for the home. */
    readonly stores: readonly SessionStore[],
  ) {}

  get keeping(): Keeping {
    return new Keeping(this.library, this.stores, { now: () => this.now, progress: (progress) => this.progress.push(progress), changed: () => undefined });
  }

  async pass(readers = this.stores) {
    return new Pass(this.library, readers, { home: this.home, platform: process.platform, variables: {}, added: [], confined: true }, {
      progress: ({ error }) => {
        if (error !== null) throw new Error(error);
      },
      changed: () => undefined, stopped: () => false, now: () => this.now,
    }).run();
  }

  async act<A extends KeepingAct['act']>(act: Extract<KeepingAct, { act: A }>): Promise<KeepingAnswers[A]> {
    return (await this.keeping.do(act)) as KeepingAnswers[A];
  }

  plan(target: ForgetTarget): Promise<ForgetPlan> {
    return this.act({ act: 'plan forget', target });
  }

  async forget(target: ForgetTarget): Promise<ForgetOutcome> {
    const { token } = await this.plan(target);
    return this.act({ act: 'forget', target, token });
  }

  exclude(kind: 'project' | 'agent' | 'store', key: string) {
    return this.act({ act: 'exclude', target: { kind, key }, dryRun: false });
  }

  include(kind: 'project' | 'agent' | 'store', key: string) {
    return this.act({ act: 'include', target: { kind, key }, dryRun: false });
  }

  listed(): string[] {
    return listSessions(this.library.db, { archived: 'include' }, 'created', 0, 5_000).sessions.map(({ id }) => id).sort();
  }

  /** Everything in the session table, whether it is listed or not. */
  known(): string[] {
    return (this.library.db.prepare("SELECT st.key || '/' || s.native FROM session s JOIN store st ON st.id = s.store").pluck().all() as string[]).sort();
  }

  /** A session as one opens it; all of it but the edges, which name others. */
  session(id: string) {
    const timeline = new Timeline(this.library.db, (agent) => this.stores.find((store) => store.agent === agent));
    const detail = sessionDetail(this.library.db, id, 'messages');
    if (!detail) return null;
    const total = timeline.outline(id, 0)?.total ?? 0;
    const parts = [];
    for (let from = 0; from < total; from += 200) parts.push(...(timeline.parts(id, 0, from, 200, true)?.parts ?? []));
    return { ...detail, edges: detail.edges.map(({ child, parent, kind, certainty }) => ({ child, parent, kind, certainty })), parts };
  }

  hits(query: string): string[] {
    const timeline = new Timeline(this.library.db, (agent) => this.stores.find((store) => store.agent === agent));
    return new Search(this.library.db, timeline).run({ query, from: 0, count: 200 }, false).hits.map(({ session }) => session).sort();
  }

  /** How often these bytes stand in the library's files. */
  occurrences(word: string): number {
    return ['', '-wal'].reduce((sum, end) => sum + (existsSync(this.file + end) ? count(readFileSync(this.file + end), word) : 0), 0);
  }

  /** The words of the search index, as it keeps them. */
  indexed(word: string): boolean {
    return this.library.db.prepare('SELECT 1 FROM search WHERE search MATCH ? LIMIT 1').get(`"${word}"`) !== undefined;
  }

  dispose(): void {
    this.library.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function count(bytes: Buffer, word: string): number {
  let found = 0;
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + 1)) found++;
  return found;
}
