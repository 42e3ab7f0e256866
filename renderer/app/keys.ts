import { isMac } from '../shell';
import { actions, canRun, type Action } from './actions';
import { useFrame } from './frame';

/** A key press as actions name it: `mod+k`, `j`, `?`, `escape`. Shift is part of the character it makes. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'code'>): string {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  // With Alt a Mac keyboard makes another character; the key itself is meant.
  const key = event.altKey && event.code.startsWith('Key') ? event.code.slice(3) : event.key;
  return `${mod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${key.toLowerCase()}`;
}

const symbols: Record<string, string> = { mod: isMac ? '⌘' : 'Ctrl', alt: isMac ? '⌥' : 'Alt', escape: 'Esc' };

/** `mod+k` as it is written for the person: the pieces go into one <kbd> each. */
export const keyPieces = (keys: string): string[] =>
  keys.split('+').map((piece) => symbols[piece] ?? (piece.length === 1 && keys.includes('+') ? piece.toUpperCase() : piece.length > 1 ? piece.toUpperCase() : piece));

const typesText = (target: EventTarget | null): boolean => target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

function actionOf(event: KeyboardEvent): Action | undefined {
  const name = keyName(event);
  const other = isMac ? event.ctrlKey : event.metaKey;
  if (other || event.isComposing) return undefined;
  if (typesText(event.target) && !name.includes('mod+') && name !== 'escape') return undefined;
  // A key may stand for one thing in the timeline and for another among the files.
  const named = actions.filter((action) => action.keys.includes(name));
  return named.find(canRun) ?? named[0];
}

/** Listens to the keyboard; called once. Plain keys belong to a dialog while one is open. */
export function listenToKeys(): void {
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    const action = actionOf(event);
    if (!action) return;
    const sheet = useFrame.getState().sheet !== null || document.querySelector('[role="dialog"], [role="menu"]') !== null;
    if (sheet && action.id !== 'palette') return;
    if (!canRun(action)) {
      // The browser's own find would search a page of which most parts are not loaded.
      if (action.id === 'find') event.preventDefault();
      return;
    }
    event.preventDefault();
    action.run();
  });
}
