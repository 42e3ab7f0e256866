/** Names that are told one by one; the rest is counted. */
const named = 5;

export const grouped = new Intl.NumberFormat('en-US');
/** `1 file`, `2 files`. */
export const count = (number: number, one: string, many = `${one}s`): string => `${grouped.format(number)} ${number === 1 ? one : many}`;

/** Names, the first few of them. */
export function listed(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, named);
  return shown.join(', ') + (total > shown.length ? ` and ${grouped.format(total - shown.length)} more` : '');
}
