import { plainLine } from './plain-text';

export interface Snippet {
  /** One line, safe to print. */
  text: string;
  /** Where matches stand in it: from, to (exclusive), in UTF-16 code units. */
  marks: [number, number][];
}

/** Takes the marks U+0001 and U+0002 out of a snippet and says where they stood. */
export function snippetOf(marked: string): Snippet {
  let text = '';
  const marks: [number, number][] = [];
  for (const [at, piece] of marked.split(/[\u0001\u0002]/).entries()) {
    // Cleaned piece by piece, so that the marks stay where they were; spaces at its ends belong to it.
    const clean = plainLine(`|${piece}|`).slice(1, -1);
    if (at % 2 === 1) marks.push([text.length, text.length + clean.length]);
    text += clean;
  }
  return { text, marks };
}
