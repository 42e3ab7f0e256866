import type { JsonObject } from '../store';
import { isOddTime } from '../foreign/odd-time';
import { type Entry, entryOf, nameOf, oneLine } from './entry';

/**
 * What the lines of one file told of a session so far, kept small: it is stored with the source and continued by the
 * next batch. A type, not an interface, so that it is JSON by its shape.
 */
export type Tally = {
  created: number | null;
  updated: number | null;
  /** Lines with a time that cannot be true; left out where there are none. */
  odd?: number;
  /** First and last recorded working folder: they differ when the session moved. */
  cwd: string | null;
  lastCwd: string | null;
  branch: string | null;
  version: string | null;
  /** Release that wrote the first line that names one. */
  begunBy?: string;
  models: string[];
  /** Lines of each sort that make a conversation. */
  prompts: number;
  answers: number;
  commands: number;
  summaries: number;
  /** First human prompt, and the first text of any other sort. */
  prompt: string | null;
  text: string | null;
  customTitle: string | null;
  madeTitle: string | null;
  summaryTitle: string | null;
  lastPrompt: string | null;
  worktree: { path: string; name: string | null; branch: string | null; original: string | null } | null;
  /** The last word on the worktree was that it was left. */
  leftWorktree: boolean;
  /** Session the last copied line came from, and the field that names it. */
  copiedFrom: { session: string; field: string } | null;
  /** Prompts that were queued and not taken out of the queue. */
  queue: string[];
  damaged: number;
  /** Session uuid in the first line that has one (tells whose a subagent file is). */
  owner: string | null;
  description: string | null;
};

export const newTally = (): Tally => ({
  created: null, updated: null, cwd: null, lastCwd: null, branch: null, version: null, models: [], prompts: 0, answers: 0, commands: 0, summaries: 0,
  prompt: null, text: null, customTitle: null, madeTitle: null, summaryTitle: null, lastPrompt: null, worktree: null, leftWorktree: false, copiedFrom: null,
  queue: [], damaged: 0, owner: null, description: null,
});

/** A branch's name; outside a repository older releases write nothing and newer ones `HEAD`. */
export function branchName(value: unknown): string | null {
  const name = nameOf(value);
  return name === 'HEAD' ? null : name;
}

/** The model that answered; messages the program wrote itself have none. */
export function modelName(value: unknown): string | null {
  const name = nameOf(value);
  return name === '<synthetic>' ? null : name;
}

/** Distinct models kept by name; a session that used more names the first ones. */
const modelsKept = 24;
/** Queued prompts remembered, and characters of each. */
const queueKept = 8;

/** Takes what the common envelope of a chain line says. */
export function seeEnvelope(tally: Tally, entry: Entry, time: number | null): void {
  if (time !== null && isOddTime(time)) {
    tally.odd = (tally.odd ?? 0) + 1;
  } else if (time !== null) {
    tally.created ??= time;
    tally.updated = time;
  }
  const cwd = entry['cwd'];
  if (cwd !== tally.lastCwd) {
    const folder = nameOf(cwd);
    tally.cwd ??= folder;
    tally.lastCwd = folder ?? tally.lastCwd;
  }
  tally.branch = branchName(entry['gitBranch']) ?? tally.branch;
  const version = nameOf(entry['version']);
  if (version !== null) tally.begunBy ??= version;
  tally.version = version ?? tally.version;
  tally.owner ??= nameOf(entry['sessionId']);
}

export function seeModel(tally: Tally, model: string): void {
  if (tally.models.at(-1) === model) return;
  // The last one is the session's model: a known one moves to the end.
  const others = tally.models.filter((known) => known !== model);
  tally.models = others.length < modelsKept ? [...others, model] : [...others.slice(0, modelsKept - 1), model];
}

/** Prompts wait in a queue while the model works (FORMAT.md, "The queue"). */
export function seeQueue(tally: Tally, entry: Entry): void {
  const content = oneLine(nameOf(entry['content']) ?? '');
  switch (entry['operation']) {
    case 'enqueue':
      if (tally.queue.length < queueKept) tally.queue.push(content);
      break;
    case 'dequeue':
      tally.queue.shift();
      break;
    case 'remove': {
      const at = tally.queue.indexOf(content);
      if (at >= 0) tally.queue.splice(at, 1);
      break;
    }
    case 'popAll':
      tally.queue = [];
      break;
  }
}

export function seeWorktree(tally: Tally, entry: Entry): void {
  const session = entryOf(entry['worktreeSession']);
  const path = nameOf(session?.['worktreePath']);
  tally.leftWorktree = path === null;
  if (!session || path === null) return;
  tally.worktree = { path, name: nameOf(session['worktreeName']), branch: nameOf(session['worktreeBranch']), original: nameOf(session['originalCwd']) };
}

/** The tally as evidence, without what only the next batch needs. */
export function factsEvidence(tally: Tally): JsonObject {
  return { ...tally };
}
