import type { IndexOutcome, IndexProgress } from '@shared/contract';
import type { CompactionProgress, Examination } from '@shared/model';
import type { KeepingAct, KeepingAnswer } from '../library/keep/keeping';
import type { EngineOptions } from '../options';

/** What the engine needs to know while the library is brought up to date. */
export interface IndexingEvents {
  progress(progress: IndexProgress): void;
  /** Row ids of the sessions that changed; empty when only lists did. */
  changed(revision: number, sessions: number[]): void;
  /** How far a compaction is; null when none runs any more. */
  compaction(progress: CompactionProgress | null): void;
}

/** Brings the library up to date, in this thread or in another. */
export interface Indexing {
  /** One pass; a call during a pass joins it. */
  run(): Promise<IndexOutcome>;
  cancel(): void;
  /** Examines stores and library: counts every record, so it is done beside the writing, not where questions are answered. */
  examine(): Promise<Examination>;
  /** An act of the library's settings. One that writes waits until a pass has stopped, which goes on after it. */
  keep(act: KeepingAct): Promise<KeepingAnswer>;
  /** Stops a compaction that runs. */
  cancelKeeping(): void;
  close(): Promise<void>;
}

/** What an indexing thread is given at its start. */
export interface IndexingSetup {
  file: string;
  options: EngineOptions;
  home: string;
  /** Follow the stores and run a pass when something changes. */
  watch: boolean;
}

/** Runs are numbered: answers to runs that joined one pass come one by one. */
export type ToThread = { type: 'run'; run: number } | { type: 'examine'; run: number } | { type: 'keep'; run: number; act: KeepingAct } | { type: 'cancel keeping' } | { type: 'cancel' } | { type: 'close' };
export type FromThread =
  | { type: 'progress'; progress: IndexProgress }
  | { type: 'changed'; revision: number; sessions: number[] }
  | { type: 'done'; run: number; outcome: IndexOutcome }
  | { type: 'examined'; run: number; examination: Examination }
  | { type: 'kept'; run: number; answer: KeepingAnswer }
  | { type: 'compaction'; progress: CompactionProgress | null }
  | { type: 'failed'; run: number; message: string; stack: string | undefined }
  | { type: 'closed' };
