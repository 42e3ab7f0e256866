import { nativeId } from '@shared/model';
import { asNumber } from '../../foreign/fields';
import { readFully } from '../bytes';
import { counted } from '../fields';
import { threadAt } from '../point';
import type { Draft, ExpectedBeginning, FileContent, FileStep, ForkChoices, Making, SessionToWrite, WritePoint, WriteRefusal, WriteWay } from '../../store';
import { asJsonCall, type CodexCall, shownCall } from './call';
import { type Cut, cutAt, type NoCut, type Segment } from './cut';
import { forkLine } from './first-line';
import { rolloutPath, threadId } from './ids';
import { hashOfBeginning, scanLines } from './line-scan';
import { nameStep } from './name-list';
import { onDisk } from './on-disk';
import { asLegacyLines } from './old-shapes';
import { codexProgram, noProgram } from './program';
import { RolloutTexts, withText } from './texts';
import { type TurnPoint, turnPoint, turnsOf } from './turn-points';

/** A fork as it would be made: the point, and where it lies in the files. */
interface ForkFrom {
  session: SessionToWrite;
  point: TurnPoint;
  cut: Cut;
}

function forkFrom(session: SessionToWrite, { before }: WritePoint): ForkFrom | NoCut {
  const point = turnPoint(session.spine, before);
  const cut = cutAt(point, new RolloutTexts(session));
  return 'refused' in cut ? cut : { session, point, cut };
}

/** The ways a thread can be forked at a point, each with why it is closed. */
export function forkWays(session: SessionToWrite, point: WritePoint): WriteWay[] {
  return waysFrom(forkFrom(session, point));
}

function waysFrom(from: ForkFrom | NoCut): WriteWay[] {
  const refusal = (of: (from: ForkFrom) => string | null): string | null => ('refused' in from ? from.refused : of(from));
  return [
    { id: 'by-reference', name: 'By reference', says: 'One line that continues the original’s file, as Codex itself forks. It needs the original.', refused: refusal(noReference) },
    { id: 'self-contained', name: 'Self-contained', says: 'A copy of the lines up to the point. It survives the original.', refused: refusal(noCopy) },
    { id: 'app-server', name: 'By Codex', says: 'Codex’s own program makes it.', refused: refusal(noProgramFork) },
  ];
}

function noReference({ cut }: ForkFrom): string | null {
  if (cut.shape !== 'paginated') return 'Files of this form cannot be continued by another one; a copy can be made.';
  return cut.isOnDisk ? null : 'The original’s file is not there any more: only a copy can be made, from the library.';
}

/** Lines a helper got from its parent are hidden by their number, which only a file that continues it keeps. */
function noCopy({ cut }: ForkFrom): string | null {
  const handedOver = asNumber(cut.meta.payload['subagent_history_start_ordinal']);
  return cut.shape === 'paginated' && handedOver !== null ? 'It begins with lines its parent handed over, which a copy could not keep apart; a fork by reference does.' : null;
}

function noProgramFork({ session, point, cut }: ForkFrom): string | null {
  if (codexProgram() === null) return noProgram;
  if (cut.shape === 'old') return 'Current releases of Codex do not read files of this form; a copy in a later form can be made.';
  if (!session.isLive || !cut.isOnDisk) return 'Codex has no file of this thread any more.';
  if (session.facts.archived !== null) return 'Codex forks no archived thread: it would have to be brought back first.';
  if (point.kept.at(-1)?.id == null) return 'Turns of this release have no ids that Codex could be told.';
  const now = turnsOf(threadAt(session.spine, null).found.live);
  return now.some(({ start }) => start.index === point.kept.at(-1)?.start.index) ? null : 'The turns before this point were taken back: Codex does not find them any more.';
}

