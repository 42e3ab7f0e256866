import { Stethoscope } from 'lucide-react';
import type { Diagnosis } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { diagnosisWords } from '../../ui/words';

/** What is wrong at a part, below it: class, sentence, and what would help. What shows it is said on focus. */
export function DiagnosisLines({ diagnoses }: { diagnoses: readonly Diagnosis[] }) {
  return diagnoses.map((diagnosis) => (
    <div key={diagnosis.class} className="diagnosis" data-class={diagnosis.class} role="note" tabIndex={0} data-hint={visibleControls(diagnosis.evidence)}>
      <Stethoscope size={14} aria-hidden />
      <p>
        <strong>{diagnosisWords[diagnosis.class]}.</strong> {visibleControls(diagnosis.text)}
        <br />
        <span className="soft">What would help: {visibleControls(diagnosis.help)}</span>
      </p>
      <span className="unseen">{visibleControls(diagnosis.evidence)}</span>
    </div>
  ));
}
