import { join } from 'node:path';
import { type ChangePlace, messageId } from '@shared/model';
import { stateCode } from '../library/codes';
import { keyOf } from '../diff/paths';
import type { SessionSource } from '../diff/session-source';
import { MemoryCalls } from '../queries/memory/calls';
import { messageKeyOf, type ViewRow } from '../queries/part-rows';

/**
 * Memory files that the session wrote after a point, by the spelling files are compared by: those in the agent's store.
 * Notes of an overlay lie in the project, and are files like any other there.
 */
export function memoryFilesAfter(source: SessionSource, seq: number): Map<string, { path: string; place: ChangePlace }> {
  const kept = source.store.memory?.kept;
  const found = new Map<string, { path: string; place: ChangePlace }>();
  if (kept?.in !== 'store') return found;
  const calls = new MemoryCalls(source.db, source.timeline.rows, (agent) => source.timeline.storeOf(agent)?.memory);
  for (const { view, folder, row } of calls.ofSession(source.row)) {
    if (row.seq < seq || view.file === null || (view.act !== 'write' && view.act !== 'edit') || view.outcome === 'failed') continue;
    const inStore = join(kept.pathOf(folder), view.file);
    // The store may lie elsewhere than when the call was made: the call names the place of then.
    const path = pathOfCall(source, row, inStore) ?? join(source.storeFolder, inStore);
    const key = keyOf(path, source.folder);
    if (!found.has(key)) found.set(key, { path, place: { part: view.part, message: messageId(source.id, messageKeyOf(row)), turn: source.turns.of(row.seq), current: row.state !== offBranch } });
  }
  return found;
}

function pathOfCall(source: SessionSource, row: ViewRow, inStore: string): string | null {
  const edits = source.timeline.bodies.body(source.store, source.storeRow, row)?.tool?.edits ?? [];
  return edits.find(({ path }) => path.replaceAll('\\', '/').endsWith(`/${inStore.replaceAll('\\', '/')}`))?.path ?? null;
}

const offBranch = stateCode.code('off-branch');
