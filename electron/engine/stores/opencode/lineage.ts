import type { NativeId } from '@shared/model';
import type { EdgeFact, LineageMessage, LineageView, SessionFacts } from '../store';
import { asNumber, asText } from '../foreign/fields';
import { byId } from './records';

interface Session {
  native: NativeId;
  facts: SessionFacts;
  created: number;
  title: string;
  /** Messages at its beginning that are older than the session: copies. */
  copied: number;
  /** Time of its first message, null when it has none or that is not known. */
  begins: number | null;
}

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
 * the session they are equal to; several fit when a fork was forked again. Every edge found so is inferred.
 */
export function lineage(view: LineageView, changed: Set<NativeId>): EdgeFact[] {
  if (![...changed].some((native) => isNews(native, view.facts(native)))) return [];
  const sessions = view.sessions().map(sessionOf).filter((session) => session !== null);
  const read = remembering(view);
  const edges: EdgeFact[] = [];
  for (const group of groupBy(sessions, projectOf).values()) {
    // An edge may appear when its source does: forks are looked at again with whatever may be one.
    const touched = group.filter(({ native }) => changed.has(native));
    for (const fork of touched.length === 0 ? [] : group) {
      if (!changed.has(fork.native) && !touched.some((other) => mayBeSource(other, fork))) continue;
      const edge = forkEdge(fork, group, read) ?? importEdge(fork, group);
      if (edge) edges.push(edge);
    }
  }
  return edges;
}

/**
 * Sources that forks were compared with since this process began. A session that only grows does not become another's
 * source by it, and need not be compared with all others each time; one that is new or has a new title may.
 */
const compared = new Set<string>();
const comparedAtMost = 200_000;

function isNews(native: NativeId, facts: SessionFacts | undefined): boolean {
  if (!facts) return false;
  const name = `${native} ${facts.title}`;
  const isKnown = compared.has(name);
  if (compared.size >= comparedAtMost) compared.clear();
  compared.add(name);
  return !isKnown || (asNumber(facts.own?.['copied']) ?? 0) > 0 || facts.own?.['unlogged'] === true || /\(fork #\d+\)$/.test(facts.title ?? '');
}

type Read = (session: NativeId) => LineageMessage[];

function sessionOf({ native, facts }: { native: NativeId; facts: SessionFacts }): Session | null {
  return facts.created === null ? null : { native, facts, created: facts.created, title: facts.title ?? '', copied: asNumber(facts.own?.['copied']) ?? 0, begins: asNumber(facts.own?.['begins']) };
}

/** Forks stay in their project; without one, in their folder. */
const projectOf = ({ facts }: Session): string => {
  const project = asText(facts.own?.['project']);
  return project === null || project === 'global' ? `folder ${facts.directory}` : project;
};

/** Told by what is at hand, so that only sessions that look alike are read. */
function mayBeSource(source: Session, fork: Session): boolean {
  if (source.native === fork.native || source.created > fork.created) return false;
  return fork.copied > 0 ? source.begins === null || source.begins === fork.begins : forkTitle(source.title) === fork.title;
}

function forkEdge(fork: Session, group: Session[], read: Read): EdgeFact | null {
  if (fork.facts.kind === 'subagent') return null;
  if (fork.copied === 0) return titleEdge(fork, group, read);
  const messages = read(fork.native).filter(({ time }) => time !== null && time < fork.created);
  const candidates = group
    .filter((source) => mayBeSource(source, fork))
    .map((source) => candidateOf(source, fork, messages, read(source.native)))
    .filter(({ common }) => common > 0);
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

function candidateOf(source: Session, fork: Session, copies: LineageMessage[], messages: LineageMessage[]): Candidate {
  let common = 0;
  while (common < copies.length && isCopy(copies[common], messages[common])) common++;
  const then = messages.filter(({ filed }) => filed !== null && filed < fork.created).length;
  return { session: source, common, titled: forkTitle(source.title) === fork.title, whole: then === copies.length, last: messages[common - 1]?.key ?? null };
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
function titleEdge(fork: Session, group: Session[], read: Read): EdgeFact | null {
  if (!/ \(fork #\d+\)$/.test(fork.title)) return null;
  // Only messages of the first generation are filed with the time of their id.
  const copiesNothing = (source: Session) => read(source.native).every(({ filed }) => filed === null || filed >= fork.created);
  const candidates = group.filter((source) => mayBeSource(source, fork) && source.facts.kind === 'session' && copiesNothing(source));
  const [best, next] = candidates.sort((a, b) => a.created - b.created || byId(a.native, b.native));
  if (!best) return null;
  return {
    child: fork.native, parent: best.native, kind: 'fork', certainty: 'inferred', after: null, callId: null, inherited: [],
    evidence: `Likely: its title is that of a fork of ${best.native}, which had nothing that a fork copies.${next ? ` ${next.native} fits as well; the older one is taken.` : ''}`,
  };
}

/** An import under another id keeps slug and time of the original and leaves no event. */
function importEdge(copy: Session, group: Session[]): EdgeFact | null {
  const slug = asText(copy.facts.own?.['slug']);
  if (copy.facts.own?.['unlogged'] !== true || slug === null) return null;
  const original = group.find((other) => other.native !== copy.native && other.created === copy.created && asText(other.facts.own?.['slug']) === slug && other.facts.own?.['unlogged'] !== true);
  if (!original) return null;
  return {
    child: copy.native, parent: original.native, kind: 'import', certainty: 'inferred', after: null, callId: null, inherited: [],
    evidence: `Likely: it has the short name ${slug} and the time of ${original.native}, and the event log does not know it.`,
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
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
