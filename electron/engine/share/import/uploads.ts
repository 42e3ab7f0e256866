import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Checked } from '@shared/contract';
import type { UploadAnswer } from '@shared/model';

/** Files that are kept at once (the one longest untouched goes), and bytes of one. */
const kept = 4;
export const uploadLimit = 1_073_741_824;

interface Upload {
  folder: string;
  path: string;
  /** As the person knows it. */
  name: string;
  size: number;
  received: number;
}

/** Files of the machine of the page, which may be another: they come in pieces into a folder of ours, and go when they were read. */
export class Uploads {
  readonly #uploads = new Map<string, Upload>();

  constructor(readonly limit = uploadLimit) {}

  /** Takes a piece. Pieces come in order; one that does not fit ends the upload. */
  take({ upload: id, name, size, at, data }: Checked<'import.upload'>): UploadAnswer {
    if (size > this.limit) return this.#ended(id, `The file has ${size.toLocaleString('en')} bytes; up to ${this.limit.toLocaleString('en')} are sent up. Import it on the machine that Retrace runs on: retrace import FILE.`);
    const key = id ?? this.#begin(name, size);
    const upload = this.#uploads.get(key);
    if (!upload) return { refused: 'The file that was being sent up is not here any more. Choose it again.' };
    const bytes = Buffer.from(data, 'base64');
    if (at !== upload.received || upload.received + bytes.length > upload.size) return this.#ended(key, 'The file changed while it was sent up. Choose it again.');
    try {
      append(upload, bytes);
    } catch (error) {
      return this.#ended(key, `It could not be kept: ${error instanceof Error ? error.message : String(error)}`);
    }
    // The last touched stands last.
    this.#uploads.delete(key);
    this.#uploads.set(key, upload);
    return { upload: key, received: upload.received };
  }

  /** Where a file lies that came up whole. */
  whole(id: string): { path: string; name: string } | null {
    const upload = this.#uploads.get(id);
    return upload && upload.received === upload.size ? { path: upload.path, name: upload.name } : null;
  }

  discard(id: string): void {
    const upload = this.#uploads.get(id);
    this.#uploads.delete(id);
    if (upload) rmSync(upload.folder, { recursive: true, force: true });
  }

  close(): void {
    for (const id of this.#uploads.keys()) this.discard(id);
  }

  #begin(name: string, size: number): string {
    while (this.#uploads.size >= kept) this.discard(this.#uploads.keys().next().value ?? '');
    const id = randomBytes(12).toString('hex');
    const folder = mkdtempSync(join(tmpdir(), 'retrace-upload-'));
    // Its own folder below, whose name tells nothing: a session's folder is looked for beside a file.
    mkdirSync(join(folder, 'file'), { mode: 0o700 });
    this.#uploads.set(id, { folder, path: join(folder, 'file', safeName(name)), name: shownName(name), size, received: 0 });
    return id;
  }

  #ended(id: string | null, refused: string): UploadAnswer {
    if (id !== null) this.discard(id);
    return { refused };
  }
}

function append(upload: Upload, bytes: Buffer): void {
  const file = openSync(upload.path, upload.received === 0 ? 'w' : 'a', 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } finally {
    closeSync(file);
  }
  upload.received += bytes.length;
}

const lastSegment = (name: string): string => name.split(/[/\\]/).at(-1) ?? '';

/** Names of devices on Windows, with whatever ending. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** A name a reader may tell the agent by, and that is nothing but a name on every system; else a plain one with the same ending. */
export function safeName(name: string): string {
  const last = lastSegment(name);
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(last) && !last.endsWith('.') && !device.test(last)) return last;
  const ending = /^\.[A-Za-z0-9]{1,8}$/.exec(extname(last))?.[0] ?? '';
  return `session${ending}`;
}

const shownName = (name: string): string => lastSegment(name).slice(0, 500) || 'a file without a name';
