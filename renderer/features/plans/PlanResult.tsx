import { Check } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { JournalEntry } from '@shared/model';
import { useEngine } from '../../app/engine';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, tildePath } from '../../ui/format';
import { GoOn } from './GoOn';
import { closePlan, openPlan } from './state';

/** Paths that are named; the journal has all. */
const named = 12;

/** What was done, and what to do next. */
export function PlanResult({ entry }: { entry: JournalEntry }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector('button')?.focus(), []);
  const { title, written, noUndo, because, id } = entry;
  return (
    <div className="plan-result" role="region" aria-label="Result" tabIndex={0}>
      <div role="status">
        <h3>
          <Check size={14} aria-hidden /> Done and verified: {visibleControls(title)}
        </h3>
      </div>
      <div className="plan-buttons" ref={first}>
        <GoOn entry={entry} opened={closePlan} />
        <button type="button" className="button" disabled={noUndo !== null} onClick={() => openPlan({ kind: 'undo', entry: id })}>
          {entry.kind === 'trash' ? 'Bring back' : 'Undo'}
        </button>
        <button
          type="button" className="button"
          onClick={() => {
            closePlan();
            show({ kind: 'journal', entry: id });
          }}
        >
          Show in the journal
        </button>
      </div>
      {noUndo !== null && <p className="soft">No undo: {visibleControls(noUndo)}</p>}
      {because.map((sentence) => (
        <p key={sentence} data-tone="attention">
          {visibleControls(sentence)}
        </p>
      ))}
      <h3>{written.length === 0 ? 'No file was written' : `Written: ${countOf(written.length, 'file')}`}</h3>
      <ul className="plan-written">
        {written.slice(0, named).map((path) => (
          <li key={path}>
            <code className="break">{visibleControls(tildePath(path, home))}</code>
          </li>
        ))}
        {written.length > named && <li className="soft">and {written.length - named} more</li>}
      </ul>
    </div>
  );
}
