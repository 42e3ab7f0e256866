import { useEffect, useState } from 'react';
import { takeFiles, takeText, useImport } from './state';

/** Files, and links that are dragged from elsewhere; text that is dragged about in the page is none. */
const wanted = (types: readonly string[]): 'files' | 'link' | null => (types.includes('Files') ? 'files' : types.includes('text/uri-list') ? 'link' : null);

/** Drawn over the whole window while something is dragged that could be dropped to import it. */
export function DropTarget() {
  const [over, setOver] = useState<'files' | 'link' | null>(null);
  useEffect(() => {
    // Each element that is entered is told, and each that is left.
    let depth = 0;
    // What is dragged out of this page is not brought in.
    let own = false;
    const kindOf = (event: DragEvent) => (own ? null : wanted(event.dataTransfer?.types ?? []));
    const start = () => void (own = true);
    const end = () => void (own = false);
    const enter = (event: DragEvent) => {
      const kind = kindOf(event);
      if (kind === null) return;
      depth += 1;
      setOver(kind);
    };
    const leave = (event: DragEvent) => {
      if (kindOf(event) === null) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(null);
    };
    const hover = (event: DragEvent) => {
      if (kindOf(event) === null || !event.dataTransfer) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = isBusy() ? 'none' : 'copy';
    };
    const drop = (event: DragEvent) => {
      const kind = kindOf(event);
      if (kind === null || !event.dataTransfer) return;
      event.preventDefault();
      depth = 0;
      setOver(null);
      if (isBusy()) return;
      if (kind === 'files') void takeFiles([...event.dataTransfer.files]);
      else takeText(event.dataTransfer.getData('text/uri-list').split(/\r?\n/).find((line) => line !== '' && !line.startsWith('#')) ?? '');
    };
    const listeners = { dragstart: start, dragend: end, dragenter: enter, dragleave: leave, dragover: hover, drop } as const;
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener as (event: Event) => void);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener as (event: Event) => void);
    };
  }, []);
  if (over === null) return null;
  return (
    <div className="drop-target" role="status">
      <div>
        <strong>{isBusy() ? 'An import is at work: end it first' : over === 'files' ? 'Drop the file to import it' : 'Drop the link to import it'}</strong>
        <span className="soft">{over === 'files' ? 'An export of OpenCode, a transcript, a rollout, a chat history or a bundle. It is looked at first.' : 'It is looked at first.'}</span>
      </div>
    </div>
  );
}

/** Writing is not broken off by what is dropped. */
const isBusy = (): boolean => {
  const { step } = useImport.getState();
  return step.kind === 'applying' || (step.kind === 'undo' && step.applying);
};
