import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { once } from 'node:events';
import { agentNames, type ExportScope, type ImportPreview, type SessionId } from '@shared/model';
import { sessionDetail } from '../../queries/detail';
import { findSession } from '../../queries/session-summary';
import { count } from '../../stores/foreign/said';
import type { Db } from '../../library/database';
import { importFiles, importsFolder, importStoreId, readOrigin } from '../../stores/retrace/imports';
import type { FileStep, SessionStore } from '../../stores/store';
import { contentOf, expectedOf } from './import-file';
import { download, type Download, DownloadError, type DownloadOptions, type DownloadLimits, downloadLimits } from '../link/download';
import { isLoopback, shareLink } from '../link/share-links';
import { plainFile } from './plain-file';
import { previewOf } from './preview';
import { beginningOf, recogniseBytes, unreadable } from './recognise';
import { takeIn } from './take-in';
import { type NotTaken, notTaken } from './taken-in';
import { Uploads } from './uploads';
import { writeImport, type WrittenImport } from './write-import';

/** Imports that were looked at and are kept ready; the oldest goes. */
const ready = 5;

export interface ImportRequest {
  /** Absolute path, a link, or the name of an upload. */
  from: string;
  /** Take what is whole of a file that was cut. */
  salvage: boolean;
  /** A host outside the known ones that the person agreed to speak to. */
  host: string | null;
}

/** Steps that put an import beside the library, and what it is. */
export interface ImportDrawing {
  name: string;
  agent: ImportPreview['agent'];
  root: string;
  title: string;
  steps: FileStep[];
  limits: string[];
  preview: ImportPreview;
}

/** It is not imported, and why; what the person could agree to instead. */
export interface ImportRefusal {
  refused: string;
  instead: { way: string; says: string }[];
}

export interface ImportingSetup {
  db: Db;
  library: string;
  stores: readonly SessionStore[];
  /** Writes a session, or a part of it, as a bundle; gives why not. */
  bundle(session: SessionId, scope: ExportScope, path: string, signal: AbortSignal): Promise<string | null>;
  /** Bases of share servers the person set. */
  servers(): string[];
  limits?: DownloadLimits;
  now(): number;
}

type Progress = (says: string, bytes: number) => void;

/** `upload:` and its name. */
const uploadNamed = (from: string): string | null => (from.startsWith('upload:') ? from.slice('upload:'.length) : null);

const refusal = (refused: string, ...instead: ImportRefusal['instead']): ImportRefusal => ({ refused, instead });

/** Looks at what a person wants to bring in, and draws what would be written. Nothing but temporary folders is, until the plan is applied. */
export class Importing {
  readonly uploads = new Uploads();
  readonly #work: string[] = [];

  /** A process or thread that is asked to end does so at once (engine/host.ts): what was looked at may not lie on in the folder for temporary files. */
  readonly #atExit = () => this.#clear();

  constructor(readonly setup: ImportingSetup) {
    process.on('exit', this.#atExit);
  }

  async draw({ from, salvage, host }: ImportRequest, signal: AbortSignal, progress: Progress): Promise<ImportDrawing | ImportRefusal> {
    const work = this.#begin();
    const sent = uploadNamed(from);
    if (sent !== null) return this.#drawUpload(sent, salvage, work, signal, progress);
    const isLink = /^<?\s*[a-z][a-z0-9+.-]*:\/\//i.test(from.trim());
    const file = isLink ? await this.#fetched(from, host, work, signal, progress) : this.#named(from);
    if (typeof file !== 'string') return file;
    return this.#read(file, { from: from.trim(), isLink, salvage, work }, signal, progress);
  }

  /** What was drawn has been read whole: the upload can go. One that was refused may be salvaged yet. */
  async #drawUpload(id: string, salvage: boolean, work: string, signal: AbortSignal, progress: Progress): Promise<ImportDrawing | ImportRefusal> {
    const file = this.uploads.whole(id);
    if (!file) return refusal('The file that was sent up is not here any more. Choose it again.');
    const drawn = await this.#read(file.path, { from: file.name, isLink: false, salvage, work }, signal, progress);
    if (!('refused' in drawn)) this.uploads.discard(id);
    return drawn;
  }

