import type { JournalEntry } from '@shared/model';
import { shellWord } from '@shared/shell-word';
import { shell } from '../../shell';

const windowsWord = (word: string): string => (/^[\w@+=:,.\\/-]+$/.test(word) ? word : `"${word.replaceAll('"', '')}"`);

/** The command as a person types it: to the folder first, where one is recorded. */
export function commandText({ argv, cwd }: NonNullable<JournalEntry['resume']>, isWindows = shell?.platform === 'win32'): string {
  const word = isWindows ? windowsWord : shellWord;
  const command = argv.map(word).join(' ');
  return cwd === null ? command : isWindows ? `cd /d ${word(cwd)} && ${command}` : `cd ${word(cwd)} && ${command}`;
}
