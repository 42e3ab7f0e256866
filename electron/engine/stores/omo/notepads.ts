import type { MemoryFileName } from '../store';
import { type Layout, layoutOf, twinOf } from './places';
import { planName } from './boulder';

/** A folder of notes: one plan's notepads, or the drafts of a project (FORMAT.md, "Where"). */
export interface NotesFolder {
  /** The folder OpenCode was opened in; empty where only the rest was named. */
  root: string;
  layout: Layout;
  kind: 'notepads' | 'drafts';
  /** Null for drafts: each is one plan's. */
  plan: string | null;
}

const inFolder = /^(?:(.*)\/)?(\.(?:omo|sisyphus)\/(?:notepads\/([^/]+)|drafts))$/s;

/** What a path names, with `/` between its steps; null for a folder that holds no notes. */
export function notesFolder(folder: string): NotesFolder | null {
  const [, root, tail, plan] = inFolder.exec(folder) ?? [];
  if (tail === undefined) return null;
  return { root: root ?? '', layout: layoutOf(tail), kind: plan === undefined ? 'drafts' : 'notepads', plan: plan ?? null };
}

/** A notepad or draft by its path, however Windows writes it. */
export function notesFile(path: string): MemoryFileName | null {
  const [, folder = '', name = ''] = /^(.*)\/([^/]+\.md)$/s.exec(path.replaceAll('\\', '/')) ?? [];
  return notesFolder(folder) ? { folder, name } : null;
}

/** The part of a folder's path that the plugin makes: calls may name it without what stands before. */
export const pluginPath = (folder: string): string => inFolder.exec(folder)?.[2] ?? folder;

/** A folder that a call named from the folder it ran in. */
export function placedIn(folder: string, directory: string | null): string {
  if (directory === null || folder.startsWith('/') || /^[a-z]:\//i.test(folder)) return folder;
  return `${directory.replaceAll('\\', '/').replace(/\/+$/, '')}/${folder}`;
}

/** The folder that the newer plugin copied this one from at its start (FORMAT.md, "Two layouts"). */
export function copiedFrom(folder: string): string | null {
  const tail = pluginPath(folder);
  return layoutOf(tail) === '.omo' ? `${folder.slice(0, folder.length - tail.length)}${twinOf(tail)}` : null;
}

/** The plan that a file of notes belongs to. */
export const planOfNotes = ({ plan }: NotesFolder, name: string | null): string | null => plan ?? (name === null ? null : planName(name));

/** A folder of notes that a shell command names; one behind `~`, a variable or `..` could be anywhere. */
export function notesInCommand(command: string): string | null {
  const named = /(?:^|[\s'"`=(<>])((?:(?:\/|[a-z]:[\\/]|\.[\\/])?(?:[^\s'"`=()<>$~;|&\\/]+[\\/])*)\.(?:omo|sisyphus)[\\/](?:notepads[\\/][^\s'"`=()<>$~;|&*\\/]+|drafts))(?![\w-])/i;
  const [, found] = named.exec(command) ?? [];
  const folder = found?.replaceAll('\\', '/').replace(/^\.\//, '');
  return folder === undefined || folder.split('/').includes('..') || !notesFolder(folder) ? null : folder;
}

/** The head that `/start-work` gives each notepad (FORMAT.md, "Notepads"); empty where the text has none. */
export const scaffoldOf = (text: string): string =>
  /^# [^\r\n]+\r?\n\r?\n[^\r\n]+\r?\n\r?\n_Auto-scaffolded by \/start-work\.[^\r\n]*_\r?\n\r?\n---(?:\r?\n|$)/.exec(text)?.[0] ?? '';
