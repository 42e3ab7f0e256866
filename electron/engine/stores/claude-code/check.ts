import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreLocation } from '../store';
import { namesIn } from '../foreign/names';
import { count, listed } from '../foreign/said';
import { isEntry, listOf, nameOf } from './entry';

/** Some releases keep a list of a project's sessions beside the transcripts. */
const listName = 'sessions-index.json';
/** Bytes of such a list that is read; a larger one is named and not compared. */
const listLimit = 16 * 1024 * 1024;

/** The lists of sessions against the transcripts beside them. Transcripts are listed, not opened. */
export function check({ folder }: StoreLocation): string[] {
  const missing: string[] = [];
  const unlisted: string[] = [];
  const unread: string[] = [];
  for (const project of namesIn(join(folder, 'projects')).sort()) {
    const place = `projects/${project}`;
    const ids = listedIn(join(folder, place, listName));
    if (ids === 'none') continue;
    if (ids === 'unread') {
      unread.push(`${place}/${listName}`);
      continue;
    }
    const transcripts = new Set(transcriptsIn(join(folder, place)));
    missing.push(...[...ids].filter((id) => !transcripts.has(id)).map((id) => `${place}/${id}`));
    unlisted.push(...[...transcripts].filter((id) => !ids.has(id)).map((id) => `${place}/${id}`));
  }
  return [
    ...(missing.length > 0 ? [`${count(missing.length, 'session')} named in ${listName} ${missing.length === 1 ? 'has' : 'have'} no transcript: ${listed(missing)}.`] : []),
    ...(unlisted.length > 0 ? [`${count(unlisted.length, 'transcript')} ${unlisted.length === 1 ? 'is' : 'are'} not named in the ${listName} beside ${unlisted.length === 1 ? 'it' : 'them'}: ${listed(unlisted)}.`] : []),
    ...(unread.length > 0 ? [`${count(unread.length, 'list')} of sessions could not be compared (no JSON, too large, or not to be read): ${listed(unread)}.`] : []),
  ];
}

function listedIn(file: string): Set<string> | 'none' | 'unread' {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return 'none';
    const list: unknown = stat.isFile() && stat.size <= listLimit ? JSON.parse(readFileSync(file, 'utf8')) : null;
    if (!isEntry(list) || !Array.isArray(list['entries'])) return 'unread';
    return new Set(listOf(list['entries']).flatMap((entry) => (isEntry(entry) ? [nameOf(entry['sessionId'])] : [])).filter((id) => id !== null));
  } catch (error) {
    // A file in the place of a project's folder holds no list.
    return error instanceof Error && 'code' in error && error.code === 'ENOTDIR' ? 'none' : 'unread';
  }
}

function transcriptsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^(?!agent-).+\.jsonl$/.test(name)).map((name) => name.slice(0, -6));
}
