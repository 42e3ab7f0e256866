import { join } from 'node:path';
import { app, type BrowserWindow, type Rectangle, screen } from 'electron';
import { report } from './uncaught';
import { readWindowState, visibleBounds, writeWindowState } from './window-bounds';

/** ms after the last move before it is written: a drag sends hundreds. */
const settled = 500;

function stateFile(): string {
  return join(app.getPath('userData'), 'window.json');
}

/** How the next window is to stand. */
export function openingState(): { bounds: Rectangle; maximised: boolean } {
  const saved = readWindowState(stateFile());
  const main = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== main.id);
  const workAreas = [main, ...others].map(({ workArea }) => workArea);
  return { bounds: visibleBounds(saved?.bounds ?? null, workAreas), maximised: saved?.maximised ?? false };
}

/** Remembers how a window stands, each time it comes to rest and when it closes. */
export function keepState(window: BrowserWindow): void {
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    try {
      writeWindowState(stateFile(), { bounds: window.getNormalBounds(), maximised: window.isMaximized() });
    } catch (error) {
      report('the window state could not be kept', error);
    }
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(write, settled);
  };
  window.on('resize', later);
  window.on('move', later);
  window.on('maximize', later);
  window.on('unmaximize', later);
  window.on('close', write);
  window.on('closed', () => clearTimeout(timer));
}