  async #read(file: string, { from, isLink, salvage, work }: { from: string; isLink: boolean; salvage: boolean; work: string }, signal: AbortSignal, progress: Progress): Promise<ImportDrawing | ImportRefusal> {
    progress('Reading', 0);
    // What was said so far goes out before the reading, which holds the engine.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const plain = await readable(file, work, signal);
    const taken = typeof plain === 'string' ? takeIn(plain, { work, salvage, link: isLink }) : plain;
    if ('refused' in taken) return refusal(taken.refused, ...(taken.salvage ? [{ way: 'salvage', says: `Take in the ${taken.salvage.messages} messages that are whole.` }] : []));
    const imports = join(work, 'imports');
    const written = await writeImport(taken, from, this.setup.now(), imports, signal);
    const native = this.setup.stores.find(({ agent }) => agent === taken.agent);
    if (!native) return refusal(`Sessions of ${agentNames[taken.agent]} are not read by this Retrace.`);
    const seen = await previewOf(written, imports, native, this.setup.now(), signal);
    if (!seen) return refusal('There is no session in it that could be shown.');
    return this.#drawn(written, { ...seen, known: this.#known(written), live: this.#live(taken.agent, taken.root) });
  }

  /** A session of the library, or the beginning of one, as a session of its own. */
  async fork(session: SessionId, scope: ExportScope, signal: AbortSignal): Promise<ImportDrawing | ImportRefusal> {
    const work = this.#begin();
    const file = join(work, 'fork.retrace.jsonl');
    const refused = await this.setup.bundle(session, scope, file, signal);
    if (refused !== null) return refusal(refused);
    const taken = takeIn(file, { work, salvage: false, link: false });
    if ('refused' in taken) return refusal(taken.refused);
    const imports = join(work, 'imports');
    const written = await writeImport({ ...taken, kind: 'fork', notes: [] }, session, this.setup.now(), imports, signal, randomBytes(8).toString('hex'));
    const native = this.setup.stores.find(({ agent }) => agent === taken.agent);
    const seen = native && (await previewOf(written, imports, native, this.setup.now(), signal));
    return seen ? this.#drawn(written, { ...seen, known: null, live: null }) : refusal('Nothing of the session would be left.');
  }

  #drawn(written: WrittenImport, preview: ImportPreview): ImportDrawing | ImportRefusal {
    const { known } = preview;
    if (known?.equal) return refusal(`It is in the library already, with the same content: ${known.session}.`, { way: `open:${known.session}`, says: 'Open the session that is here.' });
    const { name, folder, origin } = written;
    const poorer = known === null ? null : this.#poorer(name, known.session, preview);
    const notes = poorer === null ? preview.notes : [...preview.notes, poorer];
    const target = importsFolder(this.setup.library);
    const steps = [importFiles.bundle, importFiles.origin].map((file): FileStep => ({
      kind: 'file', path: join(target, name, file), within: target, before: expectedOf(join(target, name, file)), after: { content: contentOf(join(folder, file)) }, mode: 0o600,
      why: file === importFiles.bundle ? 'The records, as the agent wrote them.' : 'Where it came from.',
    }));
    // Plans go below a folder that is there.
    mkdirSync(target, { recursive: true, mode: 0o700 });
    const title = `Import ${preview.title === null ? 'a session' : `"${preview.title}"`} of ${agentNames[preview.agent]}`;
    return { name, agent: origin.agent, root: origin.root, title, steps, limits: notes, preview: { ...preview, notes } };
  }

  #named(path: string): string | ImportRefusal {
    if (!isAbsolute(path)) return refusal('Name the file with its whole path, or give a link that begins with https://.');
    if (existsSync(path)) return path;
    const link = /(?:^|[/\\])((?:[\w-]+\.)+[a-z]{2,}\/(?:s|shares?)\/[\w-]+)\/?$/i.exec(path)?.[1];
    return refusal(`There is nothing at ${path}.${link === undefined ? '' : ` A link is given whole: https://${link}`}`);
  }

  async #fetched(text: string, host: string | null, work: string, signal: AbortSignal, progress: Progress): Promise<string | ImportRefusal> {
    const link = shareLink(text, this.setup.servers());
    if ('refused' in link) return refusal(link.refused);
    if (!link.isKnownHost && host !== link.host) return refusal(`${link.host} is not a share server that Retrace knows. It would be told your address, and nothing else.`, { way: `host:${link.host}`, says: `Fetch it from ${link.host}.` });
    const allowsLoopback = isLoopback(new URL(link.page).hostname);
    let first: ImportRefusal | null = null;
    for (const address of link.data) {
      const file = await this.#tried(address, { allowsLoopback, ownHost: link.isOwnServer ? link.host : null }, join(work, 'share.json'), signal, progress);
      if (typeof file === 'string') return file;
      // What the usual address said is what helps.
      first ??= refusal(file.refused);
      if (!file.tryNext) break;
    }
    return first ?? refusal('The link names no address.');
  }

  async #tried(address: string, allowed: Pick<DownloadOptions, 'allowsLoopback' | 'ownHost'>, target: string, signal: AbortSignal, progress: Progress): Promise<string | (ImportRefusal & { tryNext: boolean })> {
    const told = (refused: string, tryNext: boolean) => ({ ...refusal(`${refused} (${address})`), tryNext });
    try {
      const answer = await download(address, { ...allowed, signal, limits: this.setup.limits ?? downloadLimits });
      await save(answer, target, (bytes) => progress(`Fetching from ${new URL(answer.url).host}`, bytes));
      const found = recogniseFile(target);
      if (found !== null) return told(`200, but ${found}`, true);
      return target;
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      return told(error.fault.says, error.fault.fault === 'not found');
    }
  }

  /** An import of this session that the library has. */
  #known({ name, origin }: WrittenImport): ImportPreview['known'] {
    const there = readOrigin(join(importsFolder(this.setup.library), name));
    const session = findSession(this.setup.db, `${importStoreId(name)}/${origin.root}`);
    return there && session ? { session: `${importStoreId(name)}/${origin.root}` as never, equal: there.content === origin.content } : null;
  }

  /** That the import which would be replaced holds more than this one; null: it does not. */
  #poorer(name: string, session: SessionId, { counts, others }: ImportPreview): string | null {
    const here = sessionDetail(this.setup.db, session)?.summary.counts?.messages ?? 0;
    const { sessions } = this.setup.db.prepare('SELECT count(*) AS sessions FROM session s JOIN store st ON st.id = s.store WHERE st.key = ? AND s.gone = 0 AND s.ignored = 0').get(importStoreId(name)) as { sessions: number };
    const facts = [
      ...(counts !== null && here > counts.messages ? [`${count(here, 'message')} (this one ${counts.messages.toLocaleString('en')})`] : []),
      ...(sessions > others + 1 ? [`${count(sessions - 1, 'more session')} beside it (this one ${others === 0 ? 'none' : others.toLocaleString('en')})`] : []),
    ];
    return facts.length === 0 ? null : `The import that is here, and would be replaced, has more: ${facts.join(', and ')}.`;
  }

  #live(agent: string, root: string): ImportPreview['live'] {
    const row = this.setup.db.prepare("SELECT st.key FROM session s JOIN store st ON st.id = s.store WHERE st.agent = ? AND st.origin <> 'import' AND s.native = ? LIMIT 1").get(agent, root) as { key: string } | undefined;
    return row ? (`${row.key}/${root}` as never) : null;
  }

  #begin(): string {
    const work = mkdtempSync(join(tmpdir(), 'retrace-import-'));
    this.#work.push(work);
    while (this.#work.length > ready) rmSync(this.#work.shift() ?? '', { recursive: true, force: true });
    return work;
  }

  close(): void {
    process.off('exit', this.#atExit);
    this.#clear();
  }

  #clear(): void {
    this.uploads.close();
    for (const work of this.#work.splice(0)) rmSync(work, { recursive: true, force: true });
  }
}

/** A plain file for what cannot be read as it lies; what is no file at all is told by whoever looks at it next. */
async function readable(path: string, work: string, signal: AbortSignal): Promise<string | NotTaken> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return path;
  try {
    return await plainFile(path, work, signal);
  } catch (error) {
    signal.throwIfAborted();
    return notTaken(unreadable(path, error));
  }
}

async function save({ pieces }: Download, target: string, progress: (bytes: number) => void): Promise<void> {
  rmSync(target, { force: true });
  const out = createWriteStream(target, { mode: 0o600, flags: 'wx' });
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      bytes += piece.length;
      if (!out.write(piece)) await once(out, 'drain');
      progress(bytes);
    }
  } finally {
    await new Promise<void>((resolve) => out.end(() => resolve()));
  }
}

/** Why an answer is not the data of a share; null when it is. */
function recogniseFile(path: string): string | null {
  if (statSync(path).size === 0) return 'the answer is empty.';
  const found = recogniseBytes(beginningOf(path), 'share.json');
  if (found.form === 'opencode share' || found.form === 'opencode export') return null;
  return found.form === 'none' ? `${found.says.charAt(0).toLowerCase()}${found.says.slice(1)}` : 'the answer is not the data of a share.';
}
