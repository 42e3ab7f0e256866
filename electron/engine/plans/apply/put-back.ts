import type { JsonObject } from '../../stores/store';
import { fileContent } from '../disk/content';
import type { Machine } from '../disk/machine';
import { placeOf } from '../disk/names';
import type { FileRecord, RowsRecord, StepRecord } from '../journal/records';
import { saidOf } from '../refused';
import { insertRows } from '../rows/insert';
import { readKeys, readRows } from '../rows/kept-rows';
import { removeRows } from '../rows/remove';
import type { Backups } from './backups';
import { removeLeftovers, restoreFile, stagedName } from './changes';
import { standingOf } from './standing';

/** Does a program step, or its inverse. */
export type Perform = (program: string, call: JsonObject, given: JsonObject | null, progress: (says: string) => void, signal: AbortSignal) => Promise<JsonObject>;

/** Tries of one step: a fault of a moment must not leave a store half done. */
const tries = 3;

/**
 * Takes back what was done of the steps, in reverse, from what is on the disk and in the backups; says what could not be.
 * It can be broken off and begun again: a step that stands as before is left alone.
 */
export async function putBack(machine: Machine, id: string, records: readonly StepRecord[], backups: Backups, perform: Perform | null): Promise<string[]> {
  const troubles: string[] = [];
  machine.at('putting-back');
  let isMadeAnew = false;
  for (const record of [...records].reverse()) {
    const wasDone = record.kind === 'program' && record.state === 'done';
    const trouble = await withPatience(() => putStepBack(machine, id, record, { backups, perform, isMadeAnew }));
    if (trouble !== null) troubles.push(trouble);
    else if (wasDone) isMadeAnew = true;
  }
  machine.at('put-back');
  return troubles;
}

async function withPatience(work: () => Promise<string | null> | string | null): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === tries) return saidOf(error);
    }
  }
}

/** `isMadeAnew`: a program took back what it did a moment ago; what went along with that is written into it again. */
async function putStepBack(machine: Machine, id: string, record: StepRecord, { backups, perform, isMadeAnew }: { backups: Backups; perform: Perform | null; isMadeAnew: boolean }): Promise<string | null> {
  // First, so that the program that takes the place away finds nothing of ours in it.
  if (record.kind === 'file') removeLeftovers(machine, record);
  const standing = await standingOf(machine.files, record, backups);
  if (standing === 'before') return null;
  switch (record.kind) {
    case 'file':
      if (record.isMade) return null;
      if (standing === 'other' && !(record.goes && isMadeAnew)) return `${record.path} was changed by somebody else meanwhile, and was left as it is now.`;
      await putFileBack(machine, id, record, backups);
      return null;
    case 'rows':
      if (standing === 'other') return `Rows in ${record.database} were changed by somebody else meanwhile, and were left as they are now.`;
      await putRowsBack(machine, record, backups);
      return null;
    case 'program':
      return putProgramBack(record, perform);
    case 'library':
      return null;
  }
}

async function putFileBack(machine: Machine, id: string, record: FileRecord, backups: Backups): Promise<void> {
  const { name } = placeOf(record.path, record.within);
  const content = record.backup === null || record.before === null ? null : fileContent(machine.files, backups.path(record.backup), record.before.bytes);
  await restoreFile(machine, record, content && (() => content.pieces()), record.staged ?? stagedName(name, id));
}

async function putRowsBack(machine: Machine, record: RowsRecord, backups: Backups): Promise<void> {
  const { files } = machine;
  const { database, within, schema, tables, why } = record;
  if (record.act === 'insert') {
    await removeRows(machine, { database, schema, tables, keys: await readKeys(files, backups.path(record.keys)) }, () => undefined);
    return;
  }
  const values = backups.path(record.values ?? '');
  const inserts = tables.map(({ table, key, count }, index) => ({ table, key, count, rows: () => readRows(files, values, index) }));
  await insertRows(machine, { kind: 'rows', database, within, schema, expects: [], inserts, why }, () => undefined);
}

async function putProgramBack(record: Extract<StepRecord, { kind: 'program' }>, perform: Perform | null): Promise<string | null> {
  if (record.state === 'begun') return `${record.program} was asked to do its part (${record.shown}), and it is not known whether it did.`;
  if (record.inverse === null) return `${record.program} did its part (${record.shown}), and nothing takes that back.`;
  if (perform === null) return `${record.program} did its part (${record.shown}), which was not taken back.`;
  try {
    await perform(record.program, record.inverse.call, record.gave, () => undefined, new AbortController().signal);
    record.state = 'waiting';
    return null;
  } catch (error) {
    return `${record.program} did its part (${record.shown}), and could not take it back: ${saidOf(error)}`;
  }
}
