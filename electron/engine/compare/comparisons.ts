import type {
  Agent, CommonBeginning, ComparedSide, ComparedTurn, Comparison, ComparisonRefusal, KnownItem, SessionBranches, SessionDetail, SessionId,
} from '@shared/model';
import type { Diffs } from '../diff/diffs';
import type { Db } from '../library/database';
import { findSession, summaryOf } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import { branchDeeds } from './branches';
import { type Alike, commonBeginning, dividedAt, partsAlike } from './common';
import { type KinEdge, kinship } from './kinship';
import { howKnown, knownOnly, pathWithin } from './knows';
import { comparedFiles, netFiles, type NetFiles } from './net-files';
import { SessionReading, type StretchContent } from './reading';
import { figuresOf, turnsOf, type WalkedTurn } from './turns';
import { isTold, type WalkedBranch, type WalkedMessage, Walks } from './walk';

/** Parts of a stretch whose bodies are read, the last ones; pairs of turns, files and known items told; characters of an item. */
const partsLookedAt = 1_500;
const turnsTold = 200;
const filesTold = 300;
const itemsTold = 150;
const itemLength = 500;
/** Files named on the line of a turn. */
const filesOfTurn = 4;

export interface SideQuestion {
  session: string;
  branch?: string | undefined;
}

/** A side with its branch found. */
interface Opened {
  reading: SessionReading;
  branch: WalkedBranch;
  branches: number;
}

/** A side divided: what it has in common, what is its own, and what its own stretch holds. */
interface Divided extends Opened {
  common: WalkedMessage[];
  own: WalkedMessage[];
  content: StretchContent;
}

