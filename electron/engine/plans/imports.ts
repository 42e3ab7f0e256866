import { dirname } from 'node:path';
import { agentNames } from '@shared/model';
import type { Db } from '../library/database';
import type { Timeline } from '../queries/timeline';
import type { ImportDrawing, ImportRefusal } from '../share/import/importing';
import { importedStore } from '../stores/retrace/imported-store';
import { importStoreId } from '../stores/retrace/imports';
import type { SessionStore, StoreLocation, WriteRefusal } from '../stores/store';
import type { Drawing } from './draw';

/** An import as a plan shows it: files of Retrace's own, beside the library. */
export function drawnImport(drawn: ImportDrawing | ImportRefusal, { timeline }: { timeline: Timeline }): Drawing | WriteRefusal {
  if ('refused' in drawn) return drawn;
  const native = timeline.storeOf(drawn.agent);
  const [first] = drawn.steps;
  if (!native || !first) return { refused: `Sessions of ${agentNames[drawn.agent]} are not read by this Retrace.` };
  const { name, root, title, steps, limits, preview } = drawn;
  return {
    kind: 'import', title, about: preview.title === null ? null : { name: preview.title, does: 'Import' }, limits, preview, steps, conflicts: [], expects: [], ways: [], result: root, way: preview.known ? 'The import of this session that is here is replaced by this one.' : 'It is kept beside the library, and read like any other session.',
    on: { session: null, agent: 'retrace', store: importedStore(native), storeKey: importStoreId(name), location: { agent: drawn.agent, folder: dirname(dirname(first.path)), origin: 'import' }, native: root },
  };
}

/** Where an import lies that the library knows; null for any other store. */
export function importPlace({ db, timeline }: { db: Db; timeline: Timeline }, key: string): { store: SessionStore; location: StoreLocation; folder: string } | null {
  const row = db.prepare<[string], { agent: string; folder: string }>("SELECT agent, folder FROM store WHERE key = ? AND origin = 'import'").get(key);
  const native = row && timeline.storeOf(row.agent);
  return row && native ? { store: importedStore(native), location: { agent: native.agent, folder: dirname(row.folder), origin: 'import' }, folder: row.folder } : null;
}
