import { join } from 'node:path';
import type { FileStep, SessionToWrite } from '../../store';
import { type Backup, type Snapshot, sortEvidence } from '../evidence';
import { contentOf, contentOfBytes, fileAt } from './on-disk';
import type { SessionPlace } from './session-place';

/** The checkpoints of a fork: a line for each, and a copy of every backup they name. */
export interface CarriedCheckpoints {
  lines: string[];
  copies: FileStep[];
  /** Backups that are not there any more. */
  missing: string[];
}

/** A backup's name as the program makes it; any other is not made a path of. */
const backupName = /^[0-9a-f]{16}@v\d{1,9}$/;

/**
 * Takes the checkpoints of the kept prompts over, deltas folded into their snapshots as the program's own fork does.
 * Backups are copied, where the program links: what one session does to a backup can not reach the other's then. The
 * copy keeps time and mode, since the program compares both to see whether a file changed since.
 */
export function carryCheckpoints(session: SessionToWrite, place: SessionPlace, to: string, order: readonly number[]): CarriedCheckpoints {
  const { snapshots } = sortEvidence(session.spine.evidence);
  const { records } = session.spine;
  const byMessage = new Map<string, Snapshot[]>();
  for (const snapshot of snapshots) {
    const known = byMessage.get(snapshot.message);
    if (known) known.push(snapshot);
    else byMessage.set(snapshot.message, [snapshot]);
  }
  const carried: CarriedCheckpoints = { lines: [], copies: [], missing: [] };
  const seen = new Set<string>();
  for (const index of order) {
    const record = records[index];
    const own = record?.key === null || record === undefined ? undefined : byMessage.get(record.key);
    if (!own || record?.key === null || record === undefined) continue;
    const { files, time, untracked } = folded(own);
    carried.lines.push(snapshotLine(record.key, [...files.values()], time ?? isoOf(record.time), untracked));
    for (const { name } of files.values()) {
      if (name === null || seen.has(name)) continue;
      seen.add(name);
      const copy = copyOf(session, place, to, name);
      if (copy) carried.copies.push(copy);
      else carried.missing.push(name);
    }
  }
  return carried;
}

function folded(own: readonly Snapshot[]): { files: Map<string, Backup>; time: string | null; untracked: boolean } {
  const base = own.findLast((snapshot) => !snapshot.isDelta);
  const files = new Map((base?.files ?? []).map((backup) => [backup.path, backup]));
  for (const delta of own) if (delta.isDelta) for (const backup of delta.files) files.set(backup.path, backup);
  return { files, time: base?.time ?? null, untracked: own.some(({ untracked }) => untracked) };
}

function snapshotLine(message: string, files: readonly Backup[], time: string, untracked: boolean): string {
  const tracked = files.map(({ path, name, version, folder }) => [path, { backupFileName: name, version, backupTime: time, ...(folder === null ? {} : { realParentDir: folder }) }]);
  return JSON.stringify({
    type: 'file-history-snapshot', messageId: message,
    snapshot: { messageId: message, trackedFileBackups: Object.fromEntries(tracked), timestamp: time, ...(untracked ? { hasUntrackedChanges: true } : {}) },
    isSnapshotUpdate: false,
  });
}

const isoOf = (time: number | null): string => new Date(time ?? 0).toISOString();

function copyOf(session: SessionToWrite, place: SessionPlace, to: string, name: string): FileStep | null {
  if (!backupName.test(name)) return null;
  const path = join(place.backups, name);
  const stat = fileAt(path);
  const kept = stat ? null : session.file(`file-history/${place.id}/${name}`);
  if (!stat && !kept) return null;
  return {
    kind: 'file', path: join(session.location.folder, 'file-history', to, name), within: session.location.folder, before: { state: 'absent' },
    after: { content: stat ? contentOf(path, stat.size) : contentOfBytes(kept ?? new Uint8Array()) },
    ...(stat ? { mode: stat.mode & 0o777, modified: stat.mtimeMs } : { mode: 0o644 }),
    why: 'A checkpoint’s copy of a file, so that the fork can take files back as the original can.',
  };
}
