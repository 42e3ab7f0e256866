import { join } from 'node:path';
import type { SessionToWrite } from '../../store';
import { timeOf } from '../entry';
import { type Backup, type Snapshot, sortEvidence } from '../evidence';
import { type CarriedFiles, carryFile, nothingCarried } from './carried-file';
import { type Moved, movedPath } from './copied-lines';
import type { SessionPlace } from './session-place';

/** The checkpoints of a fork: a line for each, and a copy of every backup they name. */
export interface CarriedCheckpoints extends CarriedFiles {
  lines: string[];
}

/** A backup's name as the program makes it; any other is not made a path of. */
const backupName = /^[0-9a-f]{16}@v\d{1,9}$/;

/**
 * Takes the checkpoints of the kept prompts over, deltas folded into their snapshots as the program's own fork does.
 * Backups are copied, where the program links: what is done to a backup of one session can not reach the other then. A
 * copy keeps time and mode: the program takes a file that is older than its last backup for unchanged, so a young copy
 * would hide what was changed since. A fork that works elsewhere takes files back there: the program compares the folder
 * a file lay in, too.
 */
export function carryCheckpoints(session: SessionToWrite, place: SessionPlace, to: string, order: readonly number[], moved: Moved | null): CarriedCheckpoints {
  const { snapshots } = sortEvidence(session.spine.evidence);
  const { records } = session.spine;
  const byMessage = new Map<string, Snapshot[]>();
  for (const snapshot of snapshots) {
    const known = byMessage.get(snapshot.message);
    if (known) known.push(snapshot);
    else byMessage.set(snapshot.message, [snapshot]);
  }
  const carried: CarriedCheckpoints = { lines: [], ...nothingCarried() };
  const seen = new Set<string>();
  for (const index of order) {
    const record = records[index];
    const own = record?.key === null || record === undefined ? undefined : byMessage.get(record.key);
    if (!own || record?.key === null || record === undefined) continue;
    const { files, time, untracked } = folded(own);
    const when = time ?? isoOf(record.time);
    const tracked = [...files.values()].map((backup) => (moved && backup.folder !== null ? { ...backup, folder: movedPath(backup.folder, moved) } : backup));
    carried.lines.push(snapshotLine(record.key, tracked, when, untracked));
    for (const { name } of files.values()) {
      if (name === null || seen.has(name)) continue;
      seen.add(name);
      if (!carryBackup(session, place, { to, name, when }, carried)) carried.missing.push(name);
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

function carryBackup(session: SessionToWrite, place: SessionPlace, { to, name, when }: { to: string; name: string; when: string }, carried: CarriedFiles): boolean {
  if (!backupName.test(name)) return false;
  return carryFile(session, carried, {
    from: join(place.backups, name), to: join(session.location.folder, 'file-history', to, name), key: `file-history/${place.id}/${name}`,
    why: 'A checkpoint’s copy of a file, so that the fork can take files back as the original can.',
    looks: (stat) => (stat ? { mode: stat.mode & 0o777, modified: stat.mtimeMs } : { mode: 0o644, modified: timeOf(when) ?? 0 }),
  });
}
