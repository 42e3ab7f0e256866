import type { CompactionOutcome, CompactionProgress, ExclusionOutcome, ExclusionTarget, ForgetOutcome, ForgetPlan, ForgetTarget, InclusionOutcome, KeepRule, LibraryKeep } from '@shared/model';
import type { SessionStore } from '../../stores/store';
import type { Library } from '../library';
import { compact } from './compaction';
import { exclude, include } from './excluding';
import { keepFigures } from './figures';
import { forget, planForget } from './forgetting';
import { setKeepDays } from './keep-rule';

/** What a person asks of the library's settings. Each act is answered by the answer of its name. */
export type KeepingAct =
  | { act: 'figures' }
  | { act: 'exclude'; target: ExclusionTarget; dryRun: boolean }
  | { act: 'include'; target: ExclusionTarget; dryRun: boolean }
  | { act: 'rule'; days: number | null; dryRun: boolean }
  | { act: 'plan forget'; target: ForgetTarget }
  | { act: 'forget'; target: ForgetTarget; token: string }
  | { act: 'compact' };

export interface KeepingAnswers {
  figures: LibraryKeep;
  exclude: ExclusionOutcome | null;
  include: InclusionOutcome;
  rule: KeepRule;
  'plan forget': ForgetPlan;
  forget: ForgetOutcome;
  compact: CompactionOutcome;
}
export type KeepingAnswer = KeepingAnswers[KeepingAct['act']];

/** True of an act that writes: no pass may have a transaction open meanwhile. */
export const writes = ({ act }: KeepingAct): boolean => act !== 'figures' && act !== 'plan forget';

/** The library's settings and what is done by them, on the writer's connection. */
export class Keeping {
  #stopped = false;
  running: CompactionProgress | null = null;

  constructor(
    readonly library: Library,
    readonly stores: readonly SessionStore[],
    readonly hooks: { now(): number; progress(progress: CompactionProgress | null): void; changed(revision: number): void },
  ) {}

  async do(act: KeepingAct): Promise<KeepingAnswer> {
    const { library, hooks } = this;
    const { db } = library;
    const storeOf = (agent: string) => this.stores.find((store) => store.agent === agent);
    switch (act.act) {
      case 'figures':
        return keepFigures(db, library.file, storeOf, hooks.now(), this.running);
      case 'exclude': {
        const outcome = exclude(db, act.target, hooks.now(), act.dryRun);
        return this.#tell(outcome, outcome?.applied === true);
      }
      case 'include': {
        const outcome = include(db, act.target, storeOf, act.dryRun);
        return this.#tell(outcome, outcome.applied);
      }
      case 'rule':
        return this.#rule(act.days, act.dryRun, storeOf);
      case 'plan forget':
        return planForget(library, act.target, storeOf, hooks.now());
      case 'forget': {
        const outcome = forget(library, act.target, act.token, storeOf, hooks.now());
        return this.#tell(outcome, outcome.applied);
      }
      case 'compact':
        return this.#compact();
    }
  }

  /** Stops a compaction at its next step. */
  cancel(): void {
    this.#stopped = true;
  }

  #tell<T>(outcome: T, changed: boolean): T {
    if (changed) this.hooks.changed(this.library.nextRevision());
    return outcome;
  }

  /** With `dryRun`: what would be due. */
  #rule(days: number | null, dryRun: boolean, storeOf: (agent: string) => SessionStore | undefined): KeepRule {
    const { db, file } = this.library;
    const rule = () => {
      setKeepDays(db, days);
      return keepFigures(db, file, storeOf, this.hooks.now(), null).rule;
    };
    if (!dryRun) return rule();
    db.exec('BEGIN');
    try {
      return rule();
    } finally {
      db.exec('ROLLBACK');
    }
  }

  async #compact(): Promise<CompactionOutcome> {
    this.#stopped = false;
    const tell = (progress: CompactionProgress | null) => {
      this.running = progress;
      this.hooks.progress(progress);
    };
    try {
      const outcome = await compact(this.library, { progress: tell, stopped: () => this.#stopped });
      return this.#tell(outcome, outcome.done);
    } finally {
      tell(null);
    }
  }
}
