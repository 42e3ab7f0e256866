import { useId } from 'react';
import { type MessageId, type PartId, type PlanConflict, type RevertTake, revertTakes, type SessionId } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { RevertFileVersions } from '../revert/RevertFileDetail';
import { choose, chooseTake, usePlan } from './state';
import { takeWords } from './words';

interface ConflictDetailProps {
  session: SessionId;
  before: MessageId | PartId;
  conflict: PlanConflict;
  /** All of the plan: one choice can be made for those that are open. */
  conflicts: readonly PlanConflict[];
}

/** A file that others changed since: what is to be left of it, and its three versions with what a merge would make. */
export function ConflictDetail({ session, before, conflict, conflicts }: ConflictDetailProps) {
  const name = useId();
  const drawing = usePlan((state) => state.drawing);
  // What was chosen shows at once; the plan that follows it comes a moment later.
  const wanted = usePlan(({ choices }) => choices.takes.get(conflict.path));
  const { path, file, take, because, disputed, mergeable } = conflict;
  const undecided = conflicts.filter((each) => each.take === 'undecided');
  const closed = (each: RevertTake) => each === 'merge' && !mergeable;
  return (
    <>
      <h3 className="break">
        <code>{visibleControls(file ?? path)}</code>
      </h3>
      <p>{visibleControls(because)}</p>
      <fieldset className="plan-choice plan-takes" aria-busy={drawing}>
        <legend>What is left of it</legend>
        {revertTakes.map((each) => (
          <label key={each} className="plan-option" data-closed={closed(each) || undefined}>
            <input type="radio" name={name} checked={(wanted ?? take) === each} disabled={closed(each)} onChange={() => chooseTake(path, each)} />
            <span>
              <b>{takeWords[each].name}</b>
              <span className="soft"> {each === 'merge' ? mergeSays(mergeable, disputed) : takeWords[each].says}</span>
            </span>
          </label>
        ))}
        {undecided.length > 1 && (
          <p className="soft">
            For all {undecided.length} that are open:{' '}
            {revertTakes.filter((each) => each !== 'merge' || undecided.every((open) => open.mergeable)).map((each) => (
              <button key={each} type="button" className="text-button plan-all" onClick={() => chooseAll(undecided, each)}>
                {takeWords[each].name.toLowerCase()}
              </button>
            ))}
          </p>
        )}
      </fieldset>
      <RevertFileVersions session={session} before={before} path={path} />
    </>
  );
}

function mergeSays(mergeable: boolean, disputed: number | null): string {
  if (!mergeable) return 'It is no text, or too long to be merged.';
  if (disputed === null || disputed === 0) return `${takeWords.merge.says} Nothing is disputed.`;
  return `${takeWords.merge.says} ${countOf(disputed, 'place')} that both changed ${disputed === 1 ? 'gets' : 'get'} marks (<<<<<<<) in the file, for you to settle.`;
}

function chooseAll(conflicts: readonly PlanConflict[], take: RevertTake): void {
  const takes = new Map(usePlan.getState().choices.takes);
  for (const { path } of conflicts) takes.set(path, take);
  choose({ takes });
}
