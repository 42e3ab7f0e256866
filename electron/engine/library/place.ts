import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EngineOptions } from '../options';

/**
 * Where the library lies: the platform's folder for data, or where `--library` says. Another home has a library of
 * its own, which is never kept inside that home.
 */
export function libraryFile(options: EngineOptions, home: string, platform: NodeJS.Platform, variables: Record<string, string | undefined>): string {
  if (options.library !== undefined) return options.library;
  const folder = join(dataFolder(home, platform, variables), 'retrace');
  if (options.home === undefined) return join(folder, 'library.db');
  return join(folder, 'homes', createHash('sha256').update(options.home).digest('hex').slice(0, 16), 'library.db');
}

/** Where locks on stores are taken: one place for all libraries of a user, outside of every store. */
export const lockFolder = (home: string, platform: NodeJS.Platform, variables: Record<string, string | undefined>): string => join(dataFolder(home, platform, variables), 'retrace', 'locks');

function dataFolder(home: string, platform: NodeJS.Platform, variables: Record<string, string | undefined>): string {
  if (platform === 'win32') return variables['LOCALAPPDATA'] || join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return variables['XDG_DATA_HOME'] || join(home, '.local', 'share');
}
