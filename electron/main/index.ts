import './uncaught';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { app, ipcMain, Menu, shell } from 'electron';
import { hashOfLink } from '@shared/shell';
import { type EngineOptions, encodeOptions, optionsVariable, parseWindowOptions } from '../engine/options';
import { offerContextMenu } from './context-menu';
import { EngineProcess } from './engine-process';
import { guardContents } from './links';
import { applicationMenu } from './menu';
import { isFromPage } from './page';
import { restrictSession } from './permissions';
import { registerPageScheme, servePage } from './protocol';
import { openTerminal } from './terminal/terminal';
import { openWindow, sendCommand, sendPort, showWindow } from './windows';

/** The last link among the arguments of a start, as a location hash. */
function linkIn(args: readonly string[]): string | null {
  return args.map(hashOfLink).findLast((hash) => hash !== null) ?? null;
}

/**
 * Electron's own data (window state, caches, the log) lies in a folder apart from the library, which on some systems
 * is called like the app. A window on another home or library is an app of its own: own state, own single instance.
 */
function keepApart({ home, library }: EngineOptions): void {
  const other = home === undefined && library === undefined ? null : createHash('sha256').update(`${home ?? ''}\0${library ?? ''}`).digest('hex');
  app.setPath('userData', join(app.getPath('userData'), 'window', other?.slice(0, 16) ?? 'own'));
}

function run(options: EngineOptions): void {
  const engine = new EngineProcess({ [optionsVariable]: encodeOptions(options) });
  let opening = linkIn(process.argv);

  registerPageScheme();
  guardContents();
  offerContextMenu();
  // An installed app opens `retrace:` links; a checkout leaves the system's settings alone.
  if (app.isPackaged) app.setAsDefaultProtocolClient('retrace');
  app.on('second-instance', (_event, args) => showWindow(linkIn(args)));
  // macOS hands a link over by this event, also before the app is ready.
  app.on('open-url', (event, link) => {
    event.preventDefault();
    const hash = hashOfLink(link);
    if (app.isReady()) showWindow(hash);
    else opening = hash ?? opening;
  });
  app.on('window-all-closed', () => process.platform !== 'darwin' && app.quit());
  app.on('quit', () => engine.end());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit());
  // Only shows where it lies: nothing is opened.
  ipcMain.on('retrace:show-file', (event, path: unknown) => {
    if (isFromPage(event) && typeof path === 'string') shell.showItemInFolder(path);
  });
  ipcMain.on('retrace:connect', (event) => isFromPage(event) && sendPort(event, engine.connect()));
  ipcMain.handle('retrace:terminal', (event, entry: unknown) => (isFromPage(event) ? openTerminal(entry, () => engine.connect()) : null));

  void app.whenReady().then(() => {
    engine.start();
    servePage();
    restrictSession();
    Menu.setApplicationMenu(applicationMenu(sendCommand, openWindow));
    openWindow(opening ?? '');
    app.on('activate', () => showWindow(null));
  });
}

const parsed = parseWindowOptions(process.argv.slice(1), process.cwd());
if (!('options' in parsed)) {
  process.stderr.write(`${'problem' in parsed ? parsed.problem : parsed.help}\n`);
  app.exit(2);
} else {
  keepApart(parsed.options);
  if (app.requestSingleInstanceLock()) {
    run(parsed.options);
  } else {
    process.stderr.write('Retrace is open already: its window comes to the front.\n');
    app.exit(0);
  }
}
