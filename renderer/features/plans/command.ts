import type { JournalEntry } from '@shared/model';
import { shell } from '../../shell';

const plain = /^[\w@%+=:,./-]+$/;

/** A word as a shell takes it: quoted where it is not plain. */
const posixWord = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
const windowsWord = (word: string): string => (/^[\w@+=:,.\\/-]+$/.test(word) ? word : `"${word.replaceAll('"', '')}"`);

/** The command as a person types it: to the folder first, where one is recorded. */
export function commandText({ argv, cwd }: NonNullable<JournalEntry['resume']>, isWindows = shell?.platform === 'win32'): string {
  const word = isWindows ? windowsWord : posixWord;
  const command = argv.map(word).join(' ');
  return cwd === null ? command : isWindows ? `cd /d ${word(cwd)} && ${command}` : `cd ${word(cwd)} && ${command}`;
}
