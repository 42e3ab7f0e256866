/**
 * Terminal sequences in tool output: colours, cursor moves, window titles, links. The page shows the text without them.
 * Two forms: `ESC [ … letter` (also as the single character U+009B) and `ESC ] … BEL` or `ESC ] … ESC \`; any other
 * escape is two characters. Each form is bounded, so that a stray escape cannot swallow the text after it.
 */
// oxlint-disable-next-line no-control-regex -- escapes are what is looked for
const sequence = /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|\u001b[ -/]{0,4}[0-~]/g;

/** A terminal shows what was written last over a line: progress bars use a bare return for that. */
const overwritten = /[^\n\r]*\r(?!\n|$)/gm;

export function stripTerminal(text: string): string {
  const plain = text.includes('\u001b') || text.includes('\u009b') ? text.replace(sequence, '') : text;
  return plain.includes('\r') ? plain.replace(/\r+\n/g, '\n').replace(overwritten, '') : plain;
}
