import type { StoreLocation } from '../store';
import { asFilledText, asNumber } from '../foreign/fields';
import { count, listed } from '../foreign/said';
import { nameList, readNames } from './lists';
import { listRollouts } from './listing';
import { rolloutName } from './names';
import { readTables, type ThreadRow } from './tables';

/** Codex's own indexes against its rollouts, each difference named (FORMAT.md, "Thread table"). Rollouts are listed, not opened. */
export function check({ folder }: StoreLocation): string[] {
  const { files, closed } = listRollouts(folder);
  const tables = readTables(folder);
  // What may not be looked at is neither there nor missing; the survey names it.
  if (closed || tables.refused) return [];
  const places = new Map<string, { place: string; archived: boolean }[]>();
  for (const { key, place, archived } of files.values()) {
    const thread = rolloutName(key)?.thread;
    if (thread !== undefined) places.set(thread, [...(places.get(thread) ?? []), { place, archived }]);
  }
  const rows = [...tables.rows].map(([thread, [row]]) => ({ thread, row: row as ThreadRow }));
  const [table = 'the thread table'] = tables.names;
  const without = rows.filter(({ thread }) => !places.has(thread)).map(({ thread }) => thread);
  const unlisted = tables.names.length === 0 ? [] : [...places.keys()].filter((thread) => !tables.rows.has(thread));
  const elsewhere = rows.filter(({ thread, row }) => isElsewhere(row, places.get(thread))).map(({ thread }) => thread);
  const archives = rows.filter(({ thread, row }) => disagrees(row, places.get(thread))).map(({ thread }) => thread);
  const names = [...readNames(folder).keys()].filter((thread) => !places.has(thread) && !tables.rows.has(thread));
  return [
    say(without, 'thread', (what, are) => `${what} of ${table} ${are} without a rollout`),
    say(unlisted, 'thread', (what, are) => `${what} with a rollout ${are} not in ${table}`),
    say(elsewhere, 'thread', (what, are) => `${what} of ${table} ${are} said to lie in a file that is not there, though ${are === 'is' ? 'it has' : 'they have'} a rollout`),
    say(archives, 'thread', (what, are) => `${what} ${are} archived by ${table} or by ${are === 'is' ? 'its' : 'their'} folder, not by both`),
    say(names, 'name', (what, are) => `${what} in ${nameList} ${are} of threads that have neither a rollout nor a row`),
  ].flat();
}

function say(threads: string[], noun: string, sentence: (what: string, are: 'is' | 'are') => string): string[] {
  return threads.length === 0 ? [] : [`${sentence(count(threads.length, noun), threads.length === 1 ? 'is' : 'are')}: ${listed([...threads].sort())}.`];
}

/** A packed rollout has `.zst` behind the name its row gives. */
function isElsewhere({ columns }: ThreadRow, files: { place: string }[] | undefined): boolean {
  const path = asFilledText(columns['rollout_path'])?.replaceAll('\\', '/').replace(/\.zst$/, '');
  return files !== undefined && path !== undefined && !files.some(({ place }) => path.endsWith(`/${place.replace(/\.zst$/, '')}`));
}

function disagrees({ columns }: ThreadRow, files: { archived: boolean }[] | undefined): boolean {
  const archived = asNumber(columns['archived']);
  return files !== undefined && archived !== null && (archived === 1) !== files.every((file) => file.archived);
}
