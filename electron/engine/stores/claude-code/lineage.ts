import type { NativeId } from '@shared/model';
import type { EdgeFact, LineageMessage, LineageView, SessionFacts } from '../store';
import { textOf } from './entry';
import { isSubagent } from './places';

/**
 * Finds out which session was copied from which (FORMAT.md, "Copies"). Copies keep the ids of answers, and since
 * 1.0.128 of every record; most releases write no pointer to the original. Returns the edge of every session whose
 * parent may have changed, whether or not it changed itself.
 */
export function lineage(view: LineageView, changed: Set<NativeId>): EdgeFact[] {
  const families = new Families(view);
  const children = new Set<NativeId>();
  for (const session of changed) {
    if (isSubagent(session)) continue;
    const relatives = families.relativesOf(session);
    if (relatives.size > 0 || families.holdsCopies(session)) children.add(session);
    for (const relative of relatives) children.add(relative);
  }
  return [...children].map((child) => families.edgeOf(child)).filter((edge): edge is EdgeFact => edge !== null);
}

/** What two sessions have in common, seen from one of them. */
interface Overlap {
  other: NativeId;
  /** Keys that both have. */
  keys: Set<string>;
}

class Families {
  readonly #messages = new Map<NativeId, LineageMessage[]>();
  readonly #overlaps = new Map<NativeId, Overlap[]>();
  readonly #facts = new Map<NativeId, SessionFacts | undefined>();

  constructor(readonly view: LineageView) {}

  /** Sessions that share messages with this one. */
  relativesOf(session: NativeId): Set<NativeId> {
    return new Set(this.view.relatives(session).filter((other) => !isSubagent(other)));
  }

  /** True when the session's own records say that some of them were copied: then its figures are not all its own. */
  holdsCopies(session: NativeId): boolean {
    return this.#factsOf(session)?.edges.some((edge) => edge.kind === 'fork') === true;
  }

  /** The edge from a copy to what it was copied from; null for an original. */
  edgeOf(child: NativeId): EdgeFact | null {
    const told = this.#factsOf(child)?.edges.find((edge) => edge.kind === 'fork');
    const hint = told?.parent ?? null;
    // The original is not in the store any more: its requests are still not the copy's own.
    if (told && !this.#factsOf(told.parent)) return { ...told, inherited: this.#messagesOf(child).filter((message) => message.filed === 0).map((message) => message.key) };
    const parents = this.#overlapsOf(child).filter((overlap) => this.#holdsSameTalk(child, overlap) && this.#isCopy(child, overlap));
    if (parents.length === 0) return null;
    // The nearest owner has most in common; of equals the one that is named, then the one that is itself no copy.
    const best = parents.reduce((a, b) => {
      if (a.keys.size !== b.keys.size) return a.keys.size > b.keys.size ? a : b;
      if (a.other === hint || b.other === hint) return a.other === hint ? a : b;
      const copied = this.#marks(a.other, a.keys).copied - this.#marks(b.other, b.keys).copied;
      if (copied !== 0) return copied < 0 ? a : b;
      return a.other < b.other ? a : b;
    });
    return this.#edge(child, best, hint === best.other);
  }

  #edge(child: NativeId, parent: Overlap, named: boolean): EdgeFact {
    const messages = this.#messagesOf(child);
    const inherited = this.#inherited(messages, parent);
    const shared = messages.filter((message) => parent.keys.has(message.key));
    // Release 1.0.16 writes a new file at every resume, in which only the answers keep their ids.
    const renamed = shared.every((message) => message.role === 'assistant');
    const count = `${inherited.length} message${inherited.length === 1 ? '' : 's'}`;
    const told = this.#factsOf(child)?.edges.find((edge) => edge.kind === 'fork')?.evidence;
    return {
      child, parent: parent.other, kind: renamed && !named ? 'resume' : 'fork', certainty: named ? 'recorded' : 'inferred',
      evidence: named && told ? told : `Shares ${count} from its beginning with session ${parent.other}${renamed ? ', under new record ids, as release 1.0 writes them when it resumes' : ''}.`,
      after: shared.at(-1)?.key ?? null, callId: null, inherited,
    };
  }

