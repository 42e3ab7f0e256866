import type { PartFact } from '../store';
import { isEntry, oneLine } from './entry';

/** Stands in the title of a part whose content no reader knows; `project` counts by it. */
const mark = 'unknown content: ';

/** Content of a shape that no reader knows: a notice that shows it raw. The model may or may not get it. */
export function strangePart(block: number, what: string): PartFact {
  return { block, kind: 'notice', title: oneLine(`${mark}${what}`), text: null, size: 0, injected: true };
}

/** Says what a value is that should have been a content block. */
export const shapeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : isEntry(value) ? (typeof value['type'] === 'string' ? value['type'] : 'an object without a type') : value === undefined ? 'none' : `a ${typeof value}`;

/** What is unknown in a part, as it is counted; null for a part that is understood. */
export const strangeIn = (part: PartFact): string | null => (part.kind === 'notice' && part.title?.startsWith(mark) === true ? part.title.slice(mark.length) : null);
