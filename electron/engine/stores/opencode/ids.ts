/**
 * Ids are `prefix_`, 12 hex digits and 14 random characters. The digits are the low 48 bits of `ms × 4096 + counter`,
 * inverted for sessions, so the time in them wraps every 2^36 ms (FORMAT.md, "Ids"). Ids of imported files may look
 * otherwise; then there is no time in them.
 */
const wrap = 2 ** 36;

/** When an id was made, in ms since 1970: of the possible times the one nearest to `near`. */
export function timeOfId(id: string, near: number): number | null {
  const digits = /^([a-z]+)_([0-9a-f]{9})[0-9a-f]{3}/.exec(id);
  if (!digits) return null;
  const low = Number.parseInt(digits[2] as string, 16);
  const time = digits[1] === 'ses' ? wrap - 1 - low : low;
  return time + Math.round((near - time) / wrap) * wrap;
}

/** Ids become file names in the JSON layouts; anything else must not lead out of its folder. */
export const isPlainId = (id: string): boolean => /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(id);
