import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answers, Checked, Method } from '@shared/contract';
import type { ExportDone, ExportLook, ExportProgress, ExportRefusal, SessionSummary } from '@shared/model';
import { type FixtureFamily, openFixture } from '../../../../e2e/fixtures';
import { startEngine } from '../../engine';
import { Indexer } from '../../indexing/indexer';
import { stores } from '../../stores';

export type Asked = Partial<Omit<Checked<'share.export'>, 'session'>>;

/** A home that was read, and an engine that exports from it. */
export class ExportHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'retrace-export-'));
  readonly progress: ExportProgress[] = [];
  readonly #engine;
  #names = 0;

  private constructor(
    readonly fixture: { home: string; dispose(): void },
    add: string[],
  ) {
    const options = { home: fixture.home, add: add.map((each) => join(fixture.home, each)) };
    const file = join(this.folder, 'library.db');
    this.#engine = startEngine(
      { file, home: fixture.home, stores, idle: true, bounds: { confined: true, maps: [] }, index: (events) => new Indexer({ file, options, home: '/nobody', watch: false }, stores, events) },
      (name, payload) => {
        if (name === 'share.progress') this.progress.push(payload as ExportProgress);
      },
    );
  }

  static async open(family: FixtureFamily, name: string): Promise<ExportHome> {
    return ExportHome.of(openFixture(family, name), family === 'aider' ? ['proj/calc'] : []);
  }

  static async of(fixture: { home: string; dispose(): void }, add: string[] = []): Promise<ExportHome> {
    const home = new ExportHome(fixture, add);
    await home.index();
    return home;
  }

  async ask<M extends Method>(method: M, params: Checked<M>, signal = new AbortController().signal): Promise<Answers[M]> {
    return (await this.#engine.methods[method](params, { signal })) as never;
  }

  async index(): Promise<void> {
    await this.ask('index.run', {});
  }

  async sessions(): Promise<SessionSummary[]> {
    return (await this.ask('session.list', { filter: { archived: 'include' }, sort: 'created', from: 0, count: 1_000 })).sessions;
  }

  /** The session of that native id, or the first whose native id begins so. */
  async session(begin: string): Promise<string> {
    const sessions = await this.sessions();
    const found = sessions.find(({ nativeId }) => nativeId === begin) ?? sessions.find(({ nativeId }) => nativeId.startsWith(begin));
    if (!found) throw new Error(`there is no session ${begin}`);
    return found.id;
  }

  #asked(session: string, asked: Asked): Omit<Checked<'share.export'>, 'target'> {
    const { target: _target, ...rest } = asked;
    return { session, format: 'markdown', scope: { kind: 'whole' }, toolOutput: true, reasoning: true, subagents: true, redact: true, keep: [], words: [], run: 'test', ...rest };
  }

  look(session: string, asked: Asked = {}): Promise<ExportLook | ExportRefusal> {
    return this.ask('share.look', this.#asked(session, asked));
  }

  make(session: string, asked: Asked = {}, signal?: AbortSignal): Promise<ExportDone | ExportRefusal> {
    const target = asked.target ?? { kind: 'file', path: this.file(), overwrite: false };
    return this.ask('share.export', { ...this.#asked(session, asked), target }, signal);
  }

  file(): string {
    return join(this.folder, `export-${++this.#names}`);
  }

  /** The text of an export that must succeed. */
  async text(session: string, asked: Asked = {}): Promise<string> {
    const done = await this.make(session, asked);
    if ('refused' in done) throw new Error(done.reason);
    return readFileSync(done.path ?? '', 'utf8');
  }

  /** The lines of a bundle. */
  async bundle(session: string, asked: Asked = {}): Promise<BundleLine[]> {
    const text = await this.text(session, { format: 'bundle', ...asked });
    return text.trimEnd().split('\n').map((line) => JSON.parse(line) as BundleLine);
  }

  async close(): Promise<void> {
    await this.#engine.close();
    this.fixture.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export type BundleLine = { type: string } & Record<string, unknown>;

/** Bytes of each stream of a bundle, by key, joined. */
export function streamsOf(lines: readonly BundleLine[]): Map<string, { role: string; pieces: { at: number; bytes: Buffer }[]; hash: string }> {
  const streams = new Map<number, { key: string; role: string; pieces: { at: number; bytes: Buffer }[]; hash: string }>();
  for (const line of lines) {
    if (line.type === 'stream') streams.set(line['stream'] as number, { key: line['key'] as string, role: line['role'] as string, pieces: [], hash: '' });
    if (line.type === 'piece') {
      const bytes = typeof line['text'] === 'string' ? Buffer.from(line['text']) : Buffer.from(line['base64'] as string, 'base64');
      streams.get(line['stream'] as number)?.pieces.push({ at: line['at'] as number, bytes });
    }
    if (line.type === 'stream-end') (streams.get(line['stream'] as number) as { hash: string }).hash = line['hash'] as string;
  }
  return new Map([...streams.values()].map(({ key, ...stream }) => [key, stream]));
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
