import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { stampOf } from '../foreign/stamps';
import type { Environment, StoreLocation, WatchSpec } from '../store';
import { keyOfName } from './names';

/** `CODEX_HOME`, else `~/.codex`; a folder the person added counts when it is such a home or holds one (FORMAT.md, "Files"). */
export function locate(environment: Environment): StoreLocation[] {
  const configured = environment.variables['CODEX_HOME'];
  const found: StoreLocation[] = [];
  const add = (folder: string, origin: StoreLocation['origin']) => {
    if (found.some((location) => location.folder === folder)) return;
    found.push({ agent: 'codex', folder, origin });
    placeTables(folder, environment);
  };
  if (configured) add(resolve(environment.home, configured), 'environment');
  else add(join(environment.home, '.codex'), 'default');
  for (const folder of environment.added) {
    const root = [resolve(folder), join(resolve(folder), '.codex')].find(looksLikeHome);
    if (root !== undefined) add(root, 'added');
  }
  return found;
}

/** A folder called `sessions` is common; ours holds rollouts, dated or flat, or a thread table lies beside it. */
function looksLikeHome(folder: string): boolean {
  const names = namesIn(folder);
  if (names.some((name) => tableName.test(name))) return true;
  return names.includes('archived_sessions') || (names.includes('sessions') && holdsRollouts(join(folder, 'sessions'), 4));
}

function holdsRollouts(folder: string, depth: number): boolean {
  const names = namesIn(folder);
  if (names.some((name) => keyOfName(name) !== null)) return true;
  return depth > 1 && names.filter((name) => /^\d{1,4}$/.test(name)).some((name) => holdsRollouts(join(folder, name), depth - 1));
}

export const tableName = /^state_(\d+)\.sqlite$/;

/**
 * Homes whose tables lie elsewhere: `CODEX_SQLITE_HOME` or `sqlite_home` of the configuration moves all databases.
 * A location is only a folder, so this is remembered here.
 */
const tablesElsewhere = new Map<string, string>();

function placeTables(folder: string, { variables, home }: Environment): void {
  tablesElsewhere.delete(folder);
  const wanted = variables['CODEX_SQLITE_HOME'] ?? configuredTables(folder);
  if (!wanted) return;
  const target = isAbsolute(wanted) ? wanted : resolve(folder, wanted);
  // A home given by hand comes without variables; nothing outside it is read then.
  const mayLeave = Object.keys(variables).length > 0;
  if (mayLeave || isInside(target, home)) tablesElsewhere.set(folder, target);
}

export const tablesFolder = (folder: string): string => tablesElsewhere.get(folder) ?? folder;

/** What each configuration said, with the state its file had then: every look at the stores asks, and an unchanged file is not opened again. */
const configurations = new Map<string, { stamp: string | null; tables: string | undefined }>();

function configuredTables(folder: string): string | undefined {
  const file = join(folder, 'config.toml');
  const stamp = stampOf(file);
  const known = configurations.get(file);
  if (known && known.stamp === stamp) return known.tables;
  const tables = stamp === null ? undefined : tablesNamedIn(file);
  configurations.set(file, { stamp, tables });
  return tables;
}

/** `sqlite_home = "…"` above the first table of config.toml. Escapes inside the text are not understood. */
function tablesNamedIn(file: string): string | undefined {
  try {
    const top = readFileSync(file, 'utf8').split(/^\s*\[/m)[0] ?? '';
    const found = /^\s*sqlite_home\s*=\s*(?:"([^"\\]+)"|'([^']+)')/m.exec(top);
    return found?.[1] ?? found?.[2];
  } catch {
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

/** Names in a folder; none when it is not there or may not be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Rollouts, and the home itself for tables and lists. Locks, logs and what SQLite puts beside a database never matter. */
export function watch(location: StoreLocation): WatchSpec {
  const folders = [join(location.folder, 'sessions'), join(location.folder, 'archived_sessions'), tablesFolder(location.folder)];
  const wanted = folders.includes(location.folder) ? folders : [...folders, location.folder];
  return {
    folders: wanted.filter((folder) => folder === location.folder || existsSync(folder)),
    ignore: /(-shm|\.lock|\.tmp|\.log|~)$|(^|[\\/])(log|tmp|cache|worktrees|skills|thread-writer-locks)([\\/]|$)|(^|[\\/])(logs|goals|queue|memories|thread_history)_\d+\.sqlite/,
  };
}
