import { readFileSync } from 'node:fs';
import { asNumber, asObject, asText, type Fields, parsed } from '../../foreign/fields';
import type { SessionToWrite } from '../../store';
import { openBytes, type Text } from '../bytes';
import { firstRecord } from '../first-lines';
import { type ListedFile, listRollouts } from '../listing';
import { kindOf, rolloutName } from '../names';
import { type Base, baseOf } from '../origin';
import { readJson } from '../read-json';

/** The lines of a rollout, on the disk or, where its file is gone, in the library's log. */
export interface RolloutText {
  rollout: string;
  /** Null: only the log has it. */
  file: ListedFile | null;
  open(): Text;
}

/** Finds the rollouts of a session, and those it continues. Files win over the log, since Codex reads files. */
export class RolloutTexts {
  readonly #files = new Map<string, ListedFile>();
  #copied: Map<string, Buffer> | null = null;

  constructor(readonly session: SessionToWrite) {
    for (const file of listRollouts(session.location.folder).files.values()) {
      const name = rolloutName(file.key);
      if (name) this.#files.set(name.rollout, file);
    }
  }

  /** All files, to see which lean on which. */
  files(): Iterable<[rollout: string, file: ListedFile]> {
    return this.#files;
  }

  ofRollout(rollout: string): RolloutText | null {
    const file = this.#files.get(rollout);
    if (file) return { rollout, file, open: () => (file.key.endsWith('.json') ? new MemoryText(linesOfJson(file)) : openBytes(file.path, file.packed)) };
    const own = this.session.spine.evidence.find(({ source }) => kindOf(source) === 'rollout' && rolloutName(source)?.rollout === rollout);
    const bytes = own ? this.session.file(own.source) : this.#copies().get(rollout);
    return bytes ? { rollout, file: null, open: () => new MemoryText(Buffer.from(bytes)) } : null;
  }

  /** What the library copied of other threads' files. Large, and only asked for when a file is gone. */
  #copies(): Map<string, Buffer> {
    this.#copied ??= new Map([...new Set(this.session.spine.evidence.map(({ source }) => source))].filter((source) => kindOf(source) === 'base').flatMap((source) => [...copiedPieces(this.session.file(source))]));
    return this.#copied;
  }
}

/** What the copy of a base holds, piece by piece; see read-base.ts. */
function copiedPieces(stream: Uint8Array | null): Map<string, Buffer> {
  const pieces = new Map<string, Buffer>();
  if (!stream) return pieces;
  const bytes = Buffer.from(stream);
  const mark = '{"retrace":"';
  let rollout: string | null = null;
  let begin = 0;
  for (let at = 0; at < bytes.length; ) {
    const next = bytes.indexOf(10, at);
    const end = next < 0 ? bytes.length : next + 1;
    if (bytes.toString('latin1', at, at + mark.length) === mark) {
      if (rollout !== null) pieces.set(rollout, bytes.subarray(begin, at));
      rollout = asText(asObject(parsed(bytes.toString('utf8', at, end)))?.['rollout']);
      begin = end;
    }
    at = end;
  }
  if (rollout !== null) pieces.set(rollout, bytes.subarray(begin));
  return pieces;
}

const linesOfJson = (file: ListedFile): Buffer => Buffer.concat([...readJson(file, undefined)].map(({ bytes }) => bytes));

/** Runs something with a text open. */
export function withText<T>(text: RolloutText, use: (bytes: Text) => T): T {
  const bytes = text.open();
  try {
    return use(bytes);
  } finally {
    bytes.close();
  }
}

/** The first line of a text, and what it says it continues. */
export interface FirstLine {
  fields: Fields;
  /** Of an envelope, else of the line itself. */
  payload: Fields;
  ordinal: number | null;
  isEnvelope: boolean;
  base: Base | null;
}

export function firstLine(text: RolloutText): FirstLine | null {
  const fields = withText(text, firstRecord);
  if (!fields) return null;
  const payload = asObject(fields['payload']);
  return { fields, payload: payload ?? fields, ordinal: asNumber(fields['ordinal']), isEnvelope: payload !== null && fields['type'] === 'session_meta', base: payload && baseOf(payload) };
}

/** A text that is in memory. */
class MemoryText implements Text {
  readonly size: number;

  constructor(readonly bytes: Buffer) {
    this.size = bytes.length;
  }

  read(offset: number, target: Buffer, start: number, length: number): number {
    return this.bytes.copy(target, start, offset, Math.min(this.size, offset + length));
  }

  close(): void {
    // Nothing is open.
  }
}

/** A whole small file; null when it is not there. */
export function smallFile(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
