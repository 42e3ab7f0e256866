import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RevertFile, RevertFileView, RevertPoint, RevertPreview, SessionId } from '@shared/model';
import type { FixtureFamily } from '../../../e2e/fixtures';
import { recordedHome } from '../../../e2e/fixtures';
import { Contexts } from '../context/answers';
import { DiffHome } from '../diff/diff-home.test-support';
import type { Reach } from '../queries/folder-state';
import { Reverts } from './reverts';

/** A day after the fixtures were made. */
export const testNow = Date.parse('2026-11-30T12:00:00Z');

/** A fixture that was read, and what going back in its sessions would do. */
export class RevertHome {
  reverts: Reverts;
  #revision = 0;

  private constructor(readonly read: DiffHome) {
    this.reverts = this.#with([{ from: recordedHome, to: read.fixture.home }]);
  }

  static async open(family: FixtureFamily, name: string, agent: string): Promise<RevertHome> {
    return new RevertHome(await DiffHome.open(family, name, agent));
  }

  /** A home that was put together. */
  static async of(fixture: { home: string; dispose(): void }, agent: string): Promise<RevertHome> {
    return new RevertHome(await DiffHome.of(fixture, agent));
  }

  #with(maps: Reach['maps']): Reverts {
    const { timeline, db } = this.read.diffs;
    const contexts = new Contexts(db, timeline, timeline.words, timeline.storeOf);
    const reach = () => ({ home: this.home, platform: process.platform, added: [], confined: true, ...(maps && { maps }) });
    return new Reverts(db, timeline, contexts, reach, () => this.#revision, () => testNow);
  }

  /** Recorded paths are looked for as they are recorded. */
  forgetMaps(): void {
    this.reverts = this.#with(undefined);
  }

  /** What is kept of answers is asked anew. */
  forget(): void {
    this.#revision++;
  }

  get home(): string {
    return this.read.fixture.home;
  }

  session(begin: string): SessionId {
    return this.read.session(begin);
  }

  /** A file of the fixture's home is written, by its path in it. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.home, path)), { recursive: true });
    writeFileSync(join(this.home, path), text);
  }

  points(session: SessionId): RevertPoint[] {
    return this.reverts.points({ session, from: 0, count: 500 })?.points ?? [];
  }

  /** The point of a turn, from 1. */
  async preview(session: SessionId, turn: number): Promise<RevertPreview> {
    const before = this.points(session)[turn - 1]?.message ?? `${session}#none`;
    const found = await this.reverts.preview({ session, before, from: 0, count: 500 });
    if (found === null || 'refused' in found) throw new Error(found?.refused ?? 'unknown session');
    return found;
  }

  async files(session: SessionId, turn: number): Promise<string[]> {
    return (await this.preview(session, turn)).files.map(toldFile);
  }

  async file(session: SessionId, turn: number, path: string): Promise<RevertFileView> {
    const { point, files } = await this.preview(session, turn);
    const named = files.find((file) => file.relative === path || file.path === path);
    const found = named && (await this.reverts.file({ session, before: point.message, path: named.path }));
    if (!found) throw new Error(`no file ${path}`);
    return found;
  }

  dispose(): void {
    this.read.dispose();
  }
}

/** A file in one line: `restorable src/a.js edit +1 -0 checkpoint`, `*` before it where the agent's own revert has it. */
export function toldFile({ state, reason, path, relative, kind, added, removed, origin, agent }: RevertFile): string {
  return `${agent.restores ? '* ' : ''}${state}${reason === null ? '' : ` (${reason})`} ${relative ?? path} ${kind} +${added ?? '?'} -${removed ?? '?'}${origin === null ? '' : ` ${origin}`}`;
}
