import type { ContextState, SentOutput } from '@shared/model';
import type { ContextView, SentPiece } from '../stores/store';
import { plainContext } from './plain';
import type { ContextPlace } from './place';
import { type LoadedSession, type PartPlace, requestOf } from './session';
import { Sizes } from './sizes';

/** A piece of the context with what its row in an answer is made from. */
export interface SizedPiece {
  piece: SentPiece;
  /** Its part; of a made message the part it is told by. */
  part: PartPlace | undefined;
  state: ContextState;
  output: SentOutput | null;
  tokens: number;
  estimated: boolean;
}

/** A context worked out: what is sent with its sizes, and what has become of every part. */
export interface SizedContext {
  place: ContextPlace;
  view: ContextView;
  pieces: SizedPiece[];
  tokens: number;
  estimated: boolean;
}

/** Works out the context of a loaded session at a place. Pure; reads no body. */
export function sizedContext(session: LoadedSession, place: ContextPlace): SizedContext {
  const request = requestOf(session, place.branch, place.before);
  const view = session.store.context?.(request) ?? plainContext(request);
  const sizes = new Sizes(session, view.placeholders);
  const pieces = view.sent.map((piece): SizedPiece => {
    const part = partOf(session, piece);
    const state = piece.type === 'synthetic' ? piece.state : (view.records[piece.record]?.state ?? 'live');
    const output = piece.type === 'part' && part && hasOutput(part) ? piece.output : null;
    return { piece, part, state: stateOf(state, piece, part), output, ...sizes.of(piece, part) };
  });
  return { place, view, pieces, tokens: pieces.reduce((sum, { tokens }) => sum + tokens, 0), estimated: pieces.some(({ estimated }) => estimated) };
}

const hasOutput = (part: PartPlace): boolean => part.status !== null;

/** A record may hold several calls of which one is cleared: the piece knows. */
function stateOf(state: ContextState, piece: SentPiece, part: PartPlace | undefined): ContextState {
  if (piece.type !== 'part' || !part || !hasOutput(part)) return state;
  if (piece.output === 'cleared') return 'cleared';
  return state === 'cleared' ? 'live' : state;
}

/** The part of a piece: itself; of a made message the last part its record shows, which holds the words it is made of. */
function partOf(session: LoadedSession, piece: SentPiece): PartPlace | undefined {
  const record = piece.type === 'part' ? piece.record : piece.from;
  const parts = session.byRecord[record];
  return piece.type === 'part' ? parts?.find(({ block }) => block === piece.block) : parts?.at(-1);
}
