import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { MessagePortMain } from 'electron';
import { openLink } from '@shared/link';
import { ManualPort } from '@shared/port';
import { report } from '../uncaught';
import { launchOf, type Launch } from './launch';

/** A terminal that fails does so at once; after this long it is taken to be open, ms. */
const startPatience = 1_500;
const longestName = 100;

/**
 * Opens the person's terminal on what an entry of the journal made. The page names the entry and nothing else: the words
 * come from the engine. Gives a sentence where no terminal is opened.
 */
export async function openTerminal(entry: unknown, connect: () => MessagePortMain): Promise<string | null> {
  if (typeof entry !== 'string' || entry.length === 0 || entry.length > longestName) return 'There is no such entry in the journal.';
  const port = connect();
  try {
    const found = await openLink(linkPort(port)).call('journal.entry', { id: entry });
    if (!found) return 'There is no such entry in the journal.';
    if (!found.resume) return 'Nothing can be gone on with here.';
    return await start(launchOf(found.resume, { platform: process.platform, variables: process.env, find, isFolder }));
  } catch (error) {
    report('a terminal could not be opened', error);
    return 'The engine did not answer: no terminal was opened.';
  } finally {
    port.close();
  }
}

function linkPort(native: MessagePortMain): ManualPort {
  const port = new ManualPort((data) => native.postMessage(data));
  native.on('message', ({ data }) => port.deliver(data));
  native.on('close', () => port.closed());
  native.start();
  return port;
}

/** Null when it runs. */
function start(launch: Launch): Promise<string | null> {
  if ('refused' in launch) return Promise.resolve(launch.refused);
  const { file, args, cwd, script } = launch;
  const words = script === undefined ? args : [...args, scriptFile(script)];
  return new Promise((done) => {
    const child = spawn(file, words, { cwd, detached: true, stdio: 'ignore', shell: false });
    const timer = setTimeout(() => done(null), startPatience);
    child.once('error', (error) => {
      clearTimeout(timer);
      done(`${file} could not be started: ${error.message}.`);
    });
    // Some terminals hand over to one that runs already, and end well.
    child.once('exit', (code) => {
      clearTimeout(timer);
      done(code === 0 || code === null ? null : `${file} ended at once with code ${code}.`);
    });
    child.unref();
  });
}

/** In a folder of its own that only this user can enter. */
function scriptFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'retrace-terminal-')), 'resume.command');
  writeFileSync(path, text, { mode: 0o700, flag: 'wx' });
  return path;
}

function find(program: string): string | null {
  const places = isAbsolute(program) ? [program] : /[/\\]/.test(program) ? [] : (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute).map((folder) => join(folder, program));
  return places.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
