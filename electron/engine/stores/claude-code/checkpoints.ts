import { createHash } from 'node:crypto';
import { asMessageId, type Checkpoint } from '@shared/model';
import type { Backup, Evidence, Snapshot } from './evidence';
import type { TurnTree } from './turns';

/** Files named over all checkpoints of a session; the oldest checkpoints beyond it are left out, and counted. */
const filesListed = 40_000;

export interface CheckpointFacts {
  checkpoints: Checkpoint[];
  leftOut: number;
}

/**
 * The state of the tracked files before each turn (FORMAT.md, "Checkpoints"): the turn's last snapshot with its deltas,
 * and for a file that was tracked only later on the same branch, its first backup.
 */
export function checkpointsOf(evidence: Evidence, turns: TurnTree, session: string, folders: string[]): CheckpointFacts {
  const bySnapshot = new Map<string, Snapshot[]>();
  for (const snapshot of evidence.snapshots) {
    const list = bySnapshot.get(snapshot.message);
    if (list) list.push(snapshot);
    else bySnapshot.set(snapshot.message, [snapshot]);
  }
  const firsts = firstBackups(evidence.snapshots);
  if (firsts.size === 0) return { checkpoints: [], leftOut: 0 };
  const paths = new AbsolutePaths(folders);
  const checkpoints: Checkpoint[] = [];
  let room = filesListed;
  let looked = 0;
  const asked = evidence.turns.filter((turn) => bySnapshot.get(turn.key)?.some((snapshot) => !snapshot.isDelta));
  for (let i = asked.length - 1; i >= 0 && room > 0; i--) {
    const turn = asked[i];
    if (!turn) continue;
    const checkpoint = checkpointBefore(turn.key, bySnapshot.get(turn.key) ?? [], firsts, turns.sharesBranch(turn.key), session, paths);
    room -= checkpoint.files.length;
    looked++;
    // Nothing was tracked on this branch: there is nothing to go back to.
    if (checkpoint.files.length > 0) checkpoints.push(checkpoint);
  }
  checkpoints.reverse();
  return { checkpoints, leftOut: asked.length - looked };
}

/** The first backup of each path, with the turn it was made in; only files of version 1, or the lowest that is left. */
function firstBackups(snapshots: Snapshot[]): Map<string, { backup: Backup; turn: string }[]> {
  const firsts = new Map<string, { backup: Backup; turn: string }[]>();
  for (const snapshot of snapshots) {
    for (const backup of snapshot.files) {
      const list = firsts.get(backup.path);
      // One a turn: a path can be tracked for the first time on two branches.
      if (!list) firsts.set(backup.path, [{ backup, turn: snapshot.message }]);
      else if (list.at(-1)?.turn !== snapshot.message && (backup.version === 1 || list.every((known) => known.backup.version > backup.version))) list.push({ backup, turn: snapshot.message });
    }
  }
  return firsts;
}

function checkpointBefore(
  turn: string, own: Snapshot[], firsts: Map<string, { backup: Backup; turn: string }[]>, shares: (turn: string) => boolean, session: string, paths: AbsolutePaths,
): Checkpoint {
  const base = own.findLast((snapshot) => !snapshot.isDelta);
  const files = new Map<string, Backup>();
  for (const backup of base?.files ?? []) files.set(backup.path, backup);
  for (const delta of own) if (delta.isDelta) for (const backup of delta.files) files.set(backup.path, backup);
  for (const [path, candidates] of firsts) {
    if (files.has(path)) continue;
    const first = candidates.find((candidate) => shares(candidate.turn));
    if (first) files.set(path, first.backup);
  }
  return {
    id: turn, message: asMessageId(turn), time: base?.time ?? null,
    files: [...files.values()].map((backup) => ({ path: paths.of(backup), content: backup.name === null ? null : `file-history/${session}/${backup.name}` })),
    note: own.some((snapshot) => snapshot.untracked) ? 'A shell command ran in this turn; what it changed is in no checkpoint.' : null,
  };
}

/**
 * Paths are recorded relative to the working folder the session had. A backup's name begins with the hash of the
 * absolute path, so the right one of several folders can be told.
 */
class AbsolutePaths {
  readonly #known = new Map<string, string>();

  constructor(readonly folders: string[]) {}

  of(backup: Backup): string {
    if (/^([/\\]|[A-Za-z]:[/\\])/.test(backup.path)) return backup.path;
    const known = this.#known.get(backup.path);
    if (known !== undefined) return known;
    const path = this.#find(backup);
    this.#known.set(backup.path, path);
    return path;
  }

  #find(backup: Backup): string {
    const candidates = this.folders.map((folder) => joined(folder, backup.path));
    const hash = backup.name?.slice(0, 16);
    const proven = hash && candidates.find((path) => createHash('sha256').update(path).digest('hex').startsWith(hash));
    if (proven) return proven;
    const inFolder = backup.folder !== null && candidates.find((path) => path === joined(backup.folder ?? '', backup.path.split(/[/\\]/).at(-1) ?? ''));
    return inFolder || (candidates[0] ?? backup.path);
  }
}

function joined(folder: string, path: string): string {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  return folder.endsWith(separator) ? folder + path : folder + separator + path;
}
