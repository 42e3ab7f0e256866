import type { FileStep, JsonObject, LibraryStep, ProgramStep, RowsStep } from '../stores/store';

/** Takes rows out again that a guarded write put in. `keys` names the file that lists them, with the hash of each. */
export interface RowsOutStep {
  kind: 'rows-out';
  database: string;
  within: string;
  schema: Record<string, string[]>;
  tables: RowsTable[];
  keys: string;
  why: string;
}

/** A table that rows go into, or out of. `references`: columns elsewhere that name such a row without a foreign key. */
export interface RowsTable {
  table: string;
  key: string[];
  count: number;
  references: { table: string; column: string }[];
}

/** A step of a plan: as a store drew it, or as an undo needs it. */
export type PlannedStep =
  | (FileStep & { /** Folders that go with the file when they are empty then, the innermost first. */ empties?: string[]; /** It is as an earlier write left it. */ left?: boolean; /** What the new content must hold, where it comes from a backup. */ holds?: string; /** A later step takes it away with its folder: here it is only looked at, and kept. */ goes?: boolean })
  | RowsStep
  | RowsOutStep
  | (ProgramStep & { /** What the call it takes back gave. */ given?: JsonObject | null })
  | (LibraryStep & { /** The fact goes. */ removes?: boolean });

/** Nothing that was there before is changed or goes: taking such steps back needs no choice. */
export const onlyAdds = (steps: readonly PlannedStep[]): boolean =>
  steps.every((step) => (step.kind === 'file' ? step.after !== null && (step.before.state !== 'present' || 'append' in step.after) : step.kind === 'rows' || step.kind === 'library'));
