import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { MenuCommand, Shell } from '@shared/shell';

/** Keeps what comes before the page listens: a link may be opened while the page is still loading. */
function subject<T>(): { put(value: T): void; listen(listener: (value: T) => void): () => void } {
  const listeners = new Set<(value: T) => void>();
  let early: T[] = [];
  return {
    put(value) {
      if (listeners.size === 0) early.push(value);
      for (const listener of listeners) listener(value);
    },
    listen(listener) {
      listeners.add(listener);
      for (const value of early) listener(value);
      early = [];
      return () => listeners.delete(listener);
    },
  };
}

const opened = subject<string>();
const commands = subject<MenuCommand>();

const shell: Shell = {
  shell: 'electron',
  platform: process.platform,
  connect: () => ipcRenderer.send('retrace:connect'),
  showFile: (path) => ipcRenderer.send('retrace:show-file', path),
  pathOf: (file) => (file instanceof File ? webUtils.getPathForFile(file) : ''),
  openTerminal: (entry) => ipcRenderer.invoke('retrace:terminal', entry),
  onOpen: opened.listen,
  onCommand: commands.listen,
};
contextBridge.exposeInMainWorld('retrace', shell);

// The bridge cannot carry a port, so it goes to the page as a window message.
ipcRenderer.on('retrace:port', (event) => window.postMessage('retrace:port', window.origin, [...event.ports]));
ipcRenderer.on('retrace:open', (_event, hash: string) => opened.put(hash));
ipcRenderer.on('retrace:command', (_event, command: MenuCommand) => commands.put(command));