/** Draws a fork. Nothing of the original is touched. */
export function planFork(session: SessionToWrite, point: WritePoint, choices: ForkChoices, making: Making): Draft | WriteRefusal {
  const from = forkFrom(session, point);
  if ('refused' in from) return from;
  const ways = waysFrom(from);
  const way = choices.way === undefined ? ways.find(({ refused }) => refused === null) : ways.find(({ id }) => id === choices.way);
  const open = ways.filter(({ refused, id }) => refused === null && id !== way?.id).map(({ id, says }) => ({ way: id, says }));
  if (!way) return { refused: choices.way === undefined ? (ways.find(({ refused }) => refused !== null)?.refused ?? '') : `Codex cannot be forked by “${choices.way}”.`, instead: open };
  if (way.refused !== null) return { refused: way.refused, instead: open };
  if (way.id === 'app-server') return byProgram(from, choices);
  return byFile(from, way.id === 'by-reference', choices, making);
}

/** What is said of every fork. */
function limitsOf({ point, cut, session }: ForkFrom): string[] {
  const limits: string[] = [];
  if (point.isInside) limits.push('Codex can only be cut between turns: the turn this message is in is left out whole.');
  if (point.unfinished > 0) limits.push(`${counted(point.unfinished, 'turn')} without an end ${point.unfinished === 1 ? 'is' : 'are'} left out.`);
  if (session.facts.kind === 'subagent') limits.push('The fork is a thread of its own, no helper of the thread that started the original.');
  if (cut.isArchived) limits.push('What it is made of lies among the archived threads; the fork itself is not archived.');
  return limits;
}

function byFile(from: ForkFrom, isReference: boolean, choices: ForkChoices, making: Making): Draft {
  const { session, cut } = from;
  const home = session.location.folder;
  const id = threadId(making);
  const path = rolloutPath(home, id, making.now);
  const title = choices.title?.trim() || null;
  const content = isReference ? reference(from, id, choices, making) : copy(from, id, choices, making);
  const create: FileStep = { kind: 'file', path, within: home, before: { state: 'absent' }, after: { content }, why: isReference ? 'The fork: one line that says what it continues.' : 'The fork: the thread’s lines up to the point.' };
  const limits = limitsOf(from);
  const originals = [...new Set(cut.segments.flatMap(({ text: { file } }) => (file ? [file.place] : [])))];
  if (isReference) {
    limits.push(`It needs ${originals.join(' and ')}: should that go, the fork cannot be opened any more. Neither Codex nor Retrace deletes a thread that a fork needs.`);
    limits.push(`Codex lists the fork once it has a message of its own; until then \`codex resume ${id}\` opens it.`);
  }
  if (cut.shape === 'old') limits.push('Current releases cannot go on with the original; its messages and calls are written in a later form that they can. Times of the items, the model and the folder are not recorded in the original.');
  limits.push('Codex’s thread table (state_*.sqlite) needs nothing: Codex finds the file and adds its row.');
  const steps: FileStep[] = [create];
  if (title !== null && cut.shape === 'paginated') limits.push('The title is not written: of threads of this form Codex takes names only through its own program. Rename the fork once Codex is there, or let Codex make it.');
  else if (title !== null) steps.push(nameStep(home, id, title, making));
  const way = isReference ? 'By reference, as Codex itself forks: the new file continues the original’s.' : cut.shape === 'paginated' ? 'Self-contained: a copy of the lines up to the point that needs no other file.' : 'Self-contained: a copy, which is how Codex forks threads of this form.';
  return { way, steps, expects: expectsOf(from), limits, session: nativeId(id) };
}

function expectsOf({ session, cut }: ForkFrom): ExpectedBeginning[] {
  return cut.segments.flatMap(({ text, until }) => {
    const { file } = text;
    if (!file || file.key.endsWith('.json')) return [];
    const sha256 = file.packed ? null : withText(text, (bytes) => hashOfBeginning(bytes, until));
    // Of a packed file only the whole can be told.
    return sha256 === null ? [wholeFile(file.path, session.location.folder)] : [{ path: file.path, within: session.location.folder, bytes: until, sha256 }];
  });
}

function wholeFile(path: string, within: string): ExpectedBeginning {
  const { bytes, sha256 } = onDisk(path).state;
  return { path, within, bytes, sha256 };
}

