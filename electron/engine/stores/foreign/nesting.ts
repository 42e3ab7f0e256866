/** Levels of a JSON value beyond which nothing of it can be written out again, searched or shown. */
const nestingLimit = 2_000;

/** Whether a parsed value is nested deeper than the limit. Walks without recursion, since that is what deep nesting breaks. */
export function isTooDeep(value: unknown, limit = nestingLimit): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limit) return true;
    const below: object[] = [];
    for (const item of level) for (const child of Object.values(item) as unknown[]) if (typeof child === 'object' && child !== null) below.push(child);
    level = below;
  }
  return false;
}

/** Bytes below which a text cannot hold so many levels: each takes two brackets. */
export const mayBeTooDeep = (bytes: number): boolean => bytes > 2 * nestingLimit;

/** What is said of a record that is nested too deeply. */
export const tooDeepReason = `nested deeper than ${nestingLimit.toLocaleString('en-US')} levels: what lies that deep is not shown`;
