import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportPreview, SessionSummary } from '@shared/model';
import { Diffs } from '../../diff/diffs';
import { Library } from '../../library/library';
import { Pass } from '../../library/pass';
import { sessionDetail } from '../../queries/detail';
import { listSessions } from '../../queries/session-filter';
import { Timeline } from '../../queries/timeline';
import { importedStore } from '../../stores/retrace/imported-store';
import { importFiles, importStoreId } from '../../stores/retrace/imports';
import type { SessionStore } from '../../stores/store';
import type { WrittenImport } from './write-import';

/** Sessions of one import that are counted. */
const listed = 5_000;

type Seen = Omit<ImportPreview, 'known' | 'live'>;

/** Reads an import as the library would, into a library that is thrown away. Null where the agent's reader finds no session in it. */
export async function previewOf({ name, folder, origin }: WrittenImport, imports: string, native: SessionStore, now: number, signal: AbortSignal): Promise<Seen | null> {
  const place = mkdtempSync(join(tmpdir(), 'retrace-preview-'));
  const library = new Library(join(place, 'library.db'));
  try {
    const store = importedStore(native);
    const environment = { home: place, platform: process.platform, variables: {}, added: [], imports };
    await new Pass(library, [store], environment, { progress: () => undefined, changed: () => undefined, stopped: () => signal.aborted, now: () => now }).run();
    signal.throwIfAborted();
    const { sessions } = listSessions(library.db, { archived: 'include' }, 'updated', 0, listed);
    const own = sessions.filter((session) => session.store === importStoreId(name));
    const root = own.find(({ nativeId }) => nativeId === origin.root) ?? own[0];
    if (!root) return null;
    return { ...seen(root, own.length - 1), kind: origin.kind, from: origin.from, agent: origin.agent, models: sessionDetail(library.db, root.id)?.models ?? [], files: await filesOf(library, native, root), bytes: statSync(join(folder, importFiles.bundle)).size, notes: origin.notes };
  } finally {
    library.close();
    rmSync(place, { recursive: true, force: true });
  }
}

const seen = ({ title, directory, created, updated, counts, tokens, compactions, damage }: SessionSummary, others: number) => ({ title, directory, created, updated, counts, tokens, compactions, damage, others });

async function filesOf(library: Library, native: SessionStore, { id }: SessionSummary): Promise<number | null> {
  const timeline = new Timeline(library.db, () => native);
  const reach = () => ({ home: '/', platform: process.platform, added: [], confined: true });
  const changes = await new Diffs(library.db, timeline, reach, () => 0).files({ session: id, scope: { kind: 'session' }, from: 0, count: 1 });
  return changes?.total ?? null;
}