function reference({ session, cut }: ForkFrom, id: string, { directory }: ForkChoices, making: Making): FileContent {
  const last = cut.segments.at(-1) as Segment;
  const base = { rollout: last.text.rollout, ordinal: cut.ordinal ?? 0, bytes: last.until };
  return inMemory(forkLine(cut.meta.payload, { id, parent: session.native, base, directory, ordinal: base.ordinal }, making));
}

function copy({ session, cut }: ForkFrom, id: string, { directory }: ForkChoices, making: Making): FileContent {
  const { meta, segments } = cut;
  const parent = session.native;
  if (cut.shape === 'old') return inMemory(asLegacyLines(meta.payload, segments.at(-1) as Segment, { id, parent, directory: directory ?? session.facts.directory }, making).join(''));
  const isNumbered = cut.shape === 'paginated';
  const first = forkLine(meta.payload, { id, parent, base: null, directory, ordinal: isNumbered ? 0 : null }, making);
  // Codex would begin anew at a second first line of a numbered file; in the older form it puts the parent's there itself.
  const ranges = segments.flatMap((segment) => (isNumbered ? rangesOf(segment) : [{ segment, from: 0, to: segment.until }]));
  return copiedLines(Buffer.from(first), ranges);
}

interface Range {
  segment: Segment;
  from: number;
  to: number;
}

/** A segment's lines without those that say whose file it is. */
function rangesOf(segment: Segment): Range[] {
  const ranges: Range[] = [];
  let from = 0;
  const upTo = (to: number) => {
    if (to > from) ranges.push({ segment, from, to });
  };
  let end = 0;
  withText(segment.text, (bytes) => {
    for (const line of scanLines(bytes, segment.until)) {
      end = line.end;
      if (line.kind !== 'session_meta') continue;
      upTo(line.at);
      from = line.end;
    }
  });
  upTo(end);
  return ranges;
}

const inMemory = (text: string): FileContent => {
  const bytes = Buffer.from(text);
  return { size: bytes.length, pieces: () => [bytes] };
};

/** Bytes given at a time. */
const pieceBytes = 1024 * 1024;

/** A first line, then stretches of other files, read when they are asked for. */
const copiedLines = (first: Buffer, ranges: readonly Range[]): FileContent => ({
  size: ranges.reduce((sum, { from, to }) => sum + to - from, first.length),
  pieces: () => piecesOf(first, ranges),
});

function* piecesOf(first: Buffer, ranges: readonly Range[]): Iterable<Uint8Array> {
  yield first;
  for (const { segment, from, to } of ranges) {
    const bytes = segment.text.open();
    try {
      for (let at = from; at < to; ) {
        const room = Buffer.allocUnsafe(Math.min(pieceBytes, to - at));
        const got = readFully(bytes, at, room, 0);
        if (got === 0) throw new Error(`${segment.text.file?.path ?? segment.text.rollout} became shorter while it was copied`);
        yield room.subarray(0, got);
        at += got;
      }
    } finally {
      bytes.close();
    }
  }
}

function byProgram(from: ForkFrom, { title, directory }: ForkChoices): Draft {
  const { session, point } = from;
  const lastTurn = point.kept.at(-1)?.id ?? '';
  const call: CodexCall = { do: 'fork', thread: session.native, lastTurn, title: title?.trim() || null, directory: directory ?? null };
  const undo: CodexCall = { do: 'delete fork' };
  return {
    way: 'By Codex’s own program, which adds the fork to its lists at once.',
    steps: [
      {
        kind: 'program', program: 'codex', call: asJsonCall(call), shown: shownCall(call), does: 'Codex forks the thread behind the last turn that is kept.',
        remains: ['Lines of the fork in Codex’s logs and lists of names.', 'Codex may bring its own tables to its release’s form when it is started.'],
        inverse: { call: asJsonCall(undo), shown: shownCall(undo), does: 'Codex deletes the fork, unless something was added to it.' },
      },
    ],
    limits: limitsOf(from), session: null,
  };
}
