import { constants } from 'node:fs';
import { readPieces, writeNew } from '../disk/content';
import { HeldFolder } from '../disk/folder';
import type { Machine } from '../disk/machine';
import { placeOf } from '../disk/names';
import type { EntryRow, Journal } from '../journal/journal';
import type { FileRecord, StepRecord } from '../journal/records';
import { Refused, saidOf } from '../refused';
import { Backups } from './backups';
import { removeLeftovers } from './changes';
import { settledBy, writeFacts } from './apply';
import { putBack } from './put-back';
import { standingOf, type Standing } from './standing';
import type { StoreLocks } from './store-lock';

/** Settles what an earlier Retrace did not bring to an end. Called before the stores are read. */
export async function recover(machine: Machine, journal: Journal, locks: StoreLocks, library: string, now: () => number): Promise<void> {
  for (const entry of journal.unfinished()) {
    try {
      await locks.holding([entry.plan.folder], async () => {
        try {
          await recoverEntry(machine, journal, entry, new Backups(machine.files, library, entry.id), now);
        } catch (error) {
          // A place that is another one now: nothing is done there, and the person is told.
          if (!(error instanceof Refused)) throw error;
          await journal.end(entry.id, 'unsettled', { because: ['Retrace ended while it was applied.', error.message], now: now() });
        }
      });
    } catch (error) {
      // A disk that is not there, say: the entry stays open for the next start.
      console.error(`The write ${entry.id} could not be settled:`, saidOf(error));
    }
  }
}

async function recoverEntry(machine: Machine, journal: Journal, entry: EntryRow, backups: Backups, now: () => number): Promise<void> {
  const records = journal.steps(entry.id);
  const failed = async (because: string) => {
    for (const record of records) if (record.kind === 'file') removeLeftovers(machine, record);
    await journal.end(entry.id, 'failed', { because: [because], now: now() });
    backups.remove();
  };
  if (entry.phase === 'preparing') return failed('Retrace ended before the first change: nothing was changed.');
  const standings: Standing[] = [];
  for (const record of records) standings.push(await standingOf(machine.files, record, backups));
  const steps = records.flatMap((record, index) => (record.kind === 'library' ? [] : [standings[index] as Standing]));
  if (steps.every((standing) => standing === 'before') && steps.length > 0) return failed('Retrace ended before the first change: nothing was changed.');
  if (steps.every((standing) => standing === 'after')) {
    for (const record of records) if (record.kind === 'file') removeStaged(machine, record);
    const result = givenSession(records) ?? entry.result;
    await writeFacts(journal, entry.plan, records, result);
    await journal.end(entry.id, 'applied', { now: now(), result, settled: settledBy(entry.plan) });
    return;
  }
  if (isAddition(records) && !steps.includes('other')) {
    const troubles = await putBack(machine, entry.id, records, backups, null);
    if (troubles.length === 0) return failed('Retrace ended while it was applied: what was added until then was taken away again.');
    await journal.end(entry.id, 'unsettled', { because: troubles, now: now() });
    return;
  }
  await keepContents(machine, records, backups);
  const isUnknown = records.some((record, index) => record.kind === 'program' && standings[index] === 'other');
  await journal.end(entry.id, isUnknown ? 'unsettled' : 'interrupted', { because: told(records, standings), now: now() });
}

/** Only new files, additions and rows, and no other program at work. */
const isAddition = (records: readonly StepRecord[]): boolean =>
  records.every((record) => (record.kind === 'file' ? record.act === 'create' || record.act === 'append' : record.kind === 'rows' ? record.act === 'insert' : record.kind === 'library' || record.state === 'waiting'));

const givenSession = (records: readonly StepRecord[]): string | null => {
  for (const record of records) if (record.kind === 'program' && typeof record.gave?.['session'] === 'string') return record.gave['session'];
  return null;
};

/** A new file got its name and kept the one it waited under. */
function removeStaged(machine: Machine, record: FileRecord): void {
  removeLeftovers(machine, { ...record, made: [] });
}

/** New contents that wait beside their files go to the backups, where the person's choice finds them. */
async function keepContents(machine: Machine, records: readonly StepRecord[], backups: Backups): Promise<void> {
  const { files } = machine;
  for (const record of records) {
    if (record.kind !== 'file' || record.staged === null) continue;
    const folder = HeldFolder.open(files, record.within, placeOf(record.path, record.within).folders, null, record.real);
    if (folder === null) continue;
    try {
      if (folder.look(record.staged)?.kind !== 'file') continue;
      const kept = backups.path(keptContent(record));
      if (files.look(kept) !== null) files.remove(kept);
      const handle = files.open(folder.at(record.staged), constants.O_RDONLY);
      try {
        await writeNew(files, kept, readPieces(files, handle), { mode: 0o600 });
      } finally {
        files.close(handle);
      }
      backups.flush();
    } finally {
      folder.close();
    }
    // Folders made for it go with it: going on makes them again.
    removeLeftovers(machine, record);
  }
}

/** Where the new content of a file is kept after an interruption, in the folder of backups. */
export const keptContent = ({ index }: Pick<FileRecord, 'index'>): string => `${index}.after`;

function told(records: readonly StepRecord[], standings: readonly Standing[]): string[] {
  const done = standings.filter((standing, index) => standing === 'after' && records[index]?.kind !== 'library').length;
  const steps = records.filter(({ kind }) => kind !== 'library').length;
  const others = records.flatMap((record, index) => (standings[index] !== 'other' ? [] : [record.kind === 'file' ? record.path : record.kind === 'rows' ? record.database : record.kind === 'program' ? record.shown : record.does]));
  return [
    `Retrace ended while it was applied: ${done} of ${steps} ${steps === 1 ? 'step is' : 'steps are'} done.`,
    ...others.map((what) => `What became of ${what} is not known: it is neither as it was before nor as it was to become.`),
  ];
}
