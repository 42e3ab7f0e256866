import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { type NativeId, nativeId } from '@shared/model';
import type { Companion, Environment, StoreLocation, WatchSpec } from '../store';

/**
 * What a source holds, told by its key (FORMAT.md, "Where things are").
 * - `transcript`: one session's lines; `agent`: one subagent's lines
 * - `meta`, `title`, `todos`, `task`, `job`: small JSON files beside them
 * - `output`: a tool output that was too long for the transcript
 * - `memory`: a Markdown file of the project's auto memory
 */
export type SourceKind = 'transcript' | 'agent' | 'meta' | 'title' | 'todos' | 'task' | 'job' | 'output' | 'memory';

export interface Place {
  kind: SourceKind;
  /** Session uuid the file lies under or is named after; null where only its lines can tell. */
  session: string | null;
  /** Agent id of a subagent's files, without the `agent-` of the name. */
  agent: string | null;
}

/** Folder of a project's auto memory, beside its sessions. */
export const memoryFolder = 'memory';

/** Native id of a session's subagent. */
export const agentNative = (session: string, agent: string): NativeId => nativeId(`${session}.agent-${agent}`);

/** Native id of a subagent that release 1.0.x wrote into its session's own file. */
export const sidechainNative = (session: string, root: string): NativeId => nativeId(`${session}.sidechain-${root}`);

export const isSubagent = (native: string): boolean => native.includes('.agent-') || native.includes('.sidechain-');

/** The session uuid that a native id belongs to. */
export function sessionPart(native: string): string {
  const dot = native.search(/\.(agent|sidechain)-/);
  return dot < 0 ? native : native.slice(0, dot);
}

/** Tells what a key is; null for a file that is none of ours. */
export function placeOf(key: string): Place | null {
  const steps = key.split('/');
  const name = steps.at(-1) ?? '';
  switch (steps[0]) {
    case 'projects':
      if (steps.length > 3 && steps[2] === memoryFolder) return name.endsWith('.md') ? { kind: 'memory', session: null, agent: null } : null;
      return steps.length === 3 ? topFile(name) : sessionFile(steps, name);
    case 'todos': {
      if (steps.length !== 2 || !name.endsWith('.json')) return null;
      const [session, agent] = name.slice(0, -5).split('-agent-');
      return { kind: 'todos', session: session ?? null, agent: agent === undefined || agent === session ? null : agent };
    }
    case 'tasks':
      return steps.length === 3 && name.endsWith('.json') ? { kind: 'task', session: steps[1] ?? null, agent: null } : null;
    case 'jobs':
      return steps.length === 3 && name === 'state.json' ? { kind: 'job', session: null, agent: null } : null;
    default:
      return null;
  }
}

/** Transcripts are read as they lie there: a source's stream is its file (FORMAT.md, "Streams"). */
export function transcriptOf(key: string): string | null {
  const kind = placeOf(key)?.kind;
  return kind === 'transcript' || kind === 'agent' ? key : null;
}

/** Saved output lies in a folder named after its session, memory beside all sessions of a folder. */
export function companionOf(key: string): Companion | null {
  const kind = placeOf(key)?.kind;
  const [projects, folder, session] = key.split('/');
  if (kind === 'memory') return { beside: `${projects}/${folder}/` };
  return kind === 'output' ? { beside: `${projects}/${folder}/${session}` } : null;
}

/** Files of a session are kept as they are; what belongs to several (tasks, jobs, memory) is not written back with one. */
export function restoredAt(key: string): string | null {
  const kind = placeOf(key)?.kind;
  return kind !== undefined && ['transcript', 'agent', 'meta', 'title', 'output'].includes(kind) ? key : null;
}

function topFile(name: string): Place | null {
  if (!name.endsWith('.jsonl')) return null;
  const stem = name.slice(0, -6);
  // Release 2.0.x keeps subagents beside the sessions; whose they are stands in their lines.
  if (stem.startsWith('agent-')) return { kind: 'agent', session: null, agent: stem.slice(6) };
  return stem === '' ? null : { kind: 'transcript', session: stem, agent: null };
}

function sessionFile(steps: string[], name: string): Place | null {
  const session = steps[2] ?? '';
  if (steps.length === 4 && name === 'custom-title.json') return { kind: 'title', session, agent: null };
  if (steps[3] === 'tool-results' && steps.length === 5) return { kind: 'output', session, agent: null };
  if (steps[3] !== 'subagents' || !name.startsWith('agent-')) return null;
  if (name.endsWith('.meta.json')) return { kind: 'meta', session, agent: name.slice(6, -10) };
  if (name.endsWith('.jsonl')) return { kind: 'agent', session, agent: name.slice(6, -6) };
  return null;
}

/** The root is `CLAUDE_CONFIG_DIR`, else `~/.claude`; a folder the person added counts when it is such a root or holds one. */
export function locate(environment: Environment): StoreLocation[] {
  const configured = environment.variables['CLAUDE_CONFIG_DIR'];
  const found: StoreLocation[] = [];
  const add = (folder: string, origin: StoreLocation['origin']) => {
    if (!found.some((location) => location.folder === folder)) found.push({ agent: 'claude-code', folder, origin });
  };
  if (configured) add(isAbsolute(configured) ? resolve(configured) : resolve(environment.home, configured), 'environment');
  else add(join(environment.home, '.claude'), 'default');
  for (const folder of environment.added) {
    const root = [resolve(folder), join(resolve(folder), '.claude')].find(looksLikeRoot);
    if (root !== undefined) add(root, 'added');
  }
  return found;
}

/** A folder called `projects` is common; one with transcripts two levels down is ours. */
function looksLikeRoot(folder: string): boolean {
  try {
    const projects = join(folder, 'projects');
    return readdirSync(projects, { withFileTypes: true }).some(
      (entry) => entry.isDirectory() && readdirSync(join(projects, entry.name)).some((name) => name.endsWith('.jsonl') && statSync(join(projects, entry.name, name)).isFile()),
    );
  } catch {
    return false;
  }
}

/** Folders whose changes mean something new. Locks and half-written files never do. */
export function watch(location: StoreLocation): WatchSpec {
  return { folders: ['projects', 'todos', 'tasks', 'jobs'].map((name) => join(location.folder, name)), ignore: /(\.lock|\.tmp|\.swp|~|timeline\.jsonl|parent-transcript\.jsonl)$/ };
}
