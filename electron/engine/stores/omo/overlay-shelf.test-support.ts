import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IndexOutcome } from '@shared/contract';
import { recordedHome } from '../../../../e2e/fixtures';
import { Library } from '../../library/library';
import { OverlayRows } from '../../library/overlay-rows';
import { Pass } from '../../library/pass';
import { Work } from '../../queries/work/work';
import { opencode } from '../opencode';

/** A library that reads a home with OpenCode's store and the overlays on it. */
export class OverlayShelf {
  readonly library: Library;
  readonly work: Work;
  readonly #folder = mkdtempSync(join(tmpdir(), 'retrace-library-'));
  now: number;

  constructor(
    readonly home: string,
    now = '2027-01-01T00:00:00Z',
  ) {
    this.now = Date.parse(now);
    this.library = new Library(join(this.#folder, 'library.db'));
    this.work = new Work(this.library.db, () => this.now);
  }

  /** Recorded folders lie under another home: they are looked for in this one. */
  async pass({ maps = [{ from: recordedHome, to: this.home }] } = {}): Promise<IndexOutcome & { changes: number }> {
    let changes = 0;
    const pass = new Pass(this.library, [opencode], { home: this.home, platform: process.platform, variables: {}, added: [], confined: true, maps }, {
      progress: () => undefined,
      changed: () => void changes++,
      stopped: () => false,
      now: () => this.now,
    });
    return { ...(await pass.run()), changes };
  }

  list() {
    return this.work.list({ from: 0, count: 200 });
  }

  of(native: string) {
    return this.work.of({ session: `opencode/${native}` });
  }

  /** Every file that was read, by its place in the home, with the number of its versions. */
  files(): Record<string, { versions: number; gone: boolean; problem: string | null }> {
    const rows = new OverlayRows(this.library.db);
    return Object.fromEntries(rows.all().map(({ id, root, path, gone, problem }) => [
      `${root.replace(this.home, '~')}/${path}`,
      { versions: [...rows.versions(id, 1_000)].length, gone: gone !== null, problem },
    ]));
  }

  dispose(): void {
    this.library.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
