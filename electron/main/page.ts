import type { IpcMainEvent, IpcMainInvokeEvent } from 'electron';
import { app, BrowserWindow } from 'electron';

/** electron-vite's development server; only looked at in a checkout, and only on this machine. */
function developmentServer(): URL | null {
  const address = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  if (!address || !URL.canParse(address)) return null;
  const url = new URL(address);
  return url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) ? url : null;
}

const server = developmentServer();
/** True under `electron-vite dev`, where the page is served by a development server that also talks to it. */
export const inDevelopment = server !== null;
/** The private scheme gives the page an origin of its own, which `file:` does not have. */
const origin = server?.origin ?? 'app://retrace';

/** The address of the page. */
export const pageAddress = server?.href ?? `${origin}/index.html`;

/** Whether an address (or an origin) is the page's, whatever file or hash it names. */
export function isPage(address: string): boolean {
  return address === origin || address.startsWith(`${origin}/`);
}

/** Whether a message comes from our page itself: the main frame of a window that we opened, showing our address. */
export function isFromPage({ sender, senderFrame }: IpcMainEvent | IpcMainInvokeEvent): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && BrowserWindow.fromWebContents(sender) !== null && isPage(senderFrame.url);
}
