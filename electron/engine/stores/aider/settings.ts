import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of a settings file that are looked at; a person writes far fewer. */
const settingsLimit = 1024 * 1024;

function textOf(path: string): string {
  try {
    const bytes = readFileSync(path);
    return bytes.length > settingsLimit ? '' : bytes.toString('utf8');
  } catch {
    return '';
  }
}

export const settingsNames = ['.env', '.aider.conf.yml'];

/**
 * Where a folder's settings put the chat history (FORMAT.md, "Where"); null when they do not say. Of `.aider.conf.yml` and `.env` this
 * one line is looked for, and nothing else in them is kept: both may hold keys.
 */
export function chatHistorySetting(folder: string): string | null {
  return inEnv(textOf(join(folder, '.env'))) ?? inYaml(textOf(join(folder, '.aider.conf.yml')));
}

/** A key at the left margin with a plain or quoted scalar is all the program's own template has. */
const inYaml = (text: string): string | null => unquoted(/^chat-history-file[ \t]*:[ \t]*(.*)$/m.exec(text)?.[1]);

const inEnv = (text: string): string | null => unquoted(/^(?:export[ \t]+)?AIDER_CHAT_HISTORY_FILE[ \t]*=[ \t]*(.*)$/m.exec(text)?.[1]);

function unquoted(value: string | undefined): string | null {
  const text = value?.trim() ?? '';
  const [, , inside] = /^(["'])(.*?)\1/.exec(text) ?? [];
  const plain = inside ?? text.replace(/(?:^|\s)#.*$/, '').trim();
  return plain === '' || plain === 'null' || plain === '~' ? null : plain;
}
