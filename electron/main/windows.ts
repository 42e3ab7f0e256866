import { join } from 'node:path';
import { app, BrowserWindow, type IpcMainEvent, type MessagePortMain, nativeTheme, type WebContents } from 'electron';
import type { MenuCommand } from '@shared/shell';
import icon from './icon.png?asset';
import { pageAddress } from './page';
import { report } from './uncaught';
import { smallest } from './window-bounds';
import { keepState, openingState } from './window-state';

/** What is seen before the page has drawn itself; the page's own surface colours. */
const surface = { light: '#ffffff', dark: '#1d1e22' };

/** A page that crashes again within this time (ms) is left: loading it once more would only crash it once more. */
const reloadPause = 10_000;

/** Opens a window on the page; `hash` is where in it. */
export function openWindow(hash = ''): BrowserWindow {
  const { bounds, maximised } = openingState();
  const window = new BrowserWindow({
    ...bounds,
    minWidth: smallest.width,
    minHeight: smallest.height,
    show: false,
    title: app.name,
    icon,
    backgroundColor: nativeTheme.shouldUseDarkColors ? surface.dark : surface.light,
    webPreferences: {
      preload: join(import.meta.dirname, '../preload/index.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      // Its dictionaries would come from the network.
      spellcheck: false,
    },
  });
  if (maximised) window.maximize();
  window.once('ready-to-show', () => window.show());
  keepState(window);
  reloadAfterCrash(window.webContents);
  void window.loadURL(pageAddress + hash);
  return window;
}

/** A page whose process ended (it crashed, or the system took its memory) is loaded again, where it was. */
function reloadAfterCrash(contents: WebContents): void {
  let last = 0;
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    report(`the page ended (${reason}, ${exitCode})`);
    if (Date.now() - last < reloadPause) return;
    last = Date.now();
    contents.reload();
  });
}

function currentWindow(): BrowserWindow | undefined {
  return BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
}

/** Brings a window to the front, opening one when there is none; with a hash the page goes there. */
export function showWindow(hash: string | null): void {
  const window = currentWindow();
  if (!window) return void openWindow(hash ?? '');
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
  if (hash !== null) tell(window, 'retrace:open', hash);
}

export function sendCommand(command: MenuCommand): void {
  const window = currentWindow();
  if (window) tell(window, 'retrace:command', command);
  else openWindow();
}

/** A page that is still loading gets the message when its preload is there to keep it. */
function tell(window: BrowserWindow, channel: 'retrace:open' | 'retrace:command', value: string): void {
  const send = () => window.webContents.send(channel, value);
  if (window.webContents.isLoadingMainFrame()) window.webContents.once('did-finish-load', send);
  else send();
}

/** Answers a page with a port; only to the frame that asked. */
export function sendPort(event: IpcMainEvent, port: MessagePortMain): void {
  event.senderFrame?.postMessage('retrace:port', null, [port]);
}
