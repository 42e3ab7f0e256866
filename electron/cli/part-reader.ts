import type { Outline } from '@shared/contract';
import type { Engine } from '@shared/link';
import type { ClippedText, PartView, SessionId } from '@shared/model';
import { type PartWindow, windowsOf } from '../engine/queries/part-windows';
import { Refusal } from './command-context';

/** A text longer than this is fetched in pieces: a link between processes carries at most 64 million characters at once. */
const wholeText = 8_000_000;
/** Characters of one piece. */
const pieceText = 1_000_000;
/** Windows that are kept: the parts of a message may lie apart, with those of another between them. */
const keptWindows = 3;

/**
 * Reads the parts of a session by their place on the timeline, in windows. What it holds is bounded by the windows it
 * keeps and by the largest single part, not by the session.
 */
export class PartReader {
  readonly #windows: PartWindow[];
  #kept = new Map<PartWindow, Promise<PartView[]>>();

  constructor(
    readonly engine: Engine,
    readonly session: SessionId,
    outline: Pick<Outline, 'sizes'>,
    /** Texts unclipped. */
    readonly whole: boolean,
  ) {
    this.#windows = windowsOf(outline.sizes);
  }

  async part(index: number): Promise<PartView> {
    const window = this.#windowOf(index);
    const part = (await this.#read(window))[index - window.from];
    if (!part) throw new Refusal('The session changed while it was read. Run the command again.');
    return part;
  }

  #windowOf(index: number): PartWindow {
    let low = 0;
    for (let high = this.#windows.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if ((this.#windows[middle] as PartWindow).from <= index) low = middle;
      else high = middle - 1;
    }
    return this.#windows[low] as PartWindow;
  }

  #read(window: PartWindow): Promise<PartView[]> {
    const kept = this.#kept.get(window);
    this.#kept.delete(window);
    const parts = kept ?? this.#fetch(window);
    this.#kept.set(window, parts);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptWindows) break;
      this.#kept.delete(oldest);
    }
    return parts;
  }

  async #fetch({ from, count, text }: PartWindow): Promise<PartView[]> {
    const inOne = text <= wholeText;
    const answer = await this.engine.call('session.parts', { session: this.session, from, count, whole: this.whole && inOne });
    const parts = answer?.parts ?? [];
    if (this.whole && !inOne) for (const part of parts) await this.#complete(part);
    return parts;
  }

  async #complete(part: PartView): Promise<void> {
    part.text = await this.#wholeText(part, 'text', part.text);
    if (!part.tool) return;
    part.tool.input = await this.#wholeText(part, 'input', part.tool.input);
    part.tool.output = await this.#wholeText(part, 'output', part.tool.output);
  }

  async #wholeText(part: PartView, side: 'text' | 'input' | 'output', clipped: ClippedText | null): Promise<ClippedText | null> {
    if (!clipped?.gap) return clipped;
    const pieces: string[] = [];
    for (let from = 0; ; ) {
      const piece = await this.engine.call('part.text', { part: part.id, side, from, count: pieceText });
      if (!piece || piece.text === '') break;
      pieces.push(piece.text);
      from = piece.from + piece.text.length;
      if (from >= piece.total) break;
    }
    return { ...clipped, text: pieces.join(''), gap: null };
  }
}
