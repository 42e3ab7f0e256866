import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment, StoreLocation } from '../store';
import { namesIn } from '../foreign/names';
import { databaseName, firstLayouts, nameDatabase } from './places';

/**
 * Where OpenCode keeps its data (FORMAT.md, "Where"): the same on every platform, since it asks XDG and nothing else.
 * `OPENCODE_DB` may put the database elsewhere; relative it lies in the data folder.
 */
export function locate({ home, variables, added }: Environment): StoreLocation[] {
  const data = variables['XDG_DATA_HOME'];
  const usual: StoreLocation = data && isAbsolute(data)
    ? { agent: 'opencode', folder: join(data, 'opencode'), origin: 'environment' }
    : { agent: 'opencode', folder: join(home, '.local', 'share', 'opencode'), origin: 'default' };
  const locations = [usual];
  const database = variables['OPENCODE_DB'];
  if (database && database !== ':memory:') {
    const file = resolve(usual.folder, database);
    nameDatabase(dirname(file), file);
    locations.push({ agent: 'opencode', folder: dirname(file), origin: 'environment' });
  }
  for (const folder of added) if (isDataFolder(folder)) locations.push({ agent: 'opencode', folder: resolve(folder), origin: 'added' });
  return locations.filter(({ folder }, index) => locations.findIndex((other) => other.folder === folder) === index);
}

function isDataFolder(folder: string): boolean {
  return (
    namesIn(folder).some((name) => databaseName.test(name)) ||
    ['session', 'message'].some((name) => existsSync(join(folder, 'storage', name))) ||
    firstLayouts(folder).some((name) => existsSync(join(folder, 'project', name, 'storage', 'session', 'info')))
  );
}
