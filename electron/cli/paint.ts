import { styleText } from 'node:util';
import type { Surroundings } from './surroundings';

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
/** Colours a text, or leaves it as it is where colours do not belong. */
export type Paint = (style: Style, text: string) => string;

/** Colours only for a terminal, and not for a person who does not want them (https://no-color.org). */
export function paintFor({ stdout, variables }: Pick<Surroundings, 'stdout' | 'variables'>): Paint {
  const coloured = stdout.isTTY === true && !variables['NO_COLOR'] && variables['TERM'] !== 'dumb';
  return coloured ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}
