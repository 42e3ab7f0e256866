/**
 * Takes a large JSON document apart without holding it: the members of its outermost object, and the elements of its
 * outermost list or of one named member, each as the bytes it stands in. Only the outer levels are understood here;
 * each piece is parsed by itself. Made here because the parsers that stream build values as they go: they set
 * `__proto__`, know no limit on depth, and do not say where a document was cut.
 */
export interface JsonPiece {
  /** Name of the member; null for an element of an outermost list. */
  member: string | null;
  /** It is one element of the list that the member holds. */
  isElement: boolean;
  bytes: Buffer;
}

export interface JsonPieceLimits {
  /** Bytes of one piece. */
  piece: number;
  /** Nested objects and lists. */
  depth: number;
  pieces: number;
}

export const jsonPieceLimits: JsonPieceLimits = { piece: 64 * 1024 * 1024, depth: 1_000, pieces: 5_000_000 };

/** How a document ended. `cut`: in the middle, after so many bytes. `followed`: it is whole, and from `at` on there is something else. */
export type JsonEnd = { state: 'whole' } | { state: 'cut'; bytes: number } | { state: 'followed'; at: number; byJson: boolean } | { state: 'broken'; at: number; reason: string };

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Fed with bytes, gives the pieces that became whole. After a fault it gives no more. */
export class JsonPieces {
  /** The byte that opened each level, as far as the outer ones go. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  #outer: 'object' | 'list' | null = null;
  #member: string | null = null;
  /** The piece that is open: its bytes, or none where it is not wanted. */
  #held: Buffer[] | null = null;
  #size = 0;
  #isKey = false;
  #inElements = false;
  #count = 0;
  #bytes = 0;
  #ended = false;
  /** What stands behind the end. */
  #followed: { at: number; byJson: boolean } | null = null;
  #fault: { at: number; reason: string } | null = null;

  /** `lists`: members whose elements are pieces. `wanted`: members that are given whole; all others are passed over. */
  constructor(
    readonly lists: ReadonlySet<string>,
    readonly wanted: ReadonlySet<string>,
    readonly limits: JsonPieceLimits = jsonPieceLimits,
  ) {}

  get fault(): { at: number; reason: string } | null {
    return this.#fault;
  }

  *push(chunk: Buffer): Iterable<JsonPiece> {
    let start = this.#held ? 0 : -1;
    for (let at = 0; at < chunk.length && !this.#fault; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
        continue;
      }
      if (this.#ended) {
        if (!isBlank(byte)) this.#followed ??= { at: this.#bytes + at, byJson: opens(byte) };
        continue;
      }
      const level = this.#inElements ? 2 : 1;
      if (byte === quote) this.#inString = true;
      if (this.#held === null && this.#depth === level && !isBlank(byte) && byte !== comma && byte !== colon && !closes(byte)) {
        this.#begin();
        start = at;
      }
      if (opens(byte)) {
        this.#open(byte, at);
        if (this.#depth === 2 && this.#held && this.#outer === 'object' && !this.#isKey && byte === 0x5b && this.#member !== null && this.lists.has(this.#member)) {
          // The list itself is no piece, its elements are.
          this.#held = null;
          this.#inElements = true;
        }
        continue;
      }
      const ends = this.#held !== null && this.#depth === level && (byte === comma || byte === colon || closes(byte));
      if (ends) {
        const piece = this.#end(chunk.subarray(Math.max(start, 0), at));
        start = -1;
        if (piece) yield piece;
      }
      if (closes(byte)) this.#close(at);
      else if (byte === comma && this.#depth === 1) this.#member = this.#outer === 'object' ? null : this.#member;
    }
    if (this.#held && start >= 0 && !this.#fault) this.#hold(chunk.subarray(start));
    this.#bytes += chunk.length;
  }

  end(): JsonEnd {
    if (this.#fault) return { state: 'broken', ...this.#fault };
    if (this.#followed) return { state: 'followed', ...this.#followed };
    return this.#ended ? { state: 'whole' } : { state: 'cut', bytes: this.#bytes };
  }

  #begin(): void {
    this.#held = [];
    this.#size = 0;
    this.#isKey = this.#outer === 'object' && !this.#inElements && this.#member === null;
  }

  #hold(bytes: Buffer): void {
    this.#size += bytes.length;
    const isWanted = this.#isKey || this.#inElements || this.#outer === 'list' || (this.#member !== null && this.wanted.has(this.#member));
    if (!isWanted) return;
    if (this.#size > this.limits.piece) return this.#fail(0, `one value is larger than ${this.limits.piece.toLocaleString('en')} bytes`);
    this.#held?.push(Buffer.from(bytes));
  }

  #end(last: Buffer): JsonPiece | null {
    this.#hold(last);
    const bytes = Buffer.concat(this.#held ?? []);
    this.#held = null;
    if (this.#fault) return null;
    if (this.#isKey) {
      this.#member = keyOf(bytes);
      if (this.#member === null) this.#fail(0, 'a name in the outermost object cannot be read');
      return null;
    }
    if (!this.#inElements && this.#outer === 'object' && !this.wanted.has(this.#member ?? '')) return null;
    if (++this.#count > this.limits.pieces) this.#fail(0, `there are more than ${this.limits.pieces.toLocaleString('en')} values`);
    return this.#fault ? null : { member: this.#outer === 'list' ? null : this.#member, isElement: this.#inElements || this.#outer === 'list', bytes };
  }

  #open(byte: number, at: number): void {
    if (this.#depth === 0) this.#outer = byte === 0x7b ? 'object' : 'list';
    if (++this.#depth > this.limits.depth) this.#fail(at, `values are nested deeper than ${this.limits.depth.toLocaleString('en')}`);
  }

  #close(at: number): void {
    this.#depth--;
    if (this.#depth < 0) return this.#fail(at, 'there is a closing bracket too many');
    if (this.#inElements && this.#depth === 1) this.#inElements = false;
    if (this.#depth === 0) this.#ended = true;
  }

  #fail(at: number, reason: string): void {
    this.#fault ??= { at: this.#bytes + at, reason };
    this.#held = null;
  }
}

function keyOf(bytes: Buffer): string | null {
  try {
    const key: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof key === 'string' ? key : null;
  } catch {
    return null;
  }
}
