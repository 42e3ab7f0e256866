import type { DiffScope, FileChange, FileDiff, SessionId } from '@shared/model';
import { expect } from 'vitest';
import { type Fixture, type FixtureFamily, openFixture, recordedHome } from '../../../e2e/fixtures';
import { listSessions } from '../queries/session-filter';
import { Timeline } from '../queries/timeline';
import { stores } from '../stores';
import { Shelf } from '../stores/acceptance';
import { aiderWith, projectsOf } from '../stores/aider/fixture-home.test-support';
import type { SessionStore } from '../stores/store';
import { Diffs } from './diffs';

/** A fixture that was read by one store, and what its sessions did to files. */
export class DiffHome {
  readonly diffs: Diffs;
  #revision = 0;

  private constructor(
    readonly fixture: Pick<Fixture, 'home' | 'dispose'>,
    readonly shelf: Shelf,
    store: SessionStore,
  ) {
    const timeline = new Timeline(shelf.library.db, (agent) => (agent === store.agent ? store : undefined));
    // Recorded paths are those of another home: they are looked for in this one, and nowhere else.
    const reach = () => ({ home: fixture.home, platform: process.platform, added: [], confined: true, maps: [{ from: recordedHome, to: fixture.home }] });
    this.diffs = new Diffs(shelf.library.db, timeline, reach, () => this.#revision);
  }

  static async open(family: FixtureFamily, name: string, agent: string): Promise<DiffHome> {
    return DiffHome.of(openFixture(family, name), agent);
  }

  /** A home that was put together. */
  static async of(fixture: Pick<Fixture, 'home' | 'dispose'>, agent: string): Promise<DiffHome> {
    const store = agent === 'aider' ? aiderWith(projectsOf(fixture.home)) : stores.find((each) => each.agent === agent);
    if (!store) throw new Error(`there is no store of ${agent}`);
    const shelf = new Shelf(fixture.home, store);
    await shelf.pass();
    return new DiffHome(fixture, shelf, store);
  }

  /** What is kept of answers is asked anew. */
  forget(): void {
    this.#revision++;
  }

  sessions(): SessionId[] {
    return listSessions(this.shelf.library.db, { archived: 'include' }, 'updated', 0, 1_000).sessions.map(({ id }) => id);
  }

  /** The session whose native id begins so. */
  session(begin: string): SessionId {
    const found = this.sessions().find((id) => id.slice(id.indexOf('/') + 1).startsWith(begin));
    if (!found) throw new Error(`there is no session ${begin}`);
    return found;
  }

  async files(session: SessionId, scope: DiffScope = { kind: 'session' }): Promise<FileChange[]> {
    return (await this.diffs.files({ session, scope, from: 0, count: 500 }))?.files ?? [];
  }

  async notes(session: SessionId, scope: DiffScope = { kind: 'session' }): Promise<string[]> {
    return (await this.diffs.files({ session, scope, from: 0, count: 1 }))?.notes ?? [];
  }

  async diff(session: SessionId, path: string, scope: DiffScope = { kind: 'session' }): Promise<FileDiff> {
    const found = await this.diffs.file({ session, scope, path });
    expect(found).not.toBeNull();
    return found as FileDiff;
  }

  /** One patch of all files that `git apply` takes. */
  async patch(session: SessionId, scope: DiffScope = { kind: 'session' }): Promise<string> {
    const files = await this.files(session, scope);
    const patches = await Promise.all(files.map(({ path }) => this.diff(session, path, scope)));
    return patches.flatMap(({ applies, patch }) => (applies && patch !== null ? [patch] : [])).join('');
  }

  dispose(): void {
    this.shelf.dispose();
    this.fixture.dispose();
  }
}

/** A change in one line: `edit src/a.js +1 -0`, with the certainty where it is not recorded. */
export function told({ kind, path, relative, oldPath, oldRelative, added, removed, certainty }: FileChange): string {
  const from = oldPath === null ? '' : `${oldRelative ?? oldPath} -> `;
  return `${kind} ${from}${relative ?? path} +${added ?? '?'} -${removed ?? '?'}${certainty === 'recorded' ? '' : ` ${certainty}`}`;
}
