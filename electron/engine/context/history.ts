import type { ContextSize, PointCause } from '@shared/model';
import type { CompactionMark, ContextView } from '../stores/store';
import type { LoadedSession, MessageFigures, PartPlace } from './session';
import { estimate, Sizes } from './sizes';

/** Points of requests that are drawn; of more, the largest of each stretch is kept. */
const requestPoints = 400;
/** Points of other causes: compactions and switches of the model, the last ones; large parts, the largest ones. */
const otherPoints = 200;
const largePoints = 50;
/** Tokens from which a single part is worth naming: some 4 % of a window of 200,000. */
const largeTokens = 8_000;
/** Epochs told at the most, the last ones. */
const epochsTold = 200;

export interface HistoryPoint extends ContextSize {
  part: PartPlace;
  cause: PointCause;
  /** Rows of the models of a switch. */
  models: [number, number] | null;
}

export interface HistoryCompaction {
  part: PartPlace;
  summaries: PartPlace[];
  trigger: CompactionMark['trigger'];
  before: ContextSize | null;
  after: ContextSize | null;
}

export interface HistoryEpoch {
  from: number;
  to: number;
  begins: ContextSize | null;
  ends: ContextSize | null;
  compaction: HistoryCompaction | null;
}

export interface History {
  points: HistoryPoint[];
  pointsLeftOut: number;
  epochs: HistoryEpoch[];
  epochsLeftOut: number;
}

/** Goes along a branch and tells how the context grew and shrank. Pure. */
export function historyOf(session: LoadedSession, view: ContextView, branch: number | null): History {
  const chosen = branch === null ? session.settled.branches.find(({ current }) => current) : session.settled.branches[branch];
  const path = new Set(chosen?.path);
  const parts = session.parts.filter((part) => path.has(part.record));
  const walk = new Walk(session, marksOf(session, view, parts), parts);
  for (const part of parts) walk.take(part);
  return walk.history();
}

/** The store's own compactions, else the parts that mark one. */
export function marksOf(session: LoadedSession, view: ContextView, parts: readonly PartPlace[]): CompactionMark[] {
  if (view.compactions) return view.compactions;
  return parts.flatMap((part, place) => {
    if (part.kind !== 'compaction') return [];
    const summaries = parts.slice(place + 1, place + 5).filter(({ kind }) => kind === 'summary').map(({ record }) => record);
    return [{ marker: part.record, summaries: [...new Set(summaries)], trigger: null, before: null, after: null }];
  });
}

class Walk {
  readonly #sizes;
  readonly #marks: Map<number, CompactionMark>;
  readonly #summaries: Set<number>;
  /** Place of the last part of each message. */
  readonly #lastOf = new Map<number, number>();
  readonly #requests: HistoryPoint[] = [];
  readonly #others: HistoryPoint[] = [];
  readonly #large: HistoryPoint[] = [];
  readonly #epochs: HistoryEpoch[] = [];
  #size = 0;
  #estimated = true;
  #model: number | null = null;
  #from = 0;
  #begins: ContextSize | null = null;
  #done = new Set<CompactionMark>();

  constructor(
    readonly session: LoadedSession,
    marks: readonly CompactionMark[],
    readonly parts: readonly PartPlace[],
  ) {
    this.#sizes = new Sizes(session, undefined);
    this.#marks = new Map(marks.map((mark) => [mark.marker, mark]));
    this.#summaries = new Set(marks.flatMap(({ summaries }) => summaries));
    for (const part of parts) if (part.message >= 0) this.#lastOf.set(part.message, part.seq);
  }

