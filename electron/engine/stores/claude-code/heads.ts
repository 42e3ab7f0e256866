import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { nativeId } from '@shared/model';
import type { SessionHead } from '../store';
import { isOddTime } from '../foreign/odd-time';
import { type Entry, entryOf, isEntry, nameOf, oneLine, textOf, timeOf } from './entry';
import type { ListedFile } from './listing';
import { agentNative } from './places';
import { branchName, modelName } from './tally';
import { promptText } from './user-entry';

/** Bytes looked at from the beginning of a transcript, in two steps: most say all they have to in the first. */
const headSteps = [16 * 1024, 64 * 1024];
/** Bytes looked at from its end. */
const tailBytes = 16 * 1024;

/** What a list shows of a session before it is read: from the first and the last lines of its file. Null when it is none, or cannot be told. */
export function headOf(file: ListedFile, meta: ListedFile | undefined): SessionHead | null {
  let fd: number;
  try {
    fd = openSync(file.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  try {
    const sight = new Sight();
    const whole = lookAtHead(fd, file.stat.size, sight);
    if (!whole) lookAtTail(fd, file.stat.size, sight);
    return sight.head(file, meta, whole);
  } catch {
    // What is wrong with the file is said when it is read.
    return null;
  } finally {
    closeSync(fd);
  }
}

/** True when the file was seen to its end. */
function lookAtHead(fd: number, size: number, sight: Sight): boolean {
  const room = Buffer.allocUnsafe(Math.min(size, headSteps[1] as number));
  let held = 0;
  let from = 0;
  for (const step of headSteps) {
    const wanted = Math.min(step, room.length);
    while (held < wanted) {
      const got = readSync(fd, room, held, wanted - held, held);
      if (got === 0) break;
      held += got;
    }
    for (let end = room.indexOf(10, from); end >= 0 && end < held; end = room.indexOf(10, from)) {
      const entry = parsed(room.toString('utf8', from, end));
      if (entry) sight.first(entry);
      from = end + 1;
    }
    if (held >= size) {
      const entry = parsed(room.toString('utf8', from, held));
      if (entry) sight.first(entry);
      return true;
    }
    if (sight.isEnough) return false;
  }
  return false;
}

function lookAtTail(fd: number, size: number, sight: Sight): void {
  const length = Math.min(tailBytes, size);
  const room = Buffer.allocUnsafe(length);
  const got = readSync(fd, room, 0, length, size - length);
  const lines = room.toString('utf8', room.indexOf(10) + 1, got).split('\n');
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] as string;
    // Once the last answer is known only a title can still say something new.
    if (sight.hasEnd && !line.slice(0, 200).includes('-title"')) continue;
    const entry = parsed(line);
    if (entry) sight.last(entry);
  }
}

function parsed(line: string): Entry | null {
  if (line.length < 2) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

/** A value that later lines replace: lines come from the beginning in order, then from the end backwards. */
class Latest {
  value: string | null = null;
  /** Seen from the end: no other line can replace it. */
  settled = false;

  see(value: string | null, fromBeginning: boolean): void {
    if (value === null || this.settled) return;
    this.value = value;
    this.settled = !fromBeginning;
  }
}

class Sight {
  #created: number | null = null;
  #updated: number | null = null;
  #directory: string | null = null;
  #session: string | null = null;
  #prompt: string | null = null;
  #original: string | null = null;
  #talks = false;
  readonly #branch = new Latest();
  readonly #model = new Latest();
  readonly #title = new Latest();
  readonly #madeTitle = new Latest();

  /** Nothing more in the head could change what is shown. */
  get isEnough(): boolean {
    return this.#directory !== null && this.#prompt !== null && this.#model.value !== null;
  }

  /** The last answer was seen, and with it the session's last time. */
  get hasEnd(): boolean {
    return this.#model.settled;
  }

  /** Lines from the beginning, in order. */
  first(entry: Entry): void {
    this.#take(entry, true);
  }

  /** Lines from the end, last first. */
  last(entry: Entry): void {
    this.#take(entry, false);
  }

  #take(entry: Entry, fromBeginning: boolean): void {
    if (nameOf(entry['uuid']) !== null) {
      const recorded = timeOf(entry['timestamp']);
      const time = recorded !== null && isOddTime(recorded) ? null : recorded;
      this.#created ??= time;
      if (time !== null) this.#updated = fromBeginning ? time : Math.max(time, this.#updated ?? time);
      this.#directory ??= nameOf(entry['cwd']);
      this.#session ??= nameOf(entry['sessionId']);
      this.#branch.see(branchName(entry['gitBranch']), fromBeginning);
    }
    switch (entry['type']) {
      case 'user':
        this.#talks = true;
        if (fromBeginning) this.#prompt ??= promptText(entry);
        break;
      case 'assistant':
        this.#talks = true;
        this.#model.see(modelName(entryOf(entry['message'])?.['model']), fromBeginning);
        break;
      case 'custom-title':
        this.#title.see(nameOf(entry['customTitle']), fromBeginning);
        break;
      case 'ai-title':
        this.#madeTitle.see(nameOf(entry['aiTitle']), fromBeginning);
        break;
      case 'worktree-state':
        this.#original ??= nameOf(entryOf(entry['worktreeSession'])?.['originalCwd']);
        break;
    }
  }

  head(file: ListedFile, meta: ListedFile | undefined, whole: boolean): SessionHead | null {
    // A file with no conversation, and the warm-up runs of 2.0.77, are no sessions (FORMAT.md, "What is not a session").
    if (whole && !this.#talks) return null;
    const { place, stat } = file;
    const subagent = place.kind === 'agent';
    if (subagent && this.#prompt === 'Warmup') return null;
    const session = place.session ?? this.#session;
    if (session === null) return null;
    const title = this.#title.value ?? this.#madeTitle.value ?? (meta && descriptionIn(meta)) ?? this.#prompt;
    return {
      native: subagent ? agentNative(session, place.agent ?? '') : nativeId(session),
      kind: subagent ? 'subagent' : 'session',
      parent: subagent ? nativeId(session) : null,
      title: title === null ? null : oneLine(title),
      directory: this.#original ?? this.#directory,
      gitBranch: this.#branch.value, model: this.#model.value, created: this.#created, updated: this.#updated ?? stat.mtimeMs, archived: null,
    };
  }
}

function descriptionIn(meta: ListedFile): string | null {
  if (meta.stat.size > (headSteps[1] as number)) return null;
  try {
    return textOf(parsed(readFileSync(meta.path, 'utf8'))?.['description']);
  } catch {
    return null;
  }
}
