import { TriangleAlert } from 'lucide-react';
import type { PlanView } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { formatBytes } from '../../ui/format';

/** Which way is taken and why, what it can not do, what was looked at, and the room it needs. */
export function PlanFacts({ plan: { way, limits, checked, room, steps } }: { plan: PlanView }) {
  const remains = steps.flatMap((step) => (step.kind === 'program' ? [...step.remains, ...(step.inverse === null ? [`Nothing takes back what ${step.program} does here.`] : [])] : []));
  return (
    <>
      <h3>How</h3>
      <p>{visibleControls(way)}</p>
      {limits.length > 0 && (
        <>
          <h3>Limits</h3>
          <Sentences sentences={limits} warns />
        </>
      )}
      {remains.length > 0 && (
        <>
          <h3>What stays after undo</h3>
          <Sentences sentences={remains} />
        </>
      )}
      {checked.length > 0 && (
        <>
          <h3>What was checked</h3>
          <Sentences sentences={checked} />
        </>
      )}
      {room.length > 0 && (
        <>
          <h3>Room</h3>
          {room.map(({ folder, needed, free }) => (
            <p key={folder} className="soft number">
              {formatBytes(needed)} needed{free !== null && `, ${formatBytes(free)} free`} · <code className="break">{visibleControls(folder)}</code>
            </p>
          ))}
        </>
      )}
    </>
  );
}

function Sentences({ sentences, warns = false }: { sentences: readonly string[]; warns?: boolean }) {
  return (
    <ul className="plan-sentences" data-warns={warns || undefined}>
      {sentences.map((sentence) => (
        <li key={sentence}>
          {warns && <TriangleAlert size={12} aria-hidden />}
          <span>{visibleControls(sentence)}</span>
        </li>
      ))}
    </ul>
  );
}
