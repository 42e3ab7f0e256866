import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openHub } from '../engine/open-hub';
import { runCommandLine } from './run';

/** ms in which a second Ctrl-C is taken for an echo of the first: from the terminal and from npm. */
const echo = 500;

/** Entry of the `retrace` command. */
const interrupts = new Set<() => void>();
let interrupted = 0;
process.on('SIGINT', () => {
  if (interrupted > 0 && Date.now() - interrupted < echo) return;
  // Whoever asks again does not want to wait, and without a listener there is nothing to end in order.
  if (interrupted > 0 || interrupts.size === 0) process.exit(130);
  interrupted = Date.now();
  for (const listener of interrupts) listener();
});

const result = await runCommandLine(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  folder: process.cwd(),
  home: homedir(),
  variables: process.env,
  openHub: (options) => openHub(options, homedir(), { watch: false, idle: true }),
  onInterrupt(listener) {
    interrupts.add(listener);
    return () => interrupts.delete(listener);
  },
});
// All output is out by now; nothing that still lingers (a pipe, a timer) may hold the process.
if (typeof result === 'number') process.exit(result);

process.removeAllListeners('SIGINT');
// The server is a program of its own beside this one; it sees the arguments as if it had been called.
process.argv.splice(2, Infinity, ...result.serve);
await import(pathToFileURL(join(import.meta.dirname, 'serve.js')).href);
