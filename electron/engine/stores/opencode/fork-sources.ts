import type { NativeId } from '@shared/model';
import type { LineageMessage, SessionFacts } from '../store';
import { asText } from '../foreign/fields';

/** A session as forks are looked for. */
export interface Session {
  native: NativeId;
  facts: SessionFacts;
  created: number;
  title: string;
  /** The title the program would give a fork of it. */
  forked: string;
  /** Messages at its beginning that are older than the session: copies. */
  copied: number;
  /** Time of its first message, null when it has none or that is not known. */
  begins: number | null;
}

export type Read = (session: NativeId) => LineageMessage[];

/** How many sessions were taken in hand to find the sources of others: what a pass costs. */
export interface Work {
  looked: number;
}

/**
 * The sessions of a project, found by what a fork must share with its source, so that no session is held against all
 * others. Lists are in order of creation, and the oldest of equal ones comes first.
 */
export class ForkSources {
  readonly #byBegin = new Lists();
  readonly #byBeginAndTitle = new Lists();
  /** Sources of titled forks that copy nothing; an entry leaves once it has something that a later fork would copy. */
  readonly #byTitle = new Lists();
  readonly #originals = new Map<string, Session>();
  readonly #unknownBegin: Session[] = [];
  #isComplete = false;

  constructor(
    group: Session[],
    readonly read: Read,
    readonly work: Work,
  ) {
    for (const session of group) {
      if (session.begins === null) this.#unknownBegin.push(session);
      else this.#fileByBegin(session, session.begins);
      if (session.facts.kind === 'session') this.#byTitle.add(session.forked, session);
      const identity = importIdentity(session);
      if (identity !== null && session.facts.own?.['unlogged'] !== true && !this.#originals.has(identity)) this.#originals.set(identity, session);
    }
  }

  /** Sessions not younger than the fork that begin as it does; with `titled` those whose fork would have its title. */
  withBegin(fork: Session, begin: number, titled: boolean): Session[] {
    this.#complete();
    const key = String(begin);
    const list = titled ? this.#byBeginAndTitle.get(`${key} ${fork.title}`) : this.#byBegin.get(key);
    const found: Session[] = [];
    for (const source of list) {
      if (source.created > fork.created) break;
      this.work.looked++;
      if (source.native !== fork.native) found.push(source);
    }
    return found;
  }

  /**
   * The two oldest whose fork would have this title and that had nothing to copy. Forks must be asked for in order of
   * creation: a session that had something then has something for every later one, and is not looked at again.
   */
  empty(fork: Session): Session[] {
    const list = this.#byTitle.get(fork.title);
    const found: Session[] = [];
    let at = 0;
    let kept = 0;
    for (; at < list.length && found.length < 2; at++) {
      const source = list[at] as Session;
      if (source.created > fork.created) break;
      this.work.looked++;
      // Only messages of the first generation are filed with the time of their id.
      if (!this.read(source.native).every(({ filed }) => filed === null || filed >= fork.created)) continue;
      found.push(source);
      list[kept++] = source;
    }
    if (kept < at) list.splice(kept, at - kept);
    return found;
  }

  /** The session that an import under another id was made of. */
  original(copy: Session): Session | null {
    const identity = importIdentity(copy);
    return identity === null ? null : (this.#originals.get(identity) ?? null);
  }

  /** Where the beginning is not noted it is read, once, and only when a fork with copies asks. */
  #complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    for (const session of this.#unknownBegin) {
      this.work.looked++;
      const begin = this.read(session.native)[0]?.time ?? null;
      if (begin !== null) this.#fileByBegin(session, begin);
    }
    this.#byBegin.sort();
    this.#byBeginAndTitle.sort();
  }

  #fileByBegin(session: Session, begin: number): void {
    this.#byBegin.add(String(begin), session);
    this.#byBeginAndTitle.add(`${begin} ${session.forked}`, session);
  }
}

class Lists {
  readonly #lists = new Map<string, Session[]>();

  add(key: string, session: Session): void {
    const list = this.#lists.get(key);
    if (list) list.push(session);
    else this.#lists.set(key, [session]);
  }

  get(key: string): Session[] {
    return this.#lists.get(key) ?? [];
  }

  sort(): void {
    for (const list of this.#lists.values()) list.sort(byAge);
  }
}

/** In order of creation; of equal ones by id, so that the order does not depend on the store's. */
export const byAge = (a: Session, b: Session): number => a.created - b.created || (a.native < b.native ? -1 : a.native > b.native ? 1 : 0);

/** An import keeps the short name and the time of its original. */
function importIdentity({ facts, created }: Session): string | null {
  const slug = asText(facts.own?.['slug']);
  return slug === null ? null : `${created} ${slug}`;
}
