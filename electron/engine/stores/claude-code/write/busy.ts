import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NativeId } from '@shared/model';
import type { BusyReport, Draft, StoreLocation } from '../../store';
import { encodedFolder } from '../encode';
import { sessionPart } from '../places';
import { fileAt } from './on-disk';
import { runningPrograms } from './running';

/** Milliseconds a transcript is watched, and longer when its last change is that fresh: a program that answers writes a line every now and then. */
const watched = 400;
const watchedLong = 1_500;
const fresh = 10_000;
/** Processes looked at. */
const processesAsked = 5_000;

/**
 * Whether Claude Code is at work on what a draft would change. A draft that only makes new files touches nothing of
 * the program's. Since 2.1.332 a running program says in `sessions/<pid>.json` which session it is in; older ones do not.
 */
export async function busy(location: StoreLocation, native: NativeId, draft: Draft): Promise<BusyReport> {
  const touched = draft.steps.flatMap((step) => (step.kind === 'file' && step.before.state === 'present' ? [step.path] : []));
  if (touched.length === 0) return { busy: null, checked: ['Only new files are made: nothing that Claude Code may be writing is touched.'] };
  const transcripts = touched.filter((path) => path.endsWith('.jsonl'));
  const running = runningFor(location, sessionPart(native));
  // Asked one after the other: the first that sees something is enough.
  const seen = running.busy ?? programIn(transcripts, running.others) ?? (await growing(transcripts));
  return {
    busy: seen,
    checked: [
      ...running.checked,
      process.platform === 'linux' ? 'The processes of this machine were asked whether one is a Claude Code in the session’s folder.' : 'Other processes cannot be asked on this system where they work.',
      'The transcript was watched for a moment: it did not grow.',
      'Claude Code before 2.1.332 leaves no sign of which session it is in while it waits for a prompt: leave it before you go on.',
    ],
  };
}

interface Running {
  busy: string | null;
  checked: string[];
  /** Living programs that say they are in another session. */
  others: Set<number>;
}

function runningFor(location: StoreLocation, session: string): Running {
  const programs = runningPrograms(location.folder);
  const folder = join(location.folder, 'sessions');
  const ours = programs.filter((program) => program.session === session);
  const open = ours.find(({ state }) => state === 'alive');
  return {
    busy: open ? `Claude Code has this session open (process ${open.pid}).` : null,
    checked: [
      ...ours.filter(({ state }) => state === 'elsewhere').map(({ file }) => `sessions/${file} names this session, but comes from another machine or container: whether it still runs cannot be known here.`),
      programs.length === 0 ? `No running Claude Code has left a file in ${folder}.` : `The ${programs.length === 1 ? 'file of a running program' : `${programs.length} files of running programs`} in ${folder} ${programs.length === 1 ? 'was' : 'were'} asked for the session.`,
    ],
    others: new Set(programs.flatMap(({ state, pid, session: other }) => (state === 'alive' && other !== session ? [pid] : []))),
  };
}

/** A Claude Code that works in the folder of a transcript and does not say which session it is in: it may be an older one, in this session. */
function programIn(transcripts: readonly string[], others: ReadonlySet<number>): string | null {
  if (process.platform !== 'linux') return null;
  const projects = new Set(transcripts.map((path) => basename(dirname(path))));
  try {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)).slice(0, processesAsked)) {
      const pid = Number(name);
      if (others.has(pid) || !isClaude(pid)) continue;
      if (projects.has(encodedFolder(folderOf(pid)))) return `A Claude Code runs in the session’s folder (process ${pid}) and does not say which session it is in.`;
    }
  } catch {
    return null;
  }
  return null;
}

/** Folder a process works in; empty where it cannot be told, or is a path of another container. */
function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`) === readlinkSync('/proc/self/ns/mnt') ? readlinkSync(`/proc/${pid}/cwd`) : '';
  } catch {
    // Ended meanwhile, or another user’s.
    return '';
  }
}

/** True for a process that is the program: by its own name, or started by node or bun. */
function isClaude(pid: number): boolean {
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'claude') return true;
    const [program, script] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return basename(program ?? '') === 'claude' || (/^(node|bun)$/.test(basename(program ?? '')) && /(^|\/)(claude|@anthropic-ai\/claude-code\/cli\.js)$/.test(script ?? ''));
  } catch {
    return false;
  }
}

async function growing(paths: readonly string[]): Promise<string | null> {
  const before = paths.map((path) => fileAt(path));
  const isYoung = before.some((stat) => stat !== null && Math.abs(Date.now() - stat.mtimeMs) < fresh);
  await pause(isYoung ? watchedLong : watched);
  const grown = paths.find((path, at) => fileAt(path)?.size !== before[at]?.size || fileAt(path)?.mtimeMs !== before[at]?.mtimeMs);
  return grown === undefined ? null : `${grown} is being written.`;
}