/** Tells what branches did, and puts two sessions or branches side by side. */
export class Comparisons {
  readonly #walks;

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    readonly diffs: Diffs,
  ) {
    this.#walks = new Walks(db);
  }

  branches(session: string, revision: number): SessionBranches | null {
    const reading = this.#reading(session);
    return reading && branchDeeds(reading, this.#walks.branches(reading.summary.id), revision);
  }

  async compare(a: SideQuestion, b: SideQuestion, revision: number): Promise<Comparison | ComparisonRefusal> {
    const one = this.#open(a);
    if ('refused' in one) return one;
    const other = this.#open(b);
    if ('refused' in other) return other;
    const { alike, common } = this.#common(one, other);
    const last = alike.at(-1);
    const [messageA, messageB] = last ? [one.branch.messages[last.a], other.branch.messages[last.b]] : [];
    const parts = messageA && messageB ? partsAlike(messageA, messageB) : 0;
    const sides = [divide(one, last?.a ?? -1, parts), divide(other, last?.b ?? -1, parts)] as const;
    // What both know is read once, of the first.
    const shared = sides[0].reading.content(sides[0].common, partsLookedAt).items;
    const turns = pairsOf(turnsOf(sides[0].own), turnsOf(sides[1].own));
    const net = [await this.#net(sides[0]), await this.#net(sides[1])] as const;
    const { files, more } = comparedFiles(...net);
    return {
      revision, common,
      a: this.#side(sides[0], net[0], knownOnly(sides[0].content.items, [...shared, ...sides[1].content.items])),
      b: this.#side(sides[1], net[1], knownOnly(sides[1].content.items, [...shared, ...sides[0].content.items])),
      turns: turns.slice(0, turnsTold).map(([left, right]) => ({ a: turnOf(sides[0], left), b: turnOf(sides[1], right) })), turnsLeftOut: Math.max(0, turns.length - turnsTold),
      files: files.slice(0, filesTold), filesLeftOut: Math.max(0, files.length - filesTold) + more,
      how: howKnown,
    };
  }

  #reading(id: string): SessionReading | null {
    const summary = findSession(this.db, id);
    const store = summary && this.timeline.storeOf(summary.agent);
    return summary && store ? new SessionReading(id as SessionId, summary, store, this.timeline) : null;
  }

  #open({ session, branch: wanted }: SideQuestion): Opened | ComparisonRefusal {
    const reading = this.#reading(session);
    if (!reading) return { refused: `The library has no session ${session}.` };
    const branches = this.#walks.branches(reading.summary.id);
    const branch = wanted === undefined ? branches.at(-1) : branches.find(({ id }) => id === wanted);
    if (!branch && wanted === undefined) return { refused: `The session ${session} has no messages${reading.summary.head === 1 ? ' yet: it has not been read' : ''}.` };
    if (!branch) return { refused: `There is no branch ${wanted} of ${session}; ${branches.length === 1 ? 'there is one, 1' : `there are 1 to ${branches.length}`}.` };
    return { reading, branch, branches: branches.length };
  }

  #common(one: Opened, other: Opened): { alike: Alike[]; common: CommonBeginning } {
    const [a, b] = [one.branch.messages, other.branch.messages];
    const sameSession = one.reading.summary.id === other.reading.summary.id;
    const kin = sameSession ? [] : kinship(this.db, one.reading.id, other.reading.id);
    const { store } = one.reading;
    const sameStore = store === other.reading.store;
    const idOf = sameSession ? (message: WalkedMessage) => message.key : sameStore ? (message: WalkedMessage) => (store.originalKey ? store.originalKey(message.key) : message.key) : () => null;
    const alike = commonBeginning(a, b, { idOf, content: sameSession ? 'never' : kin === null ? 'at the same time' : 'enough' });
    const told = alike.filter((pair) => isTold(a[pair.a] as WalkedMessage) || isTold(b[pair.b] as WalkedMessage));
    const byIds = told.filter(({ by }) => by === 'ids').length;
    const figures = { messages: told.length, byIds, byContent: told.length - byIds, turns: told.filter((pair) => a[pair.a]?.prompt).length };
    const found = sameSession ? 'same session' : told.length === 0 ? 'none' : foundBy(kin, byIds > 0);
    const evidence = sameSession ? sameEvidence(one.branch, other.branch) : evidenceOf(kin, figures);
    return { alike, common: { found, evidence, ...figures, edges: (kin ?? []).map(({ evidence: _, ...edge }) => edge) } };
  }

  #side({ reading, branch, branches, common, own, content }: Divided, net: NetFiles, knows: ReturnType<typeof knownOnly>): ComparedSide {
    const { id, summary } = reading;
    const { title, agent, tokens } = summaryOf(summary);
    const deeds = reading.deeds(own);
    // A store that keeps only totals tells those of its own requests: the stretch's, when nothing of its own lies before it.
    const totals = deeds.tokens === null && branches === 1 && common.every(({ inherited }) => inherited) ? tokens : deeds.tokens;
    const compactions = own.filter((message) => message.parts.some(({ kind, reverted }) => kind === 'compaction' && !reverted)).length;
    return {
      ...deeds, tokens: totals, session: id, title, agent: agent satisfies Agent, branch: branch.id, current: branch.current, branches,
      departs: reading.pointer(common.findLast(isTold)?.parts.at(-1)), first: firstOf(reading, own),
      compactions, reverted: own.reduce((sum, { parts }) => sum + parts.filter(({ reverted }) => reverted).length, 0),
      condition: branch.current ? this.#condition(summary.id) : 'left',
      filesChanged: net.total, added: net.added, removed: net.removed,
      knows: knows.slice(0, itemsTold).flatMap(({ kind, text, at, times }): KnownItem[] => {
        const pointer = reading.pointer(content.parts[at]);
        return pointer ? [{ kind, text: text.length <= itemLength ? text.toWellFormed() : `${text.slice(0, itemLength).toWellFormed()}…`, times, ...pointer }] : [];
      }),
      knowsLeftOut: Math.max(0, knows.length - itemsTold), looked: content.looked, notLooked: content.notLooked,
    };
  }

  /** What a side did to files since the two part. */
  #net({ reading, branch, own }: Divided): Promise<NetFiles> {
    return netFiles(this.diffs, this.timeline, reading.id, branch.id, firstOf(reading, own));
  }

  #condition(session: number): SessionDetail['condition'] {
    return (this.db.prepare('SELECT condition FROM session WHERE id = ?').get(session) as { condition: SessionDetail['condition'] }).condition;
  }
}

