import { nativeId, type NativeId } from '@shared/model';
import type { EdgeFact, LineageMessage, LineageView, SessionFacts } from '../store';
import { asNumber, asObject, asText } from '../foreign/fields';
import { byAge, ForkSources, type Read, type Session, type Work } from './fork-sources';
import { byId } from './records';

/** A session that a fork may have been made of. */
interface Candidate {
  session: Session;
  /** Messages from the beginning that are the same in both. */
  common: number;
  /** The fork's title is what the program would have called a fork of this one. */
  titled: boolean;
  /** It had just these messages when the fork was made: a fork of the whole copies all. */
  whole: boolean;
  /** Key of its last common message. */
  last: string | null;
}

/**
 * Forks leave no trace but their copies (FORMAT.md, "Forks"): messages under new ids with the old times. The source is
 * the session they are equal to; several fit when a fork was forked again. Every edge found so is inferred; one that
 * Retrace made says itself where it comes from.
 */
export function lineage(view: LineageView, changed: Set<NativeId>, work: Work = { looked: 0 }): EdgeFact[] {
  const compared = comparedOf(view);
  if (![...changed].some((native) => isNews(native, view.facts(native), compared))) return [];
  const sessions = view.sessions().map(sessionOf).filter((session) => session !== null);
  const read = remembering(view);
  const edges: EdgeFact[] = [];
  for (const group of groupBy(sessions, projectOf).values()) {
    // An edge may appear when its source does: forks are looked at again with whatever may be one.
    const touched = group.filter(({ native }) => changed.has(native));
    if (touched.length === 0) continue;
    const mayHaveSource = sourceAmong(touched);
    const byCreation = group.toSorted(byAge);
    const sources = new ForkSources(byCreation, read, work);
    const found = new Map<NativeId, EdgeFact>();
    for (const fork of byCreation) {
      if (!changed.has(fork.native) && !mayHaveSource(fork)) continue;
      const edge = markedEdge(fork, read) ?? forkEdge(fork, sources, read) ?? importEdge(fork, sources);
      if (edge) found.set(fork.native, edge);
    }
    // Told in the order of the library.
    for (const { native } of group) edges.push(...[found.get(native)].filter((edge) => edge !== undefined));
  }
  return edges;
}

/** Tells whether one of some sessions may be the source of another one, by what is at hand. */
function sourceAmong(touched: Session[]): (fork: Session) => boolean {
  const oldest = new Map<string, number>();
  for (const { created, begins, forked } of touched) {
    for (const key of [`begin ${begins}`, `title ${forked}`]) oldest.set(key, Math.min(created, oldest.get(key) ?? created));
  }
  const has = (key: string, fork: Session) => (oldest.get(key) ?? Infinity) <= fork.created;
  return (fork) => (fork.copied > 0 ? has(`begin ${fork.begins}`, fork) || has('begin null', fork) : has(`title ${fork.title}`, fork));
}

/**
 * Sources that forks were compared with since a library was opened. A session that only grows does not become another's
 * source by it, and need not be compared with all others each time; one that is new or has a new title may.
 */
const comparedIn = new WeakMap<object, Set<string>>();
const comparedAtMost = 200_000;

function comparedOf({ library }: LineageView): Set<string> {
  const known = library && comparedIn.get(library);
  if (known) return known;
  const compared = new Set<string>();
  if (library) comparedIn.set(library, compared);
  return compared;
}

