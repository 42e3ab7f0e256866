import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Checked } from '@shared/contract';
import type { ExportDone, ExportLook, ExportProgress, ExportRefusal } from '@shared/model';
import type { Diffs } from '../../diff/diffs';
import type { Db } from '../../library/database';
import { storeRows } from '../../queries/detail';
import type { Timeline } from '../../queries/timeline';
import type { Work } from '../../queries/work/work';
import { version } from '../../version';
import { downloadsFolder } from '../downloads';
import { Redactor } from '../redaction/redactor';
import { fileNameOf } from './file-name';
import { type Form, formOf } from './form';
import { openSessions } from './open-sessions';
import type { OpenedSession } from './opened-session';
import { SessionChanged } from './show-document';
import { failed, refuseTarget, TargetFile } from './target';

export interface ExportsSetup {
  db: Db;
  /** The library's file. */
  file: string;
  home: string;
  timeline: Timeline;
  diffs: Diffs;
  work: Work;
  revision(): number;
  progress(now: ExportProgress): void;
}

/** Characters of the file that a look gives, and findings it names. */
const headLength = 30_000;
const findingsListed = 1_000;
/** ms between two reports of progress. */
const reportPause = 150;
/** ms after which a file that nobody fetched is removed. */
const forgotten = 3_600_000;
/** Setting in the library: words to mask. */
const wordsKey = 'masked words';

type Asked = Omit<Checked<'share.export'>, 'target'>;

interface Opened {
  sessions: OpenedSession[];
  form: Form;
  redactor: Redactor;
  left: string[];
}

/** Hands sessions on: looks through what would leave, and writes it. */
export class Exports {
  /** The last look: what it found is known to the export that follows. */
  #looked: { key: string; redactor: Redactor } | null = null;

  constructor(readonly setup: ExportsSetup) {}

