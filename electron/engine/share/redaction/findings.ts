import { hash } from 'node:crypto';
import { type ClassCount, type Finding, type FindingClass, findingClasses, type FindingPlace, type RedactionCount } from '@shared/model';

/** Where a value stands, without what is around it; found out only when it is told. */
export type Place = Omit<FindingPlace, 'excerpt'>;
export type Placed = Place | (() => Place);

/** Places kept of one value; all are counted. */
const placesKept = 50;
/** Characters kept on each side of a value. */
const around = 60;

/** A value as it stands in a text. */
export interface Met {
  spelling: string;
  at: number;
}

const endOf = ({ spelling, at }: Met): number => at + spelling.length;

/**
 * What of a text is shown around a value. A value beside it is in there whole, so that it is masked, or not at all: of one
 * that was cut in two each half would be shown.
 */
export function surroundingsOf(all: readonly Met[], index: number): { from: number; to: number } {
  const met = all[index] as Met;
  let [from, to] = [met.at - around, endOf(met) + around];
  for (let before = index - 1; before >= 0 && endOf(all[before] as Met) > from; before--) if ((all[before] as Met).at < from) from = endOf(all[before] as Met);
  for (let after = index + 1; after < all.length && (all[after] as Met).at < to; after++) if (endOf(all[after] as Met) > to) to = (all[after] as Met).at;
  return { from, to };
}

interface Known {
  id: string;
  class: FindingClass;
  name: string;
  mask: string;
  hint: string;
  kept: boolean;
  count: number;
  places: (Place & { around: string })[];
}

/** What was found in one export: a value has one name, one mask and one decision, wherever it stands. */
export class Findings {
  /** By class and identity. */
  readonly #known = new Map<string, Known>();
  /** By how a value is written. */
  readonly #spelled = new Map<string, Known>();
  readonly #numbers = new Map<FindingClass, number>();

  #keep: ReadonlySet<string> = new Set();

  /** Decides anew what is to stand: classes, or ids of values. */
  keep(names: readonly string[]): void {
    this.#keep = new Set(names);
    for (const known of this.#known.values()) known.kept = this.#isKept(known);
  }

  #isKept = ({ class: kind, id }: { class: FindingClass; id: string }): boolean => this.#keep.has(kind) || this.#keep.has(id);

  /** Makes a value known. `identity` is what spellings of one value have in common. */
  add(kind: FindingClass, name: string, spelling: string, identity = spelling): void {
    if (this.#spelled.has(spelling)) return;
    const key = `${kind} ${identity}`;
    let known = this.#known.get(key);
    if (!known) {
      const id = `${kind}-${hash('sha256', identity).slice(0, 10)}`;
      const number = (this.#numbers.get(kind) ?? 0) + 1;
      this.#numbers.set(kind, number);
      known = { id, class: kind, name, mask: maskOf(kind, number, name), hint: hintOf(kind, spelling), kept: this.#isKept({ class: kind, id }), count: 0, places: [] };
      this.#known.set(key, known);
    }
    this.#spelled.set(spelling, known);
  }

  /** How many spellings are known. */
  get spellings(): number {
    return this.#spelled.size;
  }

  find(spelling: string): { mask: string; kept: boolean } | undefined {
    return this.#spelled.get(spelling);
  }

  /** One pattern of all known values, the longest first: where one begins with another the longer is meant. */
  pattern(): RegExp | null {
    const values = [...this.#spelled].sort(([a], [b]) => b.length - a.length).map(([spelling, known]) => (known.class === 'home' ? homePattern(spelling) : escaped(spelling)));
    return values.length === 0 ? null : new RegExp(values.join('|'), 'g');
  }

  /** Counts a place; `shown` is what of the text is kept to show it. */
  meet(spelling: string, text: string, shown: { from: number; to: number }, placed: Placed): void {
    const known = this.#spelled.get(spelling);
    if (!known) return;
    known.count++;
    if (known.places.length >= placesKept) return;
    const place = typeof placed === 'function' ? placed() : placed;
    const last = known.places.at(-1);
    // What stands twice in one part is told once.
    if (last && last.part === place.part && last.session === place.session) return;
    known.places.push({ ...place, around: text.slice(Math.max(0, shown.from), shown.to) });
  }

  /** Places are counted anew. */
  forgetPlaces(): void {
    for (const known of this.#known.values()) {
      known.count = 0;
      known.places = [];
    }
  }

  /** Those that stand somewhere, secrets first; `hide` makes what is around a value harmless. */
  list(hide: (text: string) => string): Finding[] {
    return this.#met()
      .sort((a, b) => findingClasses.indexOf(a.class) - findingClasses.indexOf(b.class))
      .map(({ places, ...known }) => ({ ...known, places: places.map(({ around: text, ...place }) => ({ ...place, excerpt: hide(text).replace(/\s+/g, ' ').trim() })) }));
  }

  count(): RedactionCount {
    const met = this.#met();
    return { applied: true, masked: countOf(met.filter(({ kept }) => !kept)), kept: countOf(met.filter(({ kept }) => kept)) };
  }

  #met(): Known[] {
    return [...this.#known.values()].filter(({ count }) => count > 0);
  }
}

function countOf(known: Known[]): ClassCount[] {
  return findingClasses.flatMap((kind) => {
    const own = known.filter((each) => each.class === kind);
    return own.length === 0 ? [] : [{ class: kind, findings: own.length, places: own.reduce((sum, { count }) => sum + count, 0) }];
  });
}

/** Without a quote or a backslash: a mask stands in JSON inside JSON as it is. */
function maskOf(kind: FindingClass, number: number, name: string): string {
  if (kind === 'home') return '~';
  return kind === 'secret' ? `[secret ${number}: ${name}]` : `[${kind} ${number}]`;
}

const hintOf = (kind: FindingClass, value: string): string => (kind === 'secret' ? `${value.slice(0, 4)}… (${value.length} characters)` : value);

/** A home ends where a name ends. One of a single step (`/root`), or one with dashes, must also begin where a path or a name may. */
function homePattern(spelling: string): string {
  if (spelling.startsWith('-')) return `(?<![A-Za-z0-9])${escaped(spelling)}(?![A-Za-z0-9])`;
  const single = spelling.lastIndexOf('/') === 0;
  return `${single ? '(?<![\\w.~-])' : ''}${escaped(spelling)}(?![A-Za-z0-9_-])`;
}

export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
