import { createHash } from 'node:crypto';
import { openWithoutTrace } from '../stores/foreign/database';
import type { Draft } from '../stores/store';
import { damagedBackup } from './apply/apply';
import { checkBeginning, checkDatabase, checkFile, refuseClashes } from './apply/check';
import { refuseWithoutRoom, type Room, roomFor } from './apply/room';
import type { FileSystem, Machine } from './disk/machine';
import { growingFile } from './probes/growing';
import { Refused, saidOf } from './refused';
import { readKeys } from './rows/kept-rows';
import { refuseChanged, refuseWhenOpen } from './rows/database';
import { refuseWhenNotAlone } from './rows/remove';
import type { Plan } from './plan';
import type { PlannedStep } from './steps';

/** What looking at a plan's places found: nothing is changed by it. */
export interface Looked {
  room: Room;
  checked: string[];
  refused: string | null;
}

/** Looks whether a plan could be applied now. The first thing that stands against it is told. */
export async function lookAtPlan({ files, waits }: Machine, { steps, expects, store, location, record }: Pick<Plan, 'steps' | 'expects' | 'store' | 'location' | 'record'>, backups: string): Promise<Looked> {
  let room: Room = [];
  const checked: string[] = [];
  try {
    refuseClashes(files, steps);
    room = roomFor(files, steps, backups);
    refuseWithoutRoom(room);
    for (const expected of expects) await checkBeginning(files, expected);
    let mayBeMade = false;
    for (const step of steps) {
      if (step.kind === 'file') {
        await checkFile(files, step, mayBeMade);
        if (step.holds !== undefined && contentHash(step) !== step.holds) throw new Refused(damagedBackup(step.path));
      }
      else if (step.kind === 'program') mayBeMade = true;
      else if (step.kind !== 'library') {
        checkDatabase(files, step);
        checked.push(refuseWhenOpen(step.database));
        await refuseOtherRows(files, step);
      }
    }
    checked.push(...(await refuseWhenBusy({ steps, store, location, record }, waits.looks)));
    return { room, checked: [...new Set(checked)], refused: null };
  } catch (error) {
    return { room, checked, refused: saidOf(error) };
  }
}

/** Refuses while the agent is seen at work on what would be written; gives what was looked at. */
export async function refuseWhenBusy({ steps, store, location, record }: Pick<Plan, 'steps' | 'store' | 'location' | 'record'>, pause: number): Promise<string[]> {
  const report = await store.writer?.busy(location, record.native as never, draftOf(steps, record));
  if (report && report.busy !== null) throw new Refused(report.busy);
  const files = steps.flatMap((step) => (step.kind === 'file' && step.before.state === 'present' ? [step.path] : []));
  const growing = await growingFile(files, pause);
  if (growing !== null) throw new Refused(`${growing} is being written: it changed between two looks.`);
  return [...(report?.checked ?? []), ...(files.length > 0 ? ['No file that would be written changed between two looks.'] : [])];
}

function contentHash({ after }: Extract<PlannedStep, { kind: 'file' }>): string | null {
  if (after === null || 'append' in after) return null;
  const hash = createHash('sha256');
  for (const piece of after.content.pieces()) hash.update(piece);
  return hash.digest('hex');
}

/** An undo as a store's probe takes it: files and databases, by the steps it knows. */
function draftOf(steps: readonly PlannedStep[], { way, limits }: Plan['record']): Draft {
  return {
    way, limits, session: null,
    steps: steps.map((step) => (step.kind === 'rows-out' ? { kind: 'rows', database: step.database, within: step.within, schema: step.schema, expects: [], inserts: [], why: step.why } : step)),
  };
}

async function refuseOtherRows(files: FileSystem, step: Extract<PlannedStep, { kind: 'rows' | 'rows-out' }>): Promise<void> {
  const keys = step.kind === 'rows-out' ? await readKeys(files, step.keys) : [];
  const { opened, refusal } = openWithoutTrace(step.database);
  if (!opened) throw new Refused(`${step.database} could not be read: ${refusal.reason}.`);
  try {
    opened.db.defaultSafeIntegers(true);
    if (step.kind === 'rows') refuseChanged(opened.db, step);
    else refuseWhenNotAlone(opened.db, { database: step.database, schema: step.schema, tables: step.tables, keys });
  } finally {
    opened.close();
  }
}