  /** Keys of the child's messages that were copied: all that both have, and prompts before the last of them that were given new ids. */
  #inherited(messages: LineageMessage[], parent: Overlap): string[] {
    const last = messages.findLastIndex((message) => parent.keys.has(message.key));
    const twins = new Set(this.#messagesOf(parent.other).map(twinOf));
    return messages.filter((message, place) => parent.keys.has(message.key) || (place < last && message.role !== 'assistant' && twins.has(twinOf(message)))).map((message) => message.key);
  }

  /**
   * Ids of answers alone prove nothing: some gateways give all of them one id. Release 1.0 keeps only these when it
   * resumes, so there the first prompts must say the same, and so must the answers that share an id.
   */
  #holdsSameTalk(session: NativeId, { other, keys }: Overlap): boolean {
    if ([session, other].some((child) => this.#factsOf(child)?.edges.some((edge) => edge.kind === 'fork' && (edge.parent === session || edge.parent === other)))) return true;
    const [mine, theirs] = [this.#messagesOf(session), this.#messagesOf(other)];
    if (mine.some(({ key, role }) => keys.has(key) && role !== 'assistant')) return true;
    if (![session, other].some((each) => textOf(this.#factsOf(each)?.own?.['begunBy'])?.startsWith('1.0.') === true)) return false;
    const prompts = [mine, theirs].map((messages) => messages.find(({ role }) => role === 'user'));
    const twins = new Map(theirs.map((message) => [message.key, twinOf(message)]));
    return prompts[0] !== undefined && prompts[1] !== undefined && twinOf(prompts[0]) === twinOf(prompts[1]) && mine.some((message) => keys.has(message.key) && twins.get(message.key) === twinOf(message));
  }

  /** True when `session` is the copy and the other the original. */
  #isCopy(session: NativeId, { other, keys }: Overlap): boolean {
    const named = (child: NativeId, parent: NativeId) => this.#factsOf(child)?.edges.some((edge) => edge.kind === 'fork' && edge.parent === parent) === true;
    if (named(session, other)) return true;
    if (named(other, session)) return false;
    const mine = this.#marks(session, keys);
    const theirs = this.#marks(other, keys);
    if (mine.copied !== theirs.copied) return mine.copied > theirs.copied;
    if (mine.written !== theirs.written && (mine.written === 0 || theirs.written === 0)) return mine.written === 0;
    // No trace in the files: the one that went on first after what both have is taken for the original.
    const mineNext = this.#nextTime(session, keys);
    const theirsNext = this.#nextTime(other, keys);
    if (mineNext !== theirsNext) return mineNext > theirsNext;
    return session > other;
  }

  /** How many of the shared messages look copied, and how many were surely written in this session. */
  #marks(session: NativeId, keys: Set<string>): { copied: number; written: number } {
    let copied = 0;
    let written = 0;
    for (const message of this.#messagesOf(session)) {
      if (message.filed === null || !keys.has(message.key)) continue;
      if (message.filed === 0) copied++;
      else written++;
    }
    return { copied, written };
  }

  /** Time of the first message of its own; a session without one has not gone on at all. */
  #nextTime(session: NativeId, keys: Set<string>): number {
    const own = this.#messagesOf(session).filter((message) => !keys.has(message.key) && message.role !== 'system' && message.time !== null).map((message) => message.time as number);
    return own.length === 0 ? Number.POSITIVE_INFINITY : own.reduce((a, b) => Math.min(a, b));
  }

  #overlapsOf(session: NativeId): Overlap[] {
    let overlaps = this.#overlaps.get(session);
    if (overlaps) return overlaps;
    const keys = new Set(this.#messagesOf(session).map((message) => message.key));
    overlaps = [...this.relativesOf(session)].map((other) => ({ other, keys: new Set(this.#messagesOf(other).map((message) => message.key).filter((key) => keys.has(key))) }));
    this.#overlaps.set(session, overlaps);
    return overlaps;
  }

  #messagesOf(session: NativeId): LineageMessage[] {
    let messages = this.#messages.get(session);
    if (!messages) this.#messages.set(session, (messages = this.view.messages(session)));
    return messages;
  }

  #factsOf(session: NativeId): SessionFacts | undefined {
    if (!this.#facts.has(session)) this.#facts.set(session, this.view.facts(session));
    return this.#facts.get(session);
  }
}

/** Equal for a message and its copy under a new id (which gets a new time, too). */
const twinOf = (message: LineageMessage): string => `${message.role} ${message.parts.map((part) => `${part.kind}${part.digest}`).join(' ')}`;
