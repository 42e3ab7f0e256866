import { isAbsolute, relative, resolve, sep } from 'node:path';
import { isSafePath } from '../../diff/patch-writer';
import { Refused } from '../refused';

/** Where a file of a plan lies: the folder it may not leave, the folders between, and its own name. */
export interface Place {
  path: string;
  within: string;
  /** From `within` to the file's folder. */
  folders: string[];
  name: string;
}

/** Bytes of a name that every file system takes, less what a name beside it adds. */
const nameBytes = 220;
/** Devices of Windows, whatever stands behind the dot. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Takes a path apart. What is not a plain path inside `within` is refused by name, before anything is looked at. */
export function placeOf(path: string, within: string): Place {
  const refuse = (reason: string): never => {
    throw new Refused(`${printable(path)} ${reason}.`);
  };
  if (path.includes('\0') || within.includes('\0')) refuse('has a NUL in its name');
  if (!isAbsolute(path) || !isAbsolute(within) || resolve(path) !== path) refuse('is no plain absolute path');
  const steps = relative(within, path).split(sep);
  if (isAbsolute(relative(within, path)) || steps.includes('..') || steps[0] === '') refuse(`lies outside ${printable(within)}`);
  if (!isSafePath(steps.join('/'))) refuse('has a name that is not written to (.git, in whatever spelling, is none of the project’s files)');
  for (const step of steps) {
    if (Buffer.byteLength(step) > nameBytes) refuse(`has a name longer than ${nameBytes} bytes`);
    if (process.platform === 'win32' && (device.test(step) || /[<>:"|?*\u0000-\u001f]|[. ]$/.test(step))) refuse('has a name that Windows does not take');
  }
  return { path, within, folders: steps.slice(0, -1), name: steps.at(-1) as string };
}

/** Names that a file system may take for one: case, and how accents are put together, are not told apart everywhere. */
export const foldedPath = (path: string): string => path.normalize('NFC').toLowerCase().normalize('NFC');

/** A path in a sentence: without what a terminal or a page would obey. */
const printable = (path: string): string => path.slice(0, 300).replace(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '\uFFFD');
