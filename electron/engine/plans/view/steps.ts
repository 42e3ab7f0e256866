import type { PlanFileStep, PlanStep } from '@shared/model';
import type { StepRecord } from '../journal/records';
import type { PlannedStep } from '../steps';

export type Counts = ReadonlyMap<number, { added: number | null; removed: number | null }>;

/** A planned step as it is shown. */
export function plannedStep(step: PlannedStep, index: number, counts: Counts): PlanStep {
  switch (step.kind) {
    case 'file': {
      const before = step.before.state === 'present' ? step.before.bytes : null;
      const isAppend = step.after !== null && 'append' in step.after;
      const act: PlanFileStep['act'] = step.after === null ? 'delete' : before === null ? 'create' : isAppend ? 'append' : 'change';
      const after = step.after === null ? null : 'append' in step.after ? (before ?? 0) + step.after.append.length : step.after.content.size;
      return { kind: 'file', index, path: step.path, act, before, after, added: counts.get(index)?.added ?? null, removed: counts.get(index)?.removed ?? null, why: step.why };
    }
    case 'rows':
      return { kind: 'rows', index, database: step.database, act: 'insert', tables: step.inserts.map(({ table, count }) => ({ table, rows: count })), why: step.why };
    case 'rows-out':
      return { kind: 'rows', index, database: step.database, act: 'delete', tables: step.tables.map(({ table, count }) => ({ table, rows: count })), why: step.why };
    case 'program':
      return { kind: 'program', index, program: step.program, shown: step.shown, does: step.does, inverse: step.inverse?.does ?? null, remains: step.remains };
    case 'library':
      return { kind: 'library', index, does: step.does };
  }
}

/** A step of an entry of the journal as it is shown. */
export function recordedStep(record: StepRecord, index: number): PlanStep {
  switch (record.kind) {
    case 'file': {
      const { path, act, before, after, added, removed, why } = record;
      return { kind: 'file', index, path, act, before: before?.bytes ?? null, after: after?.bytes ?? null, added, removed, why };
    }
    case 'rows':
      return { kind: 'rows', index, database: record.database, act: record.act, tables: record.tables.map(({ table, count }) => ({ table, rows: count })), why: record.why };
    case 'program':
      return { kind: 'program', index, program: record.program, shown: record.shown, does: record.does, inverse: record.inverse?.does ?? null, remains: record.remains };
    case 'library':
      return { kind: 'library', index, does: record.does };
  }
}
