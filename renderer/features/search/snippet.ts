/** A piece of a snippet; `hit` stood between U+0001 and U+0002. */
export interface Piece {
  text: string;
  hit: boolean;
}

/** Cuts a snippet at its marks. Marks that do not pair end with the text; nothing in it is ever HTML. */
export function piecesOf(snippet: string): Piece[] {
  const pieces: Piece[] = [];
  let hit = false;
  // oxlint-disable-next-line no-control-regex -- the contract marks hits with control characters
  for (const text of snippet.split(/([\u0001\u0002])/)) {
    if (text === '\u0001') hit = true;
    else if (text === '\u0002') hit = false;
    else if (text !== '') pieces.push({ text, hit });
  }
  return pieces;
}

/** The words that were found, for marking them where they stand. */
export function foundWords(snippet: string): string[] {
  return [...new Set(piecesOf(snippet).filter((piece) => piece.hit).map((piece) => piece.text.toLowerCase()))];
}
