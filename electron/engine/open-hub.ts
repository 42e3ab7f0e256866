import { existsSync, readdirSync } from 'node:fs';
import { startEngine } from './engine';
import { Hub } from './hub/hub';
import { boundsOf } from './indexing/environment';
import { IndexerThread } from './indexing/thread';
import { ForeignPlaceError, refuseForeignFile, refuseStoreFolder } from './library/ownership';
import { libraryFile } from './library/place';
import type { EngineOptions } from './options';
import { stores } from './stores';

/** The hub of the library that the options name, with an indexing thread when its engine runs here. `idle`: it reads nothing until it is asked to. */
export function openHub(options: EngineOptions, home: string, { watch, idle = false }: { watch: boolean; idle?: boolean }): Hub {
  const file = libraryFile(options, home, process.platform, process.env);
  return new Hub(file, (emit) =>
    startEngine(
      {
        file, home: options.home ?? home, stores, idle, bounds: boundsOf(options),
        index: options.noIndex ? null : (events) => new IndexerThread({ file, options, home, watch }, events),
      },
      emit,
    ),
    () => refusePlaces(options, home),
  );
}

/** Refuses what the options name and cannot be: a home that is not there, a library in a place of something else. */
export function refusePlaces(options: EngineOptions, home: string): void {
  if (options.home !== undefined && !isFolder(options.home)) throw new ForeignPlaceError(`${options.home} is not a folder that can be read: --home names a home.`);
  for (const place of options.add ?? []) if (!existsSync(place)) throw new ForeignPlaceError(`There is nothing at ${place}: --add names a folder or a history.`);
  const file = libraryFile(options, home, process.platform, process.env);
  refuseForeignFile(file);
  const environment = { home: options.home ?? home, platform: process.platform, variables: options.home === undefined ? process.env : {}, added: [] };
  // A store of single files in a folder of something else (Aider's in a project) has no folder of its own.
  const folders = stores.flatMap((store) => store.locate(environment)).filter(({ files }) => files === undefined);
  refuseStoreFolder(file, folders.map(({ folder }) => folder));
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}
