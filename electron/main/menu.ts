import { Menu, type MenuItemConstructorOptions, shell } from 'electron';
import type { MenuCommand } from '@shared/shell';
import { logFile } from './uncaught';

const isMac = process.platform === 'darwin';

/** Everything here can also be reached in the page; the accelerators are those the page listens to, or the system's own. */
export function applicationMenu(send: (command: MenuCommand) => void, openWindow: () => void): Menu {
  const item = (label: string, command: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    ...(accelerator !== undefined && { accelerator }),
    click: () => send(command),
  });
  /** A plain key is for the page alone to act on: as a real accelerator it would be taken from whoever is typing. */
  const shown = (label: string, command: MenuCommand, key: string): MenuItemConstructorOptions =>
    isMac ? item(label, command) : { ...item(label, command, key), registerAccelerator: false };
  const separator: MenuItemConstructorOptions = { type: 'separator' };

  return Menu.buildFromTemplate([
    ...(isMac ? [{ role: 'appMenu' } satisfies MenuItemConstructorOptions] : []),
    {
      label: '&File',
      submenu: [
        // Closing the last window leaves a Mac app running.
        ...(isMac ? [{ label: 'New Window', accelerator: 'Cmd+N', click: () => openWindow() }] : []),
        item('Import a session…', 'import', 'CmdOrCtrl+O'),
        item('Bring the library up to date', 'reload-index', 'F5'),
        item('Library settings', 'library-settings', 'CmdOrCtrl+,'),
        separator,
        item('Export the session', 'export', 'CmdOrCtrl+S'),
        separator,
        isMac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    {
      label: '&Edit',
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        separator,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
        separator,
        item('Find in session', 'find', 'CmdOrCtrl+F'),
        shown('Search', 'search', '/'),
      ],
    },
    {
      label: '&View',
      submenu: [
        item('Command palette', 'palette', 'CmdOrCtrl+K'),
        shown('Plans and works', 'work', 'W'),
        shown('Journal of writes', 'journal', 'H'),
        separator,
        item('Show or hide the library', 'toggle-library', 'CmdOrCtrl+B'),
        item('Show or hide the inspector', 'toggle-inspector', 'CmdOrCtrl+Alt+B'),
        item('Switch between light and dark', 'theme'),
        separator,
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'resetZoom' },
        { role: 'togglefullscreen' },
        separator,
        { role: 'reload' },
        { role: 'toggleDevTools' },
      ],
    },
    ...(isMac ? [{ role: 'windowMenu' } satisfies MenuItemConstructorOptions] : []),
    {
      label: '&Help',
      role: 'help',
      submenu: [
        shown('Keyboard shortcuts', 'shortcuts', '?'),
        { label: 'Show the log file', click: () => shell.showItemInFolder(logFile()) },
        // On a Mac it stands in the app's own menu.
        ...(isMac ? [] : [{ role: 'about' } satisfies MenuItemConstructorOptions]),
      ],
    },
  ]);
}
