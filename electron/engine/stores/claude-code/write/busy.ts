import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NativeId } from '@shared/model';
import type { BusyReport, Draft, StoreLocation } from '../../store';
import { encodedFolder } from '../encode';
import { nameOf, numberOf } from '../entry';
import { sessionPart } from '../places';
import { fileAt, namesIn } from './on-disk';
import { runningSession } from './release';

/** Milliseconds a transcript is watched, and longer when its last change is that fresh: a program that answers writes a line every now and then. */
const watched = 400;
const watchedLong = 1_500;
const fresh = 10_000;
/** Processes and their own files looked at. */
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
  const folder = join(location.folder, 'sessions');
  const running: Running = { busy: null, checked: [], others: new Set() };
  const names = namesIn(folder).filter((name) => /^\d+\.json$/.test(name));
  for (const name of names.slice(0, processesAsked)) {
    const said = runningSession(join(folder, name));
    const pid = numberOf(said?.['pid']) ?? Number.parseInt(name, 10);
    const isOurs = said?.['sessionId'] === session;
    if (!sameSpace(nameOf(said?.['pidDomain']))) {
      if (isOurs) running.checked.push(`sessions/${name} names this session, but comes from another machine or container: whether it still runs cannot be known here.`);
    } else if (isAlive(pid, nameOf(said?.['procStart']))) {
      if (isOurs) running.busy ??= `Claude Code has this session open (process ${pid}).`;
      else running.others.add(pid);
    }
  }
  running.checked.push(`${names.length === 0 ? 'No running Claude Code has left a file' : `The ${names.length === 1 ? 'file' : `${names.length} files`} of running programs`} in ${folder}${names.length === 0 ? '.' : ' were asked which session they are in.'}`);
  return running;
}

/** A process is told by its number only inside its own space of numbers. */
function sameSpace(domain: string | null): boolean {
  if (domain === null || process.platform !== 'linux') return true;
  try {
    return domain.endsWith(readlinkSync('/proc/self/ns/pid'));
  } catch {
    return true;
  }
}

function isAlive(pid: number, started: string | null): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process is there all the same.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const since = started === null ? null : startOf(pid);
  return since === null || since === started;
}

/** When a process began, in clock ticks since the machine did; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
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
