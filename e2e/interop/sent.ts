import { expect } from 'vitest';
import type { Conversation, Piece } from './mock/script';

/** Expects that a program, when it went on, sent what Retrace had said it would, and then the new prompt. */
export function expectSent(turns: readonly Conversation[], said: readonly Piece[], prompt: string): void {
  const [turn] = turns;
  if (!turn) throw new Error('the program sent nothing to the model');
  const end = turn.pieces.findLastIndex((piece) => piece.startsWith('user ') && piece.includes(prompt));
  expect(end, 'the new prompt is sent').toBeGreaterThanOrEqual(0);
  const ours = joined(said);
  const theirs = joined(turn.pieces.slice(0, end));
  // What a program tells of the place it works in, it may tell again before the new prompt.
  const again = theirs.slice(ours.length).filter((piece) => !/^(system |user <environment_context>)/.test(piece));
  expect(theirs.slice(0, ours.length).map((piece, at) => (agree(piece, ours[at] ?? '') ? ours[at] : piece))).toEqual(ours);
  expect(again, 'sent beyond what Retrace said').toEqual([]);
}

/** Stretches of what the program itself tells are one piece: it packs them as it likes, in tags of its own. */
function joined(pieces: readonly Piece[]): Piece[] {
  const list: Piece[] = [];
  for (const piece of pieces.map(bare)) {
    const last = list.at(-1);
    if (piece === null) continue;
    if (piece.startsWith('system ') && last?.startsWith('system ')) list[list.length - 1] = `${last} ${piece.slice('system '.length)}`;
    else list.push(piece);
  }
  return list;
}

function bare(piece: Piece): Piece | null {
  if (piece.startsWith('system ')) return piece.replace(/<\/?system-reminder>/g, '').replace(/\s+/g, ' ').trim();
  // Of the same kind, but sent in the person's name.
  if (/^user <system-reminder>[\s\S]*<\/system-reminder>\s*$/.test(piece)) return null;
  return piece.trimEnd();
}

/** Of a call Retrace's context names the tool; of an output it has the text without the lines that a program puts before it. */
function agree(theirs: Piece, ours: Piece): boolean {
  if (ours.startsWith('call ')) return theirs === ours || theirs.startsWith(`${ours} `);
  if (ours.startsWith('output ')) return theirs.startsWith('output ') && theirs.endsWith(ours.slice('output '.length));
  return theirs === ours;
}
