import type { WorkStatus } from '@shared/model';

/** Where a work stands, in a word; dotted where it is inferred, with what shows it on hover. */
export function WorkStatusMark({ status: { now, certainty, evidence } }: { status: WorkStatus }) {
  return (
    <span className="work-now" data-now={now} data-certainty={certainty} data-hint={`${certainty}: ${evidence}`}>
      {now}
      {certainty === 'inferred' && <span className="unseen"> (inferred)</span>}
    </span>
  );
}
