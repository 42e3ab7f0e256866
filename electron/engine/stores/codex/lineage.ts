import { type NativeId, nativeId } from '@shared/model';
import type { EdgeFact, LineageMessage, LineageView } from '../store';
import { asNumber, asObject, asText, type Fields } from '../foreign/fields';
import { inheritedMark } from './scribe';

/**
 * Edges of sessions that changed, or whose parent did. A fork and a spawn are recorded in the child's first line; which
 * of its messages came with it the keys tell, or, where turns have no ids, comparing does (FORMAT.md, "Forks").
 */
export function lineage(view: LineageView, changed: Set<NativeId>): EdgeFact[] {
  const family = new Family(view);
  const affected = new Set(changed);
  for (const session of changed) for (const child of family.childrenOf(session)) affected.add(child);
  return [...affected].flatMap((child) => family.edgesOf(child));
}

class Family {
  constructor(readonly view: LineageView) {}

  /** Sessions that may hang on this one: those it spawned, and those that hold its first message as inherited. */
  childrenOf(session: NativeId): NativeId[] {
    const own = this.#own(session);
    const first = asText(own['firstMessage']);
    const spawned = Object.keys(asObject(own['spawned']) ?? {}).map(nativeId).filter((child) => this.view.facts(child));
    if (first === null) return spawned;
    // Where turns have no ids a copy has the keys of its original, and so has any other file of that time.
    const alike = first.startsWith('m') ? this.view.holders(first).filter((other) => this.#own(other)['copiedFrom'] === session) : [];
    return [...spawned, ...this.view.holders(inheritedMark + first), ...alike].filter((child) => child !== session);
  }

  edgesOf(child: NativeId): EdgeFact[] {
    const own = this.#own(child);
    const spawner = asText(own['parent']);
    const named = asText(own['forkedFrom']);
    // A helper that got its parent's conversation is no fork of a person's.
    if (spawner !== null) return spawner === child ? [] : [this.#spawn(child, nativeId(spawner), own)];
    const parent = named ?? asText(own['copiedFrom']);
    return parent === null || parent === child ? [] : [this.#fork(child, nativeId(parent), named !== null, own['byContent'] === true)];
  }

  #spawn(child: NativeId, parent: NativeId, own: Fields): EdgeFact {
    const depth = asNumber(own['depth']);
    const what = own['review'] === true ? 'A review' : 'A helper';
    return {
      child, parent, kind: 'subagent', certainty: 'recorded', evidence: `${what} whose records name thread ${parent} as its parent${depth === null ? '' : ` (depth ${depth})`}.`, after: null,
      callId: asText(asObject(this.#own(parent)['spawned'])?.[child]), inherited: this.#marked(this.view.messages(child)),
    };
  }

  #fork(child: NativeId, parent: NativeId, named: boolean, byContent: boolean): EdgeFact {
    const messages = this.view.messages(child);
    const marked = this.#marked(messages);
    const original = this.view.facts(parent) ? this.view.messages(parent) : [];
    const same = byContent ? commonBeginning(messages, original) : [];
    const inherited = [...new Set([...marked, ...same])];
    return {
      child, parent, kind: 'fork', certainty: named ? 'recorded' : 'inferred',
      evidence: named ? `Its first line names thread ${parent} as what it was forked from.` : `Its file begins with a copy of the first line of thread ${parent}, and of its messages.`,
      after: afterIn(original, inherited.at(-1) ?? null), callId: null, inherited,
    };
  }

  /** Messages that carry the mark of having come from another thread. */
  #marked(messages: LineageMessage[]): string[] {
    return messages.filter(({ key }) => key.startsWith(inheritedMark)).map(({ key }) => key);
  }

  #own(native: NativeId): Fields {
    return this.view.facts(native)?.own ?? {};
  }
}

/** Keys of the child's messages up to the first that differs from the parent's. */
function commonBeginning(child: LineageMessage[], parent: LineageMessage[]): string[] {
  const same: string[] = [];
  for (const [place, message] of child.entries()) {
    const other = parent[place];
    if (!other || likeness(message) !== likeness(other)) break;
    same.push(message.key);
  }
  return same;
}

const likeness = ({ role, parts }: LineageMessage): string => `${role} ${parts.map(({ kind, digest }) => `${kind}${digest}`).join(' ')}`;

/** The parent's own message that the last inherited one is a copy of; it may itself have inherited it. */
function afterIn(original: LineageMessage[], last: string | null): string | null {
  if (last === null) return null;
  const plain = last.startsWith(inheritedMark) ? last.slice(inheritedMark.length) : last;
  return original.find(({ key }) => key === plain || key === inheritedMark + plain)?.key ?? null;
}