  take(part: PartPlace): void {
    const mark = this.#marks.get(part.record);
    if (mark && !this.#done.has(mark)) this.#compact(part, mark);
    // The request that made a summary is not one of the conversation; its words were counted with the compaction.
    if (mark || this.#summaries.has(part.record)) return;
    const own = this.#sizes.own(part);
    const whole = own.tokens + estimate(part.outputSize);
    if (whole >= largeTokens) this.#large.push({ part, tokens: whole, estimated: own.estimated || part.outputSize > 0, cause: 'large', models: null });
    this.#size += whole;
    this.#estimated = true;
    if (part.message >= 0 && this.#lastOf.get(part.message) === part.seq) this.#endMessage(part, this.session.figures.get(part.message));
  }

  #endMessage(part: PartPlace, figures: MessageFigures | undefined): void {
    if (figures?.role !== 'assistant' || this.#ofSummary(part)) return;
    if (figures.request !== null) {
      this.#size = figures.request + (figures.output ?? 0) + (figures.reasoning ?? 0);
      this.#estimated = false;
    }
    const switched: [number, number] | null = figures.model !== null && this.#model !== null && figures.model !== this.#model ? [this.#model, figures.model] : null;
    this.#model = figures.model ?? this.#model;
    const point: HistoryPoint = { part, tokens: this.#size, estimated: this.#estimated, cause: switched ? 'model' : 'request', models: switched };
    (switched ? this.#others : this.#requests).push(point);
    this.#begins ??= { tokens: point.tokens, estimated: point.estimated };
    if (figures.request === null) return;
    // What the calls gave back goes into the next request only.
    for (const other of this.session.byRecord[part.record] ?? []) this.#addOutput(other);
  }

  #addOutput(part: PartPlace): void {
    if (part.outputSize === 0) return;
    this.#size += estimate(part.outputSize);
    this.#estimated = true;
  }

  #ofSummary(part: PartPlace): boolean {
    return (this.session.byRecord[part.record] ?? []).some(({ record }) => this.#summaries.has(record)) || this.#summaryMessages().has(part.message);
  }

  #messages: Set<number> | null = null;
  #summaryMessages(): Set<number> {
    return (this.#messages ??= new Set([...this.#summaries].map((record) => this.session.loaded.messages[record] ?? -1).filter((message) => message >= 0)));
  }

  #compact(part: PartPlace, mark: CompactionMark): void {
    this.#done.add(mark);
    const summaries = mark.summaries.flatMap((record) => (this.session.byRecord[record] ?? []).filter(({ kind }) => kind === 'summary' || kind === 'text'));
    const words = summaries.reduce((sum, summary) => sum + this.#sizes.own(summary).tokens, 0);
    const before: ContextSize | null = mark.before !== null ? { tokens: mark.before, estimated: false } : this.#size > 0 ? { tokens: this.#size, estimated: this.#estimated } : null;
    const after: ContextSize | null = mark.after !== null ? { tokens: mark.after, estimated: false } : words > 0 ? { tokens: words, estimated: true } : null;
    const compaction: HistoryCompaction = { part, summaries, trigger: mark.trigger, before, after };
    this.#epochs.push({ from: this.#from, to: part.seq, begins: this.#begins, ends: before, compaction });
    this.#from = part.seq;
    this.#begins = after;
    this.#size = after?.tokens ?? 0;
    this.#estimated = after?.estimated ?? true;
    this.#others.push({ part, tokens: this.#size, estimated: this.#estimated, cause: 'compaction', models: null });
  }

  history(): History {
    const end = (this.parts.at(-1)?.seq ?? -1) + 1;
    const epochs: HistoryEpoch[] = [...this.#epochs, { from: this.#from, to: end, begins: this.#begins, ends: this.#size > 0 ? { tokens: this.#size, estimated: this.#estimated } : null, compaction: null }];
    const requests = thinned(this.#requests);
    const others = this.#others.slice(-otherPoints);
    const large = this.#large.sort((a, b) => b.tokens - a.tokens).slice(0, largePoints);
    const points = [...requests, ...others, ...large].sort((a, b) => a.part.seq - b.part.seq || causeOrder.indexOf(a.cause) - causeOrder.indexOf(b.cause));
    const all = this.#requests.length + this.#others.length + this.#large.length;
    return { points, pointsLeftOut: all - points.length, epochs: epochs.slice(-epochsTold), epochsLeftOut: Math.max(0, epochs.length - epochsTold) };
  }
}

const causeOrder: PointCause[] = ['large', 'request', 'model', 'compaction'];

/** The largest of each stretch, and always the last. */
function thinned(points: HistoryPoint[]): HistoryPoint[] {
  if (points.length <= requestPoints) return points;
  const width = points.length / (requestPoints - 1);
  const kept: HistoryPoint[] = [];
  for (let bucket = 0; bucket < requestPoints - 1; bucket++) {
    const stretch = points.slice(Math.floor(bucket * width), Math.floor((bucket + 1) * width));
    const top = stretch.reduce<HistoryPoint | undefined>((best, point) => (best && best.tokens >= point.tokens ? best : point), undefined);
    if (top) kept.push(top);
  }
  const last = points.at(-1);
  return last && kept.at(-1) !== last ? [...kept, last] : kept;
}
