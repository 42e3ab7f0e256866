const plain = /^[\w@%+=:,./-]+$/;

/** A word as a POSIX shell takes it: quoted where it is not plain. */
export const shellWord = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
