import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';

/** Bytes; a log that has grown over this becomes `main.old.log`, and the one before that goes. */
const logLimit = 1024 * 1024;

/** Where the shell writes what went wrong; nothing of what a transcript says goes there. */
export function logFile(): string {
  return join(app.getPath('userData'), 'main.log');
}

/** To stderr and to the log file. Never throws: it is what is called when something else did. */
export function report(what: string, error?: unknown): void {
  const text = error === undefined ? what : `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  try {
    process.stderr.write(`retrace: ${text}\n`);
  } catch {
    // A closed terminal must not end the window.
  }
  try {
    const file = logFile();
    mkdirSync(dirname(file), { recursive: true });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logLimit) renameSync(file, file.replace(/\.log$/, '.old.log'));
    appendFileSync(file, `${new Date().toISOString()} ${text}\n`);
  } catch {
    // A full or read-only disk is no reason to stop either.
  }
}

// Electron's own handler shows a modal dialog and waits, which blocks the window (and hangs a test). Before there is a
// window nothing would be left to see, so the process ends; later the window goes on.
process.on('uncaughtException', (error) => {
  report('uncaught error', error);
  if (!app.isReady()) app.exit(1);
});
process.on('unhandledRejection', (reason) => report('unhandled rejection', reason));
// A reader of our output that went away (`npm start | head`) is no fault.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
