/** One line of at most 200 characters; looks at no more than the beginning of a long text. */
export function oneLine(text: string): string {
  const folded = text.slice(0, 2_000).replace(/\s+/g, ' ').trim();
  return folded.length <= 200 ? folded : `${folded.slice(0, 199).replace(/[\ud800-\udbff]$/, '')}…`;
}
