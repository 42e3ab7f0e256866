import type { Finding, RedactionCount } from '@shared/model';
import { escaped, Findings, type Placed, surroundingsOf } from './findings';
import { mapStrings, stringsIn } from './json-strings';
import { privateKeysIn } from './private-keys';
import { addressesIn, dashed, homesIn } from './private-values';
import { isBlob, segmentsOf, stretchesOf, textOf, type TextWindow, windowsOf } from './record-text';

export interface RedactionRules {
  /** False: everything leaves as it is, and what was found is only told. */
  applied: boolean;
  /** Folders that are known to be somebody's home. */
  homes: readonly string[];
  /** Words the person chose. */
  words: readonly string[];
  /** Classes, or ids of values, that are to stand. */
  keep: readonly string[];
}

/** Characters that are looked at together: rules are called once for many small texts. */
const lookedAtOnce = 1 << 20;

/**
 * Looks through all that an export would hold, then masks it. The look comes first and sees everything, so a value that
 * a rule knows in one place by its surroundings is masked in every other place, too, and has one mask in all of them.
 */
export class Redactor {
  readonly #findings = new Findings();
  readonly #words: RegExp | null;
  #queue: { text: string; place: Placed }[] = [];
  #queued = 0;
  #pattern: RegExp | null = null;
  #phase: 'looking' | 'counting' | 'done' = 'looking';
  #worked = 0;
  #late = false;

  constructor(readonly rules: RedactionRules) {
    this.#findings.keep(rules.keep);
    for (const home of rules.homes) this.#addHome(home);
    const words = rules.words.map((word) => word.trim()).filter((word) => word.length > 1).sort((a, b) => b.length - a.length);
    this.#words = words.length === 0 ? null : new RegExp(words.map(escaped).join('|'), 'gi');
  }

  /** A text that will leave. Whoever calls waits for `rest` now and then. */
  see(text: string, place: Placed): void {
    if (text.length < 3 || isBlob(text)) return;
    this.#queue.push({ text, place });
    this.#queued += text.length;
  }

