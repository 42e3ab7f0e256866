import { basename, join } from 'node:path';
import { nativeId, type NativeId } from '@shared/model';
import { namesIn, type Refused } from '../foreign/names';

/** Where sessions lie in a data folder (FORMAT.md, "Where"): databases, and two layouts of JSON files. */
export interface Place {
  layout: 'database' | 'second' | 'first';
  /** Path of the database or folder relative to the data folder, with `/`: what people are told, and how its sources' keys begin. */
  name: string;
}

/** Which layout wins when one session is in several: the newest. */
export const rankOf = { database: 0, second: 1, first: 2 } as const;

export const sourceKey = (place: Place, session: string): string => `${place.name}/${session}`;

/** The session a source belongs to; null for a database as a whole and for saved tool output. */
export function sessionOf(source: string): NativeId | null {
  const inFiles = /^(?:storage|project\/[^/]+)\/([^/]+)$/.exec(source);
  const inDatabase = /^(?!storage\/|project\/|tool-output\/)[^/]+\/(.+)$/s.exec(source);
  const id = inFiles?.[1] ?? inDatabase?.[1];
  return id === undefined ? null : nativeId(id);
}

/** The place a source lies in, as its key tells. */
export function placeOf(source: string): Place {
  const [first = '', second = ''] = source.split('/');
  if (first === 'storage') return { layout: 'second', name: first };
  return first === 'project' ? { layout: 'first', name: `${first}/${second}` } : { layout: 'database', name: first };
}

/** Saved tool output: whole files, kept in the log because the program deletes them after seven days. */
export const outputFolder = 'tool-output';

export const databaseName = /^opencode.*\.db$/;

/**
 * Database files named by `OPENCODE_DB`, by folder. They may have any name, and a location is only a folder; other
 * files of such a folder are nobody's business.
 */
const named = new Map<string, Set<string>>();

export function nameDatabase(folder: string, file: string): void {
  named.set(folder, (named.get(folder) ?? new Set()).add(basename(file)));
}

/** Database files of a data folder, the program's usual one first. */
export function databasesOf(folder: string): string[] {
  const wanted = named.get(folder);
  return namesIn(folder)
    .filter((name) => databaseName.test(name) || wanted?.has(name))
    .sort((a, b) => Number(b === 'opencode.db') - Number(a === 'opencode.db') || (a < b ? -1 : 1));
}

/** Folders of the first layout: `project/<name>/storage`. */
export const firstLayouts = (folder: string, refused?: Refused): string[] => namesIn(join(folder, 'project'), refused).sort();
