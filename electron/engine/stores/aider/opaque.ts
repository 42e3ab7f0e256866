/** What stands open in an answer: inside it, lines that look like prompts or program messages are examples. JSON by its shape. */
export type Opaque = {
  /** The open code fence: its mark, as often as it was written. */
  fence: string | null;
  /** Between `<<<<<<< SEARCH` and `>>>>>>> REPLACE` everything is the text of a file, fences too. */
  search: boolean;
};

export const nothingOpen: Opaque = { fence: null, search: false };

export const isOpen = (opaque: Opaque): boolean => opaque.fence !== null || opaque.search;

const searchBegins = /^\s*<{5,9} (?:SEARCH|ORIGINAL)\s*$/;
const searchEnds = /^\s*>{5,9} (?:REPLACE|UPDATED)\s*$/;
const fenceMark = /^\s*(`{3,}|~{3,})(.*)$/;

/** What stands open after one more line of the answer. */
export function afterLine(opaque: Opaque, text: string): Opaque {
  if (opaque.search) return searchEnds.test(text) ? { ...opaque, search: false } : opaque;
  if (searchBegins.test(text)) return { ...opaque, search: true };
  const [, mark = '', rest = ''] = fenceMark.exec(text) ?? [];
  if (mark === '') return opaque;
  if (opaque.fence === null) {
    // Back quotes behind the mark make it code inside a line, not a fence.
    return mark.startsWith('`') && rest.includes('`') ? opaque : { ...opaque, fence: mark };
  }
  const closes = mark.startsWith(opaque.fence) && rest.trim() === '';
  return closes ? { ...opaque, fence: null } : opaque;
}
