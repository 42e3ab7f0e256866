import { asFilledText, asNumber, asObject, asTexts, type Fields } from '../foreign/fields';
import { jsonFile, timeOf } from './json';
import { sessionName, type SessionName } from './session-name';

/** One entry of `task_sessions`: the session that a task of the plan was given to. */
export interface BoulderTask {
  key: string;
  label: string | null;
  title: string | null;
  session: SessionName | null;
  agent: string | null;
  category: string | null;
  status: string | null;
  started: string | null;
  updated: string | null;
  ended: string | null;
  elapsedMs: number | null;
}

export interface BoulderSession extends SessionName {
  /** `direct` or `appended`; null where the file does not say. */
  origin: string | null;
}

/** A work on a plan. */
export interface BoulderWork {
  /** Null in the old layout, which knows one plan and no works. */
  id: string | null;
  /** As recorded: an absolute path. */
  plan: string | null;
  name: string | null;
  status: string | null;
  started: string | null;
  updated: string | null;
  ended: string | null;
  elapsedMs: number | null;
  agent: string | null;
  worktree: string | null;
  sessions: BoulderSession[];
  tasks: BoulderTask[];
}

export interface Boulder {
  layout: 'works' | 'flat';
  works: BoulderWork[];
  /** Id of the work that is the active one: the named one, else the newest. */
  active: string | null;
  /** What could not be read, in sentences. It never hides the rest. */
  problems: string[];
}

/** Reads boulder.json (FORMAT.md, "boulder.json"). */
export function readBoulder(bytes: Uint8Array): Boulder {
  const { fields, reason } = jsonFile(bytes);
  if (!fields) return { layout: 'flat', works: [], active: null, problems: [reason] };
  const works = asObject(fields['works']);
  if (fields['works'] !== undefined && !works) return { ...flat(fields), problems: ['Its `works` are no map: the fields of the active work are read instead.'] };
  if (!works) return flat(fields);
  const read: BoulderWork[] = [];
  const problems: string[] = [];
  for (const [id, value] of Object.entries(works)) {
    const work = asObject(value);
    if (work) read.push(workOf(work, asFilledText(work['work_id']) ?? id, problems));
    else problems.push(`Its work ${JSON.stringify(id.slice(0, 200))} is ${value === null ? 'null' : 'no object'}: Oh-My-OpenCode takes the whole file for absent because of that.`);
  }
  return { layout: 'works', works: read, active: activeOf(asFilledText(fields['active_work_id']), read), problems };
}

function flat(fields: Fields): Boulder {
  const problems: string[] = [];
  if (asFilledText(fields['active_plan']) === null) return { layout: 'flat', works: [], active: null, problems: ['It names no plan: Oh-My-OpenCode takes it for absent.'] };
  return { layout: 'flat', works: [workOf(fields, null, problems)], active: null, problems };
}

/** A name that names nothing gives way to the work that was written last; times that are none count as the oldest. */
function activeOf(named: string | null, works: readonly BoulderWork[]): string | null {
  if (named !== null && works.some(({ id }) => id === named)) return named;
  const [newest] = [...works].sort((a, b) => (b.updated ?? '').localeCompare(a.updated ?? ''));
  return newest?.id ?? null;
}

function workOf(fields: Fields, id: string | null, problems: string[]): BoulderWork {
  const origins = asObject(fields['session_origins']) ?? {};
  const tasks = asObject(fields['task_sessions']) ?? {};
  const plan = asFilledText(fields['active_plan']);
  const read: BoulderTask[] = [];
  for (const [key, value] of Object.entries(tasks)) {
    const task = asObject(value);
    if (task) read.push(taskOf(key, task));
    else problems.push(`Its task ${JSON.stringify(key.slice(0, 200))} is ${value === null ? 'null' : 'no object'}.`);
  }
  return {
    id, plan,
    name: asFilledText(fields['plan_name']) ?? (plan === null ? null : planName(plan)),
    status: asFilledText(fields['status']), agent: asFilledText(fields['agent']), worktree: asFilledText(fields['worktree_path']),
    started: timeOf(fields['started_at']), updated: timeOf(fields['updated_at']), ended: timeOf(fields['ended_at']), elapsedMs: asNumber(fields['elapsed_ms']),
    sessions: [...new Set(asTexts(fields['session_ids']))].map((text) => ({ ...sessionName(text), origin: originOf(origins, text) })),
    tasks: read,
  };
}

/** Origins are filed under the name as it stands in the list; a copied file may have one spelled the other way. */
function originOf(origins: Fields, text: string): string | null {
  const { agent, native } = sessionName(text);
  return asFilledText(origins[text]) ?? asFilledText(origins[native]) ?? asFilledText(origins[`${agent}:${native}`]);
}

function taskOf(key: string, task: Fields): BoulderTask {
  const session = asFilledText(task['session_id']);
  return {
    key: asFilledText(task['task_key']) ?? key, label: asFilledText(task['task_label']), title: asFilledText(task['task_title']), session: session === null ? null : sessionName(session),
    agent: asFilledText(task['agent']), category: asFilledText(task['category']), status: asFilledText(task['status']),
    started: timeOf(task['started_at']), updated: timeOf(task['updated_at']), ended: timeOf(task['ended_at']), elapsedMs: asNumber(task['elapsed_ms']),
  };
}

/** A plan's name is its file's, without the ending. */
export const planName = (path: string): string => (path.split(/[\\/]/).at(-1) ?? path).replace(/\.md$/i, '');
