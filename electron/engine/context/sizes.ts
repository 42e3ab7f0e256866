import { assertNever, type PartKind } from '@shared/model';
import type { ContextView, SentPiece } from '../stores/store';
import type { LoadedSession, PartPlace } from './session';

/** Characters that make about one token of English prose or code. */
export const charactersPerToken = 4;

export interface PieceSize {
  tokens: number;
  estimated: boolean;
}

export const estimate = (characters: number): number => Math.ceil(characters / charactersPerToken);

/** What a message's figures are shared out over: characters of its reasoning, and of all else the model wrote. */
interface Shares {
  reasoning: { characters: number; parts: number };
  other: { characters: number; parts: number };
}

/**
 * Sizes of what is sent. A reply's figures are the provider's: its reasoning tokens go to its reasoning, the rest to
 * its texts and calls, by characters where there are several. Everything else is an estimate by characters.
 */
export class Sizes {
  readonly #shares = new Map<number, Shares>();

  constructor(
    readonly session: LoadedSession,
    readonly placeholders: ContextView['placeholders'],
  ) {
    for (const part of session.parts) this.#add(part);
  }

  #add(part: PartPlace): void {
    if (part.message < 0 || part.size === 0 || !writtenByModel.has(part.kind)) return;
    if (this.session.figures.get(part.message)?.output == null) return;
    let shares = this.#shares.get(part.message);
    if (!shares) this.#shares.set(part.message, (shares = { reasoning: { characters: 0, parts: 0 }, other: { characters: 0, parts: 0 } }));
    const share = this.#apart(part) ? shares.reasoning : shares.other;
    share.characters += part.size;
    share.parts++;
  }

  /** Reasoning has a figure of its own only where the store tells it apart. */
  #apart(part: PartPlace): boolean {
    return part.kind === 'reasoning' && (this.session.figures.get(part.message)?.reasoning ?? 0) > 0;
  }

  of(piece: SentPiece, part: PartPlace | undefined): PieceSize {
    switch (piece.type) {
      case 'synthetic':
        return { tokens: estimate(piece.size), estimated: true };
      case 'part':
        return part ? this.#ofPart(piece, part) : { tokens: 0, estimated: true };
      default:
        return assertNever(piece, 'piece of a context');
    }
  }

  #ofPart(piece: SentPiece & { type: 'part' }, part: PartPlace): PieceSize {
    const own = piece.size === undefined ? this.own(part) : { tokens: estimate(piece.size), estimated: true };
    const output = piece.output === 'whole' ? part.outputSize : (this.placeholders?.[piece.output]?.length ?? 0);
    return output === 0 ? own : { tokens: own.tokens + estimate(output), estimated: true };
  }

  /** Size of what the part itself says, its output left out. */
  own(part: PartPlace): PieceSize {
    const shares = this.#shares.get(part.message);
    const figures = this.session.figures.get(part.message);
    if (!shares || !figures || part.size === 0 || !writtenByModel.has(part.kind)) return { tokens: estimate(part.size), estimated: part.size > 0 };
    const apart = this.#apart(part);
    const share = apart ? shares.reasoning : shares.other;
    const figure = (apart ? figures.reasoning : figures.output) ?? 0;
    return share.parts === 1 ? { tokens: figure, estimated: false } : { tokens: Math.round((figure * part.size) / share.characters), estimated: true };
  }
}

const writtenByModel: ReadonlySet<PartKind> = new Set<PartKind>(['text', 'reasoning', 'tool', 'summary']);
