import { useEffect, useRef } from 'react';
import { visibleControls } from '../../../ui/controls';
import { applyImport, applyUndo, closeImport, keepImport, openImported, planUndo, startOver, useImport } from './state';

/** The one thing to do now, and the way out. */
export function ImportFoot() {
  const step = useImport((state) => state.step);
  const main = useRef<HTMLButtonElement>(null);
  // What was pressed is gone: whoever works by keys goes on with the next button.
  useEffect(() => main.current?.focus(), [step.kind]);
  switch (step.kind) {
    case 'sending':
    case 'looking':
      return (
        <footer className="import-foot">
          <button ref={main} type="button" className="button" onClick={startOver}>
            Cancel
          </button>
        </footer>
      );
    case 'previewed': {
      const { refused, preview } = step.plan;
      return (
        <footer className="import-foot">
          {refused !== null && (
            <p role="status" className="import-stop">
              {visibleControls(refused)}
            </p>
          )}
          <button type="button" className="button" onClick={startOver}>
            Back
          </button>
          <button ref={main} type="button" className="button import-go" disabled={refused !== null} onClick={() => void applyImport()}>
            {preview?.known ? 'Update the import' : 'Import'}
          </button>
        </footer>
      );
    }
    case 'applying':
      return (
        <footer className="import-foot">
          <p role="status">Taking it in</p>
        </footer>
      );
    case 'done': {
      const { result, noUndo } = step.entry;
      return (
        <footer className="import-foot">
          <button type="button" className="button" disabled={noUndo !== null} onClick={() => void planUndo()}>
            Undo…
          </button>
          <button type="button" className="button" onClick={startOver}>
            Import another
          </button>
          {result !== null && (
            <button ref={main} type="button" className="button import-go" onClick={() => openImported(result)}>
              Open
            </button>
          )}
        </footer>
      );
    }
    case 'undo':
      return (
        <footer className="import-foot">
          <button type="button" className="button" disabled={step.applying} onClick={keepImport}>
            Keep it
          </button>
          <button ref={main} type="button" className="button import-go" disabled={step.applying || step.plan.refused !== null} onClick={() => void applyUndo()}>
            {step.applying ? 'Taking it back' : 'Take it back'}
          </button>
        </footer>
      );
    case 'refused':
      return (
        <footer className="import-foot">
          <button type="button" className="button" onClick={startOver}>
            Back
          </button>
        </footer>
      );
    case 'asking':
    case 'undone':
      return (
        <footer className="import-foot">
          <button type="button" className="button" onClick={closeImport}>
            Close
          </button>
        </footer>
      );
  }
}
