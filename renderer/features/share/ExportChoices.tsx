import { useEffect, useState } from 'react';
import type { ExportFormat, ExportScope } from '@shared/model';
import { choose, formats, setWords, useExport } from './state';
import { formatWords } from './words';

/** What leaves, and in which form. */
export function ExportChoices() {
  const { choice, step } = useExport();
  const disabled = step.kind === 'writing' || step.kind === 'done';
  return (
    <form className="export-choices" aria-label="What to export" onSubmit={(event) => event.preventDefault()}>
      <fieldset disabled={disabled}>
        <legend>Format</legend>
        {formats.map((format) => (
          <Format key={format} format={format} chosen={choice.format === format} />
        ))}
      </fieldset>
      <fieldset disabled={disabled}>
        <legend>Messages</legend>
        <Scope />
      </fieldset>
      <fieldset disabled={disabled}>
        <legend>With</legend>
        <Check label="Tool output" checked={choice.toolOutput} disabled={choice.format === 'bundle'} onChange={(toolOutput) => choose({ toolOutput })} />
        <Check label="Reasoning" checked={choice.reasoning} disabled={choice.format === 'bundle'} onChange={(reasoning) => choose({ reasoning })} />
        <Check label="Subagents" checked={choice.subagents && choice.format !== 'opencode'} disabled={choice.format === 'opencode'} onChange={(subagents) => choose({ subagents })} />
      </fieldset>
      <fieldset disabled={disabled}>
        <legend>Masked</legend>
        <Check label="Secrets, home folders, mail addresses, words" checked={choice.redact} onChange={(redact) => choose({ redact })} />
        {choice.redact && <Words />}
      </fieldset>
    </form>
  );
}

function Format({ format, chosen }: { format: ExportFormat; chosen: boolean }) {
  const { name, note } = formatWords[format];
  return (
    <label className="export-choice">
      <input type="radio" name="export-format" checked={chosen} onChange={() => choose({ format })} />
      <span>{name}</span>
      <span className="soft export-note">{note}</span>
    </label>
  );
}

function Check({ label, checked, disabled = false, onChange }: { label: string; checked: boolean; disabled?: boolean; onChange(checked: boolean): void }) {
  return (
    <label className="export-choice">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

function Scope() {
  const { choice, branches } = useExport();
  const { scope } = choice;
  return (
    <>
      <ScopeChoice label="All" chosen={scope.kind === 'whole'} scope={{ kind: 'whole' }} />
      {branches.length > 1 && (
        <label className="export-choice">
          <input type="radio" name="export-scope" checked={scope.kind === 'branch'} onChange={() => choose({ scope: { kind: 'branch', branch: 'current' } })} />
          <span>Branch</span>
          <select aria-label="Branch" value={scope.kind === 'branch' ? scope.branch : 'current'} onChange={(event) => choose({ scope: { kind: 'branch', branch: event.target.value } })}>
            {branches.map(({ id, current }) => (
              <option key={id} value={current ? 'current' : id}>
                {current ? 'current' : id}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="export-choice">
        <input type="radio" name="export-scope" checked={scope.kind === 'turns'} onChange={() => choose({ scope: { kind: 'turns', branch: null, from: 1, to: 1 } })} />
        <span>Turns</span>
        <TurnRange scope={scope} />
      </label>
    </>
  );
}

const ScopeChoice = ({ label, chosen, scope }: { label: string; chosen: boolean; scope: ExportScope }) => (
  <label className="export-choice">
    <input type="radio" name="export-scope" checked={chosen} onChange={() => choose({ scope })} />
    <span>{label}</span>
  </label>
);

function TurnRange({ scope }: { scope: ExportScope }) {
  const turns = scope.kind === 'turns' ? scope : null;
  const set = (from: number, to: number) => choose({ scope: { kind: 'turns', branch: null, from, to: Math.max(from, to) } });
  return (
    <span className="export-turns">
      <input type="number" min={1} aria-label="First turn" value={turns?.from ?? 1} onChange={(event) => set(Math.max(1, event.target.valueAsNumber || 1), turns?.to ?? 1)} />
      <span className="soft">to</span>
      <input type="number" min={1} aria-label="Last turn" value={turns?.to ?? 1} onChange={(event) => set(turns?.from ?? 1, Math.max(1, event.target.valueAsNumber || 1))} />
    </span>
  );
}

/** Chosen words, kept in the library for every export. */
function Words() {
  const words = useExport((state) => state.words);
  const [typed, setTyped] = useState(words.join(', '));
  useEffect(() => setTyped(words.join(', ')), [words]);
  const save = () => void setWords(typed);
  return (
    <label className="export-words">
      <span className="soft">These words too, in every export</span>
      <input
        type="text"
        value={typed}
        placeholder="a name, a customer"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => typed !== words.join(', ') && save()}
        onKeyDown={(event) => event.key === 'Enter' && save()}
      />
    </label>
  );
}