function isNews(native: NativeId, facts: SessionFacts | undefined, compared: Set<string>): boolean {
  if (!facts) return false;
  const name = `${native} ${facts.title}`;
  const isKnown = compared.has(name);
  if (compared.size >= comparedAtMost) compared.clear();
  compared.add(name);
  return !isKnown || facts.own?.['fork'] !== undefined || (asNumber(facts.own?.['copied']) ?? 0) > 0 || facts.own?.['unlogged'] === true || /\(fork #\d+\)$/.test(facts.title ?? '');
}

function sessionOf({ native, facts }: { native: NativeId; facts: SessionFacts }): Session | null {
  if (facts.created === null) return null;
  const title = facts.title ?? '';
  return { native, facts, created: facts.created, title, forked: forkTitle(title), copied: asNumber(facts.own?.['copied']) ?? 0, begins: asNumber(facts.own?.['begins']) };
}

/** Forks stay in their project; without one, in their folder. */
const projectOf = ({ facts }: Session): string => {
  const project = asText(facts.own?.['project']);
  return project === null || project === 'global' ? `folder ${facts.directory}` : project;
};

/** A fork that Retrace made names its source. */
function markedEdge(fork: Session, read: Read): EdgeFact | null {
  const mark = asObject(fork.facts.own?.['fork']);
  const parent = asText(mark?.['session']);
  if (parent === null) return null;
  const inherited = read(fork.native).filter(({ time }) => time !== null && time < fork.created).map(({ key }) => key);
  return {
    child: fork.native, parent: nativeId(parent), kind: 'fork', certainty: 'recorded', after: asText(mark?.['message']), callId: null, inherited,
    evidence: `Retrace made it of ${parent}, and its metadata says so.`,
  };
}

function forkEdge(fork: Session, sources: ForkSources, read: Read): EdgeFact | null {
  if (fork.facts.kind === 'subagent') return null;
  if (fork.copied === 0) return titleEdge(fork, sources);
  const messages = read(fork.native).filter(({ time }) => time !== null && time < fork.created);
  const candidates = candidatesOf(fork, messages, sources, read);
  const [best, next] = candidates.sort(byFitness);
  if (!best) return null;
  const doubt = next && byFit(next, best) === 0 ? ` ${next.session.native} fits as well; the older one is taken.` : '';
  return {
    child: fork.native, parent: best.session.native, kind: 'fork', certainty: 'inferred', after: best.last, callId: null, inherited: messages.map(({ key }) => key),
    evidence: `Likely: its first ${best.common === 1 ? 'message equals' : `${best.common} messages equal`} those of ${best.session.native} in time and content${
      best.titled ? ', and its title is that of a fork of it' : best.whole ? ', and those were all it had then' : ''
    }.${doubt}`,
  };
}

/** The title decides before all else (see `fitness`): the others are compared only when none fits by it. */
function candidatesOf(fork: Session, copies: LineageMessage[], sources: ForkSources, read: Read): Candidate[] {
  const begins = new Set([fork.begins, copies[0]?.time ?? null].filter((time) => time !== null));
  for (const titled of [true, false]) {
    const found = [...begins]
      .flatMap((begin) => sources.withBegin(fork, begin, titled))
      .map((source) => candidateOf(source, fork, copies, read(source.native)))
      .filter(({ common }) => common > 0);
    if (found.length > 0) return found;
  }
  return [];
}

function candidateOf(source: Session, fork: Session, copies: LineageMessage[], messages: LineageMessage[]): Candidate {
  let common = 0;
  while (common < copies.length && isCopy(copies[common], messages[common])) common++;
  const then = messages.filter(({ filed }) => filed !== null && filed < fork.created).length;
  return { session: source, common, titled: source.forked === fork.title, whole: then === copies.length, last: messages[common - 1]?.key ?? null };
}

/** Same time, role, and what was said and called; what the program adds later (steps, patches, marks) may differ. */
function isCopy(copy: LineageMessage | undefined, original: LineageMessage | undefined): boolean {
  if (!copy || !original || copy.time !== original.time || copy.role !== original.role) return false;
  const content = ({ parts }: LineageMessage) => parts.filter(({ kind }) => said.has(kind)).map(({ kind, callId, digest }) => `${kind} ${callId} ${digest}`).join('\n');
  return content(copy) === content(original);
}

const said = new Set(['text', 'reasoning', 'tool', 'file', 'command', 'summary']);

/** The title decides before all else, then how much is the same, then whether the whole was copied. */
const fitness = ({ titled, common, whole }: Candidate): [number, number, number] => [Number(titled), common, Number(whole)];

function byFit(a: Candidate, b: Candidate): number {
  const [left, right] = [fitness(a), fitness(b)];
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

const byFitness = (a: Candidate, b: Candidate): number => byFit(a, b) || a.session.created - b.session.created || byId(a.session.native, b.session.native);

/** The title the program gives a fork: a number is added, or the one there is raised. */
export function forkTitle(title: string): string {
  const numbered = /^(.*) \(fork #(\d+)\)$/s.exec(title);
  return numbered ? `${numbered[1]} (fork #${Number(numbered[2]) + 1})` : `${title} (fork #1)`;
}

/** Forks of empty sessions and of the second generation copy nothing: only the title tells. */
function titleEdge(fork: Session, sources: ForkSources): EdgeFact | null {
  if (!/ \(fork #\d+\)$/.test(fork.title)) return null;
  const [best, next] = sources.empty(fork);
  if (!best) return null;
  return {
    child: fork.native, parent: best.native, kind: 'fork', certainty: 'inferred', after: null, callId: null, inherited: [],
    evidence: `Likely: its title is that of a fork of ${best.native}, which had nothing that a fork copies.${next ? ` ${next.native} fits as well; the older one is taken.` : ''}`,
  };
}

/** An import under another id keeps slug and time of the original and leaves no event. */
function importEdge(copy: Session, sources: ForkSources): EdgeFact | null {
  if (copy.facts.own?.['unlogged'] !== true) return null;
  const original = sources.original(copy);
  if (!original) return null;
  return {
    child: copy.native, parent: original.native, kind: 'import', certainty: 'inferred', after: null, callId: null, inherited: [],
    evidence: `Likely: it has the short name ${asText(copy.facts.own['slug'])} and the time of ${original.native}, and the event log does not know it.`,
  };
}

/**
 * Messages of a session that a fork copies, in order and read once. Those of the second generation are not copied; they
 * are not filed by the time of their id. Ids of an import may hold no time at all.
 */
function remembering(view: LineageView): Read {
  const known = new Map<NativeId, LineageMessage[]>();
  return (session) => {
    const messages = known.get(session) ?? copiedOnes(view.messages(session)).sort((a, b) => (a.time ?? 0) - (b.time ?? 0) || byId(a.key, b.key));
    known.set(session, messages);
    return messages;
  };
}

function copiedOnes(messages: LineageMessage[]): LineageMessage[] {
  const filed = messages.filter((message) => message.filed !== null);
  return filed.length > 0 ? filed : messages.filter(({ key }) => key.startsWith('msg_'));
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