  async look(request: Asked, signal: AbortSignal): Promise<ExportLook | ExportRefusal> {
    return this.#refusing(async () => {
      const opened = await this.#open(request, signal);
      if ('refused' in opened) return opened;
      const { sessions, form, redactor } = opened;
      const findings = redactor.list();
      const { head, whole } = await this.#head(form);
      return {
        session: root(sessions).id, format: request.format, fileName: fileNameOf(redactor.mask(root(sessions).detail.summary.title ?? ''), request.format), folder: this.#folder(),
        ...sizes(sessions), findings: findings.slice(0, findingsListed), findingsTotal: findings.length, redaction: redactor.count(), head, whole,
      };
    });
  }

  async make({ target, ...request }: Checked<'share.export'>, signal: AbortSignal): Promise<ExportDone | ExportRefusal> {
    return this.#refusing(async () => {
      const places = { folders: storeRows(this.setup.db).filter(({ agent }) => agent !== 'aider').map(({ folder }) => folder), library: this.setup.file };
      // Before the work, so that a person need not wait for a no.
      const early = target.kind === 'file' ? refuseTarget(target.path, target.overwrite, places) : null;
      if (early) return early;
      const opened = await this.#open(request, signal);
      if ('refused' in opened) return opened;
      const { sessions, form, redactor } = opened;
      const download = target.kind === 'download' ? randomBytes(16).toString('hex') : null;
      const path = target.kind === 'file' ? target.path : join(this.#downloads(), download ?? '');
      const file = TargetFile.open(path, target.kind === 'file' && target.overwrite, places);
      if ('refused' in file) return file;
      try {
        const report = this.#reporter(request.run, 'writing', form.total, () => file.bytes, signal);
        form.steps(report);
        for await (const chunk of form.write()) {
          signal.throwIfAborted();
          file.write(chunk);
        }
      } catch (error) {
        file.discard();
        // Faults of the disk have a code; being cancelled, and faults of ours, are no answer.
        if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
        return failed(path, error);
      }
      const finished = file.finish();
      if ('refused' in finished) return finished;
      return {
        session: root(sessions).id, format: request.format, path, download, fileName: fileNameOf(redactor.mask(root(sessions).detail.summary.title ?? ''), request.format),
        bytes: file.bytes, hash: finished.hash, ...sizes(sessions), redaction: redactor.count(),
      };
    });
  }

  /** The words that are masked in every export. */
  words(wanted?: readonly string[]): string[] {
    const { db } = this.setup;
    if (wanted) {
      const words = [...new Set(wanted.map((word) => word.trim()).filter((word) => word.length > 1))];
      db.prepare('INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(wordsKey, JSON.stringify(words));
    }
    const stored = db.prepare('SELECT value FROM meta WHERE key = ?').get(wordsKey) as { value: string } | undefined;
    return stored === undefined ? [] : (JSON.parse(stored.value) as string[]);
  }

  async #open(request: Asked, signal: AbortSignal): Promise<Opened | ExportRefusal> {
    const { db, timeline, home } = this.setup;
    const revision = this.setup.revision();
    const sessions = openSessions(db, timeline, revision, request);
    if ('refused' in sessions) return sessions;
    const { run: _run, keep, ...rest } = request;
    const words = [...new Set([...this.words(), ...request.words])];
    const key = JSON.stringify([rest, words, revision]);
    const known = this.#looked?.key === key ? this.#looked.redactor : null;
    const redactor = known ?? new Redactor({ applied: request.redact, homes: [home], words, keep });
    redactor.keep(keep);
    const left = leftOut(request);
    const form = await formOf({ ...this.setup, sessions, redactor, request, left, by: `Retrace ${version}`, made: new Date().toISOString() });
    if ('refused' in form) return form;
    if (!known) await this.#lookThrough(form, redactor, request, signal);
    this.#looked = { key, redactor };
    return { sessions, form, redactor, left };
  }

  async #lookThrough(form: Form, redactor: Redactor, { run, redact }: Asked, signal: AbortSignal): Promise<void> {
    if (redact) {
      for (let again = true; again; ) {
        form.steps(this.#reporter(run, 'looking', form.total, () => 0, signal));
        await form.look();
        again = await redactor.looked();
      }
    } else await redactor.looked();
  }

  async #head(form: Form): Promise<{ head: string; whole: boolean }> {
    form.steps(() => undefined);
    let head = '';
    for await (const chunk of form.write()) {
      head += chunk;
      if (head.length > headLength) return { head: head.slice(0, headLength).toWellFormed(), whole: false };
    }
    return { head, whole: true };
  }

  /** Counts steps, tells of them now and then, and ends the work when it is cancelled. */
  #reporter(run: string, phase: ExportProgress['phase'], total: number, bytes: () => number, signal: AbortSignal): () => void {
    let done = 0;
    let told = 0;
    return () => {
      signal.throwIfAborted();
      done++;
      const now = performance.now();
      if (now - told < reportPause) return;
      told = now;
      this.setup.progress({ run, phase, done: Math.min(done, total), total, bytes: bytes() });
    };
  }

  async #refusing<T>(work: () => Promise<T | ExportRefusal>): Promise<T | ExportRefusal> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SessionChanged) return { refused: 'failed', reason: error.message };
      throw error;
    }
  }

  #folder(): string | null {
    return [join(this.setup.home, 'Downloads'), this.setup.home].find((folder) => existsSync(folder)) ?? null;
  }

  #downloads(): string {
    const folder = downloadsFolder(this.setup.file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat && Date.now() - stat.mtimeMs > forgotten) rmSync(path, { force: true });
    }
    return folder;
  }
}

function root(sessions: readonly OpenedSession[]): OpenedSession {
  const [first] = sessions;
  if (!first) throw new Error('an export has a session');
  return first;
}

/** How much leaves. Messages are those with a part that does. */
function sizes(sessions: readonly OpenedSession[]): { sessions: number; messages: number; parts: number } {
  let messages = 0;
  let parts = 0;
  for (const session of sessions) {
    const size = session.size();
    messages += size.messages;
    parts += size.parts;
  }
  return { sessions: sessions.length, messages, parts };
}

function leftOut({ toolOutput, reasoning, subagents }: Asked): string[] {
  const left = [...(toolOutput ? [] : ['tool output']), ...(reasoning ? [] : ['reasoning']), ...(subagents ? [] : ['subagents'])];
  return left.length === 0 ? [] : [`Left out: ${left.join(', ')}.`];
}
