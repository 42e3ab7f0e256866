import type { MemoryCall, MemoryFile, MemoryFolder, MemoryMark } from '@shared/model';
import { countOf, formatBytes, formatCount } from '../../ui/format';

/** Words of the page for what is remembered beyond sessions. */

export const actWords: Record<MemoryCall['act'], string> = { write: 'wrote', edit: 'edited', read: 'read', shell: 'ran a command that names the folder' };

export const markWords: Record<MemoryMark, string> = { rewound: 'turn rewound', 'session gone': 'session gone' };
export const markSentences: Record<MemoryMark, string> = {
  rewound: 'The conversation went back to before the turn that wrote this; what it wrote stayed.',
  'session gone': 'The agent has deleted the session that wrote this; the library keeps it.',
};

export const kindWords: Record<MemoryFolder['kind'], string> = { 'auto memory': 'Memory', notepads: 'Notepads', drafts: 'Drafts of plans' };

/** Size of a file and what of it is put before the model at start. */
export function sizeWords({ state, lines, bytes, versions }: MemoryFile): string {
  if (state === 'never read') return 'never read: it was gone when the library looked';
  return [...(lines === null ? [] : [countOf(lines, 'line')]), formatBytes(bytes), ...(versions > 1 ? [`${countOf(versions, 'version')} kept`] : [])].join(', ');
}

export function loadedWords({ role, loaded, lines, state }: MemoryFile): string {
  if (state === 'gone') return 'deleted; this is its last text';
  if (role === 'notepad' || role === 'draft') return 'not loaded at start: the plugin tells its agents to read it';
  if (role === 'topic') return 'not loaded at start: the model reads it when it needs it';
  if (loaded === null || lines === null) return '';
  return loaded.limit === null ? 'all of it is loaded at start' : `${formatCount(loaded.lines)} of ${countOf(lines, 'line')} are loaded at start`;
}

/** What the line in the text says where loading stops. */
export function stopWords(loaded: NonNullable<MemoryFile['loaded']>, lines: number): string {
  const rest = lines - loaded.lines;
  const limit = loaded.limit === 'bytes' ? '25,000 bytes' : '200 lines';
  return `Loading stops here, after ${limit}: ${rest === 1 ? 'the last line is' : `the ${formatCount(rest)} lines below are`} not put before the model at start`;
}