  /** Every text in a value of the engine: fields of objects, elements of lists, names of fields. */
  seeAll(value: unknown, place: Placed): void {
    if (typeof value === 'string') this.see(value, place);
    else if (Array.isArray(value)) for (const element of value) this.seeAll(element, place);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, element] of Object.entries(value)) {
        if (!isOwnName(name)) this.see(name, place);
        this.seeAll(element, place);
      }
    }
  }

  /** Records as an agent wrote them: the strings of JSON lines, all of any other. `placeAt` tells the place of a byte of them. */
  seeRecords(bytes: Uint8Array, placeAt: (offset: number) => Placed): void {
    const { text: all, encoding } = textOf(bytes);
    let offset = 0;
    for (const { text, json } of segmentsOf(all)) {
      const place = placeAt(offset);
      if (json) for (const each of stringsIn(text)) this.see(each, place);
      else this.see(text, place);
      offset += Buffer.byteLength(text, encoding);
    }
  }

  /** Works off what was seen, when that is much or `all` is asked for. */
  async rest(all = false): Promise<void> {
    if (!all && this.#queued < lookedAtOnce) return;
    const queue = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    const windows = [...windowsOf(queue.map(({ text }) => text), lookedAtOnce)];
    if (this.#phase === 'looking') await this.#find(windows);
    this.#count(windows, queue);
  }

  async #find(windows: readonly TextWindow[]): Promise<void> {
    const before = this.#findings.spellings;
    // Loaded when something is looked through: an engine that exports nothing does without the rules.
    const { secretsIn } = await import('./secret-rules');
    for (const window of windows) {
      for (const stretch of stretchesOf(window.text, lookedAtOnce)) {
        for (const value of privateKeysIn(stretch)) this.#findings.add('secret', 'private key', value, sameSecret(value));
        for (const { value, name } of await secretsIn(stretch)) this.#findings.add('secret', name, value, sameSecret(value));
      }
    }
    for (const { text } of windows) {
      for (const home of new Set(homesIn(text))) this.#addHome(home);
      for (const address of new Set(addressesIn(text))) this.#findings.add('mail', 'mail address', address, address.toLowerCase());
      for (const [word] of this.#words ? text.matchAll(this.#words) : []) this.#findings.add('word', 'chosen word', word, word.toLowerCase());
    }
    if (this.#findings.spellings === before) return;
    this.#pattern = null;
    // What was worked off before may hold it, too.
    this.#late ||= this.#worked > 0;
  }

  #count(windows: readonly TextWindow[], queue: readonly { text: string; place: Placed }[]): void {
    this.#worked += queue.length;
    const pattern = this.#values();
    if (!pattern) return;
    for (const { text: joined, first, starts } of windows) {
      let at = 0;
      const all = [...joined.matchAll(pattern)].map(({ 0: spelling, index }) => ({ spelling, at: index }));
      for (const [index, met] of all.entries()) {
        while ((starts[at + 1] ?? Infinity) <= met.at) at++;
        const seen = queue[first + at];
        const start = starts[at] ?? 0;
        const { from, to } = surroundingsOf(all, index);
        if (seen) this.#findings.meet(met.spelling, seen.text, { from: from - start, to: to - start }, seen.place);
      }
    }
  }

  /** After the last text. True when everything has to be shown once more to be counted right: values came to light after texts that hold them. */
  async looked(): Promise<boolean> {
    await this.rest(true);
    const again = this.#phase === 'looking' && this.#late;
    this.#phase = again ? 'counting' : 'done';
    if (again) this.#findings.forgetPlaces();
    return again;
  }

  /** Decides anew what is to stand; what was found stays found. */
  keep(names: readonly string[]): void {
    this.#findings.keep(names);
  }

  #addHome(home: string): void {
    if (home.length < 4) return;
    this.#findings.add('home', 'home folder', home);
    // As a part of an address: `?file=%2Fhome%2Fme%2Fa`.
    const encoded = home.isWellFormed() ? encodeURIComponent(home) : home;
    for (const spelling of encoded === home ? [] : [encoded, encoded.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase())]) this.#findings.add('home', 'home folder', spelling, home);
    if (dashed(home).length > 6) this.#findings.add('home', 'home folder', dashed(home), home);
  }

  #values(): RegExp | null {
    return (this.#pattern ??= this.#findings.pattern());
  }

  /** A text as it leaves. */
  mask(text: string): string {
    if (this.#phase !== 'done') throw new Error('What was not looked through cannot be masked.');
    const pattern = this.rules.applied && text.length > 2 && !isBlob(text) ? this.#values() : null;
    if (!pattern) return text;
    return text.replace(pattern, (spelling) => {
      const found = this.#findings.find(spelling);
      return !found || found.kept ? spelling : found.mask;
    });
  }

  /** A value of the engine as it leaves. */
  maskAll<T>(value: T): T {
    return (this.rules.applied ? this.#deep(value) : value) as T;
  }

  #deep(value: unknown): unknown {
    if (typeof value === 'string') return this.mask(value);
    if (Array.isArray(value)) return value.map((element) => this.#deep(element));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, element]) => [isOwnName(name) ? name : this.mask(name), this.#deep(element)]));
  }

  /** Records as they leave: valid where they were, in the encoding they had. */
  maskRecords(bytes: Uint8Array): Uint8Array {
    if (!this.rules.applied) return bytes;
    const { text, encoding } = textOf(bytes);
    const masked = segmentsOf(text).map((segment) => (segment.json ? mapStrings(segment.text, (each) => this.mask(each)) : this.mask(segment.text))).join('');
    return masked === text ? bytes : Buffer.from(masked, encoding);
  }

  /** What was found; the values themselves are not told. */
  list(): Finding[] {
    const pattern = this.#values();
    return this.#findings.list((text) => (pattern ? text.replace(pattern, (spelling) => this.#findings.find(spelling)?.mask ?? '…') : text));
  }

  count(): RedactionCount {
    return this.rules.applied ? this.#findings.count() : { applied: false, masked: [], kept: [] };
  }
}

/** Our own names of fields are plain words: a chosen word that is one of them leaves the shape as it is. */
const isOwnName = (name: string): boolean => !/[^a-zA-Z]/.test(name);

/** A key over several lines is the same with its line ends written as escapes. */
const sameSecret = (value: string): string => (value.includes('PRIVATE KEY') ? value.replace(/\\+[nr]|\s/g, '') : value);
