import type { PlanView } from '@shared/model';
import { useEngine } from '../../../app/engine';
import { show } from '../../../app/route';
import { visibleControls } from '../../../ui/controls';
import { formatBytes, tildePath } from '../../../ui/format';
import { closeImport, useImport } from './state';

const forms: [string, string][] = [
  ['OpenCode', 'share links, and files of opencode export'],
  ['Claude Code', 'transcripts (.jsonl); subagents and saved outputs beside them come along'],
  ['Codex', 'rollouts, with the rollouts they build on'],
  ['Aider', 'chat histories'],
  ['Retrace', 'bundles (.retrace.jsonl)'],
];

/** What can be given; then what would be written. */
export function ImportSide() {
  const step = useImport((state) => state.step);
  const plan = step.kind === 'previewed' || step.kind === 'applying' || step.kind === 'undo' ? step.plan : null;
  return (
    <section className="import-side" aria-label={plan ? 'What would be written' : 'What can be imported'} tabIndex={0}>
      {plan ? <Writes plan={plan} /> : <Forms />}
    </section>
  );
}

function Forms() {
  return (
    <>
      <h3>What can be imported</h3>
      <dl className="import-forms">
        {forms.map(([agent, form]) => (
          <div key={agent}>
            <dt>{agent}</dt>
            <dd className="soft">{form}</dd>
          </div>
        ))}
      </dl>
      <p className="soft">Links are fetched over https. A server that Retrace does not know is asked about first.</p>
      <button
        type="button" className="text-button"
        onClick={() => {
          closeImport();
          show({ kind: 'library' });
        }}
      >
        Share servers of your own
      </button>
    </>
  );
}

function Writes({ plan: { way, steps, stepsTotal, room } }: { plan: PlanView }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  return (
    <>
      <h3>What is written</h3>
      <p>{visibleControls(way)}</p>
      <ul className="import-steps">
        {steps.map((step) =>
          step.kind === 'file' ? (
            <li key={step.index}>
              <code className="break">{visibleControls(tildePath(step.path, home))}</code>
              <span className="soft">
                {{ create: 'is made', change: 'is replaced', append: 'is added to', delete: 'goes' }[step.act]}
                {step.after !== null && <span className="number">, {formatBytes(step.after)}</span>}
              </span>
            </li>
          ) : (
            <li key={step.index}>{visibleControls(step.kind === 'rows' ? step.why : step.does)}</li>
          ),
        )}
        {stepsTotal > steps.length && <li className="soft">and {stepsTotal - steps.length} more</li>}
      </ul>
      {room.map(({ folder, needed, free }) => (
        <p key={folder} className="soft number">
          {formatBytes(needed)} needed{free !== null && `, ${formatBytes(free)} free`}
        </p>
      ))}
      <p className="soft">No store of an agent is touched. The journal can take it back.</p>
    </>
  );
}
