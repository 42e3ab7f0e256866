import type { ImportPreview, PlanConflict, PlanView, SessionId } from '@shared/model';
import type { ExpectedBeginning, SessionStore, StoreLocation } from '../stores/store';
import type { Room } from './apply/room';
import type { PlanRecord } from './journal/records';
import type { PlannedStep } from './steps';
import { type Counts, plannedStep } from './view/steps';

/** A guarded write that was drawn and not applied yet. */
export interface Plan {
  record: PlanRecord;
  steps: PlannedStep[];
  expects: readonly ExpectedBeginning[];
  counts: Counts;
  ways: PlanView['ways'];
  conflicts: PlanConflict[];
  room: Room;
  checked: string[];
  /** Why it cannot be applied as it was found. It is looked at again when it is applied. */
  refused: string | null;
  /** The person has to choose first: no new look helps. */
  isUndecided: boolean;
  result: SessionId | null;
  made: number;
  /** Of an import. */
  preview?: ImportPreview;
  store: SessionStore;
  location: StoreLocation;
}

/** Steps that go with a plan; more are asked for by windows. */
export const stepWindow = 500;
/** Plans kept ready: a person looks at one, and a few clients may. */
const plansKept = 20;

export function planView(plan: Plan): PlanView {
  const { record, steps, counts, ways, conflicts, room, checked, refused, result, made, preview } = plan;
  return {
    id: record.id, kind: record.kind, session: record.session, agent: record.agent, title: record.title, way: record.way, ways,
    steps: steps.slice(0, stepWindow).map((step, index) => plannedStep(step, index, counts)), stepsTotal: steps.length,
    conflicts, limits: record.limits, room, checked, refused, result, preview: preview ?? null, made: new Date(made).toISOString(),
  };
}

/** Plans by their names, the newest ones. One that is being applied stays. */
export class PlanShelf {
  readonly #plans = new Map<string, Plan>();
  readonly #applying = new Map<string, AbortController>();

  put(plan: Plan): void {
    this.#plans.set(plan.record.id, plan);
    for (const id of this.#plans.keys()) {
      if (this.#plans.size <= plansKept) break;
      if (!this.#applying.has(id)) this.#plans.delete(id);
    }
  }

  get(id: string): Plan | undefined {
    return this.#plans.get(id);
  }

  /** Null when it is being applied already: of two that confirm it one does it. */
  begin(id: string): AbortController | null {
    if (this.#applying.has(id)) return null;
    const abort = new AbortController();
    this.#applying.set(id, abort);
    return abort;
  }

  end(id: string): void {
    this.#applying.delete(id);
  }

  cancel(id: string): void {
    this.#applying.get(id)?.abort();
  }

  cancelAll(): void {
    for (const abort of this.#applying.values()) abort.abort();
  }

  discard(id: string): void {
    if (!this.#applying.has(id)) this.#plans.delete(id);
  }
}

/** `mik3x9a2-7f3kq1`: in order of time, short enough to be typed. */
export function planId(now: number, random: (bytes: number) => Uint8Array): string {
  const tail = [...random(6)].map((byte) => (byte % 36).toString(36)).join('');
  return `${now.toString(36)}-${tail}`;
}
