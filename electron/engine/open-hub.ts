import { startEngine } from './engine';
import { Hub } from './hub/hub';
import { IndexerThread } from './indexing/thread';
import { libraryFile } from './library/place';
import type { EngineOptions } from './options';
import { stores } from './stores';

/** The hub of the library that the options name, with an indexing thread when its engine runs here. `idle`: it reads nothing until it is asked to. */
export function openHub(options: EngineOptions, home: string, { watch, idle = false }: { watch: boolean; idle?: boolean }): Hub {
  const file = libraryFile(options, home, process.platform, process.env);
  return new Hub(file, (emit) =>
    startEngine(
      {
        file, home: options.home ?? home, stores, idle,
        index: options.noIndex ? null : (events) => new IndexerThread({ file, options, home, watch }, events),
      },
      emit,
    ),
  );
}