const firstOf = (reading: SessionReading, own: readonly WalkedMessage[]) => reading.pointer((own.find(isTold) ?? own[0])?.parts[0]);

function divide(side: Opened, last: number, parts: number): Divided {
  const { common, own } = dividedAt(side.branch.messages, last, parts);
  return { ...side, common, own, content: side.reading.content(own, partsLookedAt) };
}

const foundBy = (kin: readonly KinEdge[] | null, byIds: boolean): CommonBeginning['found'] =>
  kin !== null && kin.length > 0 && kin.every(({ certainty }) => certainty === 'recorded') ? 'recorded' : byIds ? 'equal ids' : 'equal content';

function sameEvidence(a: WalkedBranch, b: WalkedBranch): string {
  return a.id === b.id ? 'Both are the same branch of the same session.' : 'Both are branches of one session.';
}

function evidenceOf(kin: readonly KinEdge[] | null, { messages, byIds }: { messages: number; byIds: number }): string {
  const how = messages === 0 ? 'No message of one begins the other.' : `${messages === 1 ? 'The first message is' : `The first ${messages} messages are`} equal ${byIds === messages ? 'by id' : byIds === 0 ? 'in content' : `by id or in content (${byIds} by id)`}.`;
  const [only] = kin ?? [];
  if (kin === null || !only) return `No record connects the two. ${messages > 0 && byIds === 0 ? how.replace('in content', 'in content and time') : how}`;
  if (kin.length === 1) return `${only.evidence} ${how}`;
  const inferred = kin.filter(({ certainty }) => certainty === 'inferred').length;
  return `They are connected over ${kin.length} edges, ${inferred === 0 ? 'all recorded' : `${inferred} of them inferred`}. ${how}`;
}

/** Turns side by side: the first of one beside the first of the other. What goes on with a turn begun earlier stands beside its like alone. */
function pairsOf(a: WalkedTurn[], b: WalkedTurn[]): [WalkedTurn | undefined, WalkedTurn | undefined][] {
  const [left, right] = [[...a], [...b]];
  const pairs: [WalkedTurn | undefined, WalkedTurn | undefined][] = [];
  const rest = (turns: WalkedTurn[]) => (turns[0]?.prompt === null ? turns.shift() : undefined);
  const begun: [WalkedTurn | undefined, WalkedTurn | undefined] = [rest(left), rest(right)];
  if (begun[0] || begun[1]) pairs.push(begun);
  for (let at = 0; at < Math.max(left.length, right.length); at++) pairs.push([left[at], right[at]]);
  return pairs;
}

function turnOf({ reading, content }: Divided, turn: WalkedTurn | undefined): ComparedTurn | null {
  const pointer = turn && reading.pointer(turn.messages[0]?.parts[0]);
  if (!turn || !pointer) return null;
  const parts = turn.messages.flatMap((message) => message.parts);
  const files = [...new Set(parts.flatMap(({ row }) => content.changed.get(row) ?? []))].map((path) => pathWithin(path, reading.summary.directory));
  const { toolCalls, failed } = figuresOf(turn.messages);
  return {
    ...pointer, prompt: reading.prompt(turn.prompt)?.text ?? null, time: reading.time(turn.messages[0]?.time ?? null), parts: parts.length, toolCalls, failed,
    files: files.slice(0, filesOfTurn), filesLeftOut: Math.max(0, files.length - filesOfTurn), lastWords: reading.lastWords(turn.messages)?.text ?? null,
  };
}
