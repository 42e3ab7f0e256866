import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type FormEvent, useEffect, useRef } from 'react';
import { ImportBody } from './ImportBody';
import { ImportFoot } from './ImportFoot';
import { ImportSide } from './ImportSide';
import { closeImport, lookAtText, takeFiles, useImport } from './state';

/** Brings a session in: what it is at the left, what would be written at the right, one button. */
export function ImportSheet() {
  const open = useImport((state) => state.open);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && closeImport()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content
          className="sheet import-sheet" aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // The field; but not when a link filled it in: Enter is not to fetch by chance.
            event.preventDefault();
            const sheet = event.target as HTMLElement;
            if (useImport.getState().byLink) sheet.focus();
            else sheet.querySelector<HTMLElement>('#import-from')?.focus();
          }}
        >
          <header>
            <Dialog.Title>Import a session</Dialog.Title>
            <Dialog.Close className="bare-icon" aria-label="Close">
              <X size={14} aria-hidden />
            </Dialog.Close>
          </header>
          <div className="import-columns">
            <section className="import-main" aria-label="What is imported">
              <Field />
              <ImportBody />
            </section>
            <ImportSide />
          </div>
          <ImportFoot />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A link or a path, or the system's own dialog. */
function Field() {
  const { text, byLink, step } = useImport();
  const chooser = useRef<HTMLInputElement>(null);
  const isBusy = step.kind === 'sending' || step.kind === 'looking' || step.kind === 'applying' || step.kind === 'undo';
  // One button stands out: here until there is something to take in.
  const isFirst = step.kind === 'asking' || step.kind === 'refused';
  const field = useRef<HTMLInputElement>(null);
  // What was pressed is gone; what was typed can be mended.
  useEffect(() => {
    if (step.kind === 'refused') field.current?.focus();
  }, [step.kind]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    lookAtText();
  };
  return (
    <form className="import-field" onSubmit={submit}>
      <label htmlFor="import-from">Link, or path of a file</label>
      <div>
        <input
          ref={field} id="import-from" type="text" value={text} disabled={isBusy} spellCheck={false} autoComplete="off" placeholder="https://opncd.ai/share/…"
          onChange={(event) => useImport.setState({ text: event.target.value, byLink: false })}
        />
        <button type="submit" className={isFirst ? 'button import-go' : 'button'} disabled={isBusy || text.trim() === ''}>
          {byLink ? 'Fetch and look' : 'Look'}
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => chooser.current?.click()}>
          Choose a file…
        </button>
        <input
          ref={chooser} type="file" hidden aria-label="File to import"
          onChange={(event) => {
            void takeFiles([...(event.target.files ?? [])]);
            // The same file can be chosen again.
            event.target.value = '';
          }}
        />
      </div>
    </form>
  );
}
