import { fileContent } from './disk/content';
import type { FileSystem } from './disk/machine';
import type { FileRecord, ProgramRecord, RowsRecord, StepRecord } from './journal/records';
import { readRows } from './rows/kept-rows';
import { Refused } from './refused';
import type { Backups } from './apply/backups';
import { keptContent } from './apply/recovery';
import type { Standing } from './apply/standing';
import type { PlannedStep } from './steps';
import type { FileStep } from '../stores/store';

/** The steps that take recorded ones back, the last first. Nothing is done. */
export function inverseSteps(files: FileSystem, records: readonly StepRecord[], backups: Backups): PlannedStep[] {
  return [...records].reverse().flatMap((record) => inverseOf(files, record, backups));
}

function inverseOf(files: FileSystem, record: StepRecord, backups: Backups): PlannedStep[] {
  switch (record.kind) {
    case 'file':
      return [record.isMade ? goesAlong(record) : record.goes ? comesAlong(files, record, backups) : fileInverse(files, record, backups)];
    case 'rows':
      return [rowsInverse(files, record, backups)];
    case 'program':
      return [programInverse(record)];
    case 'library':
      return [{ kind: 'library', fact: record.fact, removes: !record.removes, does: record.removes ? 'Keeps again in the library where the session was forked from.' : 'Takes out of the library where the session was forked from.' }];
  }
}

function fileInverse(files: FileSystem, record: FileRecord, backups: Backups): PlannedStep {
  const { path, within, before, after, act, made } = record;
  if (after === null && act !== 'delete') throw new Refused(`What ${path} became is not recorded.`);
  const expected: FileStep['before'] = after === null ? { state: 'absent' } : { state: 'present', sha256: after.sha256, bytes: after.bytes };
  return { kind: 'file', path, within, left: true, before: expected, ...restored(files, record, backups), ...(before === null && { empties: [...made].reverse() }) };
}

/** A file in what a program made, and now takes away whole: it is kept, so that it can come back with that. */
function goesAlong({ path, within, after }: FileRecord): PlannedStep {
  const before: FileStep['before'] = after === null ? { state: 'absent' } : { state: 'present', sha256: after.sha256, bytes: after.bytes };
  return { kind: 'file', path, within, left: true, goes: true, before, after: null, why: after === null ? 'The write took it away; with the folder there is nothing of it.' : 'It goes with the folder it lies in.' };
}

/** A file that went along, written again into what the program makes anew. */
function comesAlong(files: FileSystem, record: FileRecord, backups: Backups): PlannedStep {
  const { path, within, before } = record;
  return { kind: 'file', path, within, before: { state: 'made' }, ...(before === null ? { after: null, why: 'It was taken away there.' } : restored(files, record, backups)) };
}

/** The content that was there, with its bits and its time; none where the write made the file. */
function restored(files: FileSystem, { path, before, backup, act }: FileRecord, backups: Backups): Pick<FileStep, 'after' | 'mode' | 'modified' | 'why'> & { holds?: string } {
  if (before === null) return { after: null, why: 'The write made it.' };
  if (backup === null || !backups.has(backup)) throw new Refused(`The backup of ${path} is not in ${backups.folder} any more.`);
  return {
    after: { content: fileContent(files, backups.path(backup), before.bytes) }, mode: before.mode, modified: before.modified, holds: before.sha256,
    why: act === 'delete' ? 'It comes back as it was.' : act === 'append' ? 'What was added to it goes.' : 'It becomes what it was.',
  };
}

function rowsInverse(files: FileSystem, { act, database, within, schema, tables, keys, values }: RowsRecord, backups: Backups): PlannedStep {
  if (!backups.has(keys)) throw new Refused(`The list of rows is not in ${backups.folder} any more.`);
  if (act === 'insert') return { kind: 'rows-out', database, within, schema, tables, keys: backups.path(keys), why: 'The write put them in.' };
  if (values === null || !backups.has(values)) throw new Refused(`The rows are not in ${backups.folder} any more.`);
  const inserts = tables.map(({ table, key, count, references }, index) => ({ table, key, count, references, rows: () => readRows(files, backups.path(values), index) }));
  return { kind: 'rows', database, within, schema, expects: [], inserts, why: 'They come back as they were.' };
}

function programInverse({ program, call, shown, does, inverse, gave }: ProgramRecord): PlannedStep {
  if (inverse === null) throw new Refused(`${program} did a part of it, and nothing takes that back: ${shown}`);
  return { kind: 'program', program, call: inverse.call, shown: inverse.shown, does: inverse.does, remains: [], given: gave, inverse: { call, shown, does } };
}

/** The steps that bring an interrupted write back to where it began, or on to its end. */
export function settlingSteps(files: FileSystem, records: readonly { record: StepRecord; standing: Standing; now: { sha256: string; bytes: number } | null }[], backups: Backups, go: 'on' | 'back'): PlannedStep[] {
  if (go === 'on') return records.flatMap(({ record, standing }) => (standing === 'before' ? [forward(files, record, backups)] : []));
  return [...records].reverse().flatMap(({ record, standing, now }) => {
    if (standing === 'before' || standing === 'other') return [];
    const [step] = inverseOf(files, record, backups);
    // Half an append: what is there now is what is taken back.
    if (standing === 'part' && step?.kind === 'file' && now) return [{ ...step, before: { state: 'present' as const, ...now } }];
    return step ? [step] : [];
  });
}

function forward(files: FileSystem, record: StepRecord, backups: Backups): PlannedStep {
  switch (record.kind) {
    case 'file': {
      const { path, within, before, after, tail, act, why } = record;
      const expected: FileStep['before'] = record.isMade ? { state: 'made' } : before === null ? { state: 'absent' } : { state: 'present', sha256: before.sha256, bytes: before.bytes };
      const step = { kind: 'file' as const, path, within, before: expected, why };
      if (act === 'delete') return { ...step, after: null, ...(record.goes && { goes: true }) };
      if (tail !== null) return { ...step, after: { append: Buffer.concat([...fileContent(files, backups.path(tail), 0).pieces()]) } };
      if (after === null || !backups.has(keptContent(record))) throw new Refused(`What ${path} was to become is not in ${backups.folder} any more.`);
      return { ...step, after: { content: fileContent(files, backups.path(keptContent(record)), after.bytes) }, mode: after.mode, modified: after.modified, holds: after.sha256 };
    }
    case 'rows': {
      const [step] = record.act === 'insert' ? [rowsInverse(files, { ...record, act: 'delete', keys: record.values ?? record.keys }, backups)] : [];
      if (!step) throw new Refused('Rows were being taken out; only going back is open.');
      return step;
    }
    case 'program': {
      const { program, call, shown, does, remains, inverse, given } = record;
      return { kind: 'program', program, call, shown, does, remains, inverse, given };
    }
    case 'library':
      return { kind: 'library', fact: record.fact, removes: record.removes, does: record.does };
  }
}
