import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fixture, type FixtureFamily, openFixture } from '../../../../../e2e/fixtures';
import { claudeCode } from '..';
import { type DrivenSession, type DrivenStore, Driver } from '../drive.test-support';
import { pointAt, sessionToWrite } from '../../write-acceptance';
import type { FileStep, SessionToWrite, WritePoint } from '../../store';

/** A fixture read in memory, and its sessions as the writer gets them. */
export class WriteHome {
  driver: Driver;
  driven: DrivenStore;

  constructor(readonly fixture: Fixture) {
    this.driver = new Driver(claudeCode, fixture.home);
    this.driven = this.driver.result(this.driver.pass());
  }

  /** Reads the home anew. */
  read(): DrivenStore {
    this.driver = new Driver(claudeCode, this.fixture.home);
    return (this.driven = this.driver.result(this.driver.pass()));
  }

  /** The session whose id begins so. */
  session(begins: string): DrivenSession {
    const found = [...this.driven.sessions.values()].filter(({ native }) => native.startsWith(begins)).toSorted((a, b) => a.native.length - b.native.length)[0];
    if (!found) throw new Error(`no session ${begins}`);
    return found;
  }

  writable(begins: string): SessionToWrite {
    return sessionToWrite(this.driver, this.driven, this.session(begins));
  }

  /** The point before a prompt, by how its record's key begins; on the last branch that has it. */
  before(begins: string, key: string | null): WritePoint {
    const { settled, spine } = this.session(begins);
    if (key === null) return pointAt(this.session(begins), settled.branches.findIndex(({ current }) => current), null);
    const index = spine.records.findIndex((record) => record.key?.startsWith(key) === true);
    const branch = settled.branches.findLastIndex(({ path }) => path.includes(index));
    if (branch < 0) throw new Error(`no branch has ${key}`);
    return pointAt(this.session(begins), branch, index);
  }

  /** Path of a step below the store's folder. */
  shortPath(step: { path: string }): string {
    return step.path.slice(this.driven.location.folder.length + 1);
  }

  text(path: string): string {
    return readFileSync(join(this.driven.location.folder, path), 'utf8');
  }
}

export function within<T>(family: FixtureFamily, name: string, act: (home: WriteHome) => T | Promise<T>): Promise<T> {
  const fixture = openFixture(family, name);
  return Promise.resolve()
    .then(() => act(new WriteHome(fixture)))
    .finally(() => fixture.dispose());
}

/** What a step leaves in its file. */
export function bytesOf(step: FileStep): Buffer {
  if (step.after === null) throw new Error('the file goes');
  return 'append' in step.after ? Buffer.from(step.after.append) : Buffer.concat([...step.after.content.pieces()]);
}
