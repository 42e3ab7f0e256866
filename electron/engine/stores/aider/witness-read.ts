import type { Json, KnownSource, RawBatch } from '../store';
import { type WitnessChat, type WitnessCursor, witnessCursor } from './cursor';
import { isDiskFault, isMissing, OpenFile, stampOf } from './file';
import { keyOf } from './places';
import { type Run, runsIn } from './runs';
import { writeEntry } from './witness-entries';
import { answeredIn, type Testimony, typedIn } from './witness-files';

/** Bytes of a witness looked at together; a request of the model history that is longer is passed over in steps. */
const windowBytes = 8 * 1024 * 1024;

export interface Witness {
  kind: 'input' | 'llm';
  path: string;
  /** Histories in the same folder: an entry belongs to the run that was begun last before it. */
  chats: string[];
}

/**
 * Reads what is new in a witness and files it under runs. A run's header is written before anything is typed in it, so
 * that an entry's run never changes, as long as the histories only grow: if one does not, all is filed anew.
 */
export function* readWitness(witness: Witness, known: KnownSource | undefined): Iterable<RawBatch> {
  const before = known ? witnessCursor(known.cursor) : null;
  let file: OpenFile;
  try {
    file = new OpenFile(witness.path);
  } catch (error) {
    // A missing time is no lack of history; the next change of the file or its rights tries again.
    if (!isMissing(error) && known === undefined) yield empty(witness);
    return;
  }
  try {
    yield* batchesOf(file, witness, known, before);
  } catch (error) {
    if (!isDiskFault(error)) throw error;
  } finally {
    file.close();
  }
}

function* batchesOf(file: OpenFile, witness: Witness, known: KnownSource | undefined, before: WitnessCursor | null): Iterable<RawBatch> {
  // A file of which nothing was read yet may tell of every run, not of the last ones alone.
  const goesOn = before !== null && before.read.offset > 0 && file.holds(before.read) ? chatsFrom(witness, before) : null;
  const histories = goesOn ?? witness.chats.map((path) => ({ path, run: 0 }));
  const chats: WitnessChat[] = [];
  const runs: Run[] = [];
  for (const { path, run } of histories) {
    const found = runsIn(path, run);
    if (!found) continue;
    chats.push(found.chat);
    runs.push(...found.runs);
  }
  runs.sort((a, b) => a.started - b.started);
  let at = goesOn && before ? before.read.offset : 0;
  let length = goesOn && known ? known.length : 0;
  let restarts = known !== undefined && !goesOn;
  for (let more = true; more; ) {
    const { told, next, goesOn: behind } = testimonyAt(file, at, witness.kind, runs);
    const bytes = Buffer.concat(told.flatMap((entry) => {
      const run = runAt(runs, entry.time);
      return run ? [writeEntry({ session: run.native, ...entry })] : [];
    }));
    at = next;
    const cursor: Json = { file: file.stamp, read: file.probe(at), chats } satisfies WitnessCursor;
    yield { source: keyOf(witness.kind, witness.path), restarts, at: length, bytes, cursor, damage: [] };
    length += bytes.length;
    restarts = false;
    more = behind;
  }
}

/** Where to look for runs, given that all histories hold what they held; null when one does not. */
function chatsFrom(witness: Witness, before: WitnessCursor): { path: string; run: number }[] | null {
  if (before.chats.length !== witness.chats.length) return null;
  for (const chat of before.chats) if (!witness.chats.includes(chat.path) || !stillHolds(chat)) return null;
  return before.chats;
}

function stillHolds({ path, read }: WitnessChat): boolean {
  let file: OpenFile;
  try {
    file = new OpenFile(path);
  } catch {
    return false;
  }
  try {
    return file.holds(read);
  } finally {
    file.close();
  }
}

function testimonyAt(file: OpenFile, at: number, kind: Witness['kind'], runs: Run[]): Testimony & { goesOn: boolean } {
  const bytes = file.read(at, windowBytes);
  const goesOn = bytes.length > 0 && at + bytes.length < file.stamp.size;
  const found = kind === 'llm' ? answeredIn(bytes, at, goesOn) : typedIn(bytes, at, goesOn, (first, second) => runAt(runs, first) !== runAt(runs, second));
  // Nothing ends within the window: it cannot be one of the texts we look for.
  return goesOn && found.next === at ? { told: [], next: at + bytes.length, goesOn } : { ...found, goesOn };
}

/** The run begun last before a time; starts are written in whole seconds. */
function runAt(runs: Run[], time: number): Run | undefined {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle] as Run).started <= time) low = middle + 1;
    else high = middle;
  }
  return runs[low - 1];
}

function empty(witness: Witness): RawBatch {
  const file = stampOf(witness.path) ?? { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 };
  const cursor: Json = { file, read: { offset: 0, head: '', tail: '' }, chats: [] } satisfies WitnessCursor;
  return { source: keyOf(witness.kind, witness.path), restarts: false, at: 0, bytes: new Uint8Array(), cursor, damage: [] };
}
