/**
 * Ids as OpenCode makes them (FORMAT.md, "Ids"): 48 bits of `ms × 4096 + counter`, ascending for messages and parts and
 * inverted for sessions, and 14 characters by chance. The bits wrap; one run of ids never does, or its order would turn.
 */
const bits = 48n;
const all = (1n << bits) - 1n;
const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export class NewIds {
  #next: bigint;

  constructor(
    now: number,
    readonly random: (bytes: number) => Uint8Array,
    /** How many will be asked for. */
    count: number,
  ) {
    const first = (BigInt(now) * 4096n + 1n) & all;
    this.#next = first + BigInt(count) > all ? 0n : first;
  }

  ascending(prefix: 'msg' | 'prt' | 'evt'): string {
    return this.#id(prefix, this.#next++);
  }

  /** A session's: the newest sorts first. */
  descending(prefix: 'ses'): string {
    return this.#id(prefix, all - this.#next++);
  }

  #id(prefix: string, value: bigint): string {
    const chance = [...this.random(14)].map((byte) => characters[byte % characters.length]).join('');
    return `${prefix}_${(value & all).toString(16).padStart(12, '0')}${chance}`;
  }
}

const adjectives = ['amber', 'brave', 'calm', 'clear', 'crisp', 'eager', 'gentle', 'happy', 'hidden', 'kind', 'lucky', 'mighty', 'quick', 'quiet', 'silent', 'sunny'];
const nouns = ['anchor', 'brook', 'cabin', 'canyon', 'cedar', 'comet', 'falcon', 'garden', 'harbor', 'island', 'lagoon', 'meadow', 'orchid', 'pebble', 'river', 'willow'];

/** A session's short name, two words as OpenCode gives one. */
export function newSlug(random: (bytes: number) => Uint8Array): string {
  const [first = 0, second = 0] = random(2);
  return `${adjectives[first % adjectives.length]}-${nouns[second % nouns.length]}`;
}
