import { parentPort, workerData } from 'node:worker_threads';
import { Indexer } from './indexing/indexer';
import type { FromThread, IndexingSetup, ToThread } from './indexing/indexing';
import { readStores } from './stores';

/** Entry of the indexing thread: the engine stays free to answer while the library is brought up to date. */
if (!parentPort) throw new Error('The indexer runs in a thread of the engine.');
const port = parentPort;
const post = (message: FromThread) => port.postMessage(message);

const indexer = new Indexer(workerData as IndexingSetup, readStores, {
  progress: (progress) => post({ type: 'progress', progress }),
  changed: (revision, sessions) => post({ type: 'changed', revision, sessions }),
  compaction: (progress) => post({ type: 'compaction', progress }),
});

const fails = (run: number) => (error: unknown) =>
  post({ type: 'failed', run, message: error instanceof Error ? error.message : String(error), stack: error instanceof Error ? error.stack : undefined });

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'run':
      indexer.run().then((outcome) => post({ type: 'done', run: message.run, outcome }), fails(message.run));
      return;
    case 'examine':
      indexer.examine().then((examination) => post({ type: 'examined', run: message.run, examination }), fails(message.run));
      return;
    case 'keep':
      indexer.keep(message.act).then((answer) => post({ type: 'kept', run: message.run, answer }), fails(message.run));
      return;
    case 'cancel keeping':
      indexer.cancelKeeping();
      return;
    case 'cancel':
      indexer.cancel();
      return;
    case 'close':
      void indexer.close().then(() => {
        post({ type: 'closed' });
        port.close();
      });
  }
});
