import { asFilledText, asNumber, asObject, asObjects } from '../foreign/fields';
import { jsonFile, timeOf, timeOfSeconds } from './json';
import { sessionName } from './session-name';

/** A read file, or what is wrong with it. */
export type Read<T> = { value: T; problem?: never } | { value?: never; problem: string };

/** Whether something will go on by itself in a session, as the plugin last wrote it down (FORMAT.md, "Markers"). */
export interface Marker {
  session: string;
  updated: string | null;
  /** Any source says so. */
  active: boolean;
  sources: { name: string; state: string; reason: string | null; updated: string | null }[];
}

export function readMarker(bytes: Uint8Array, fileName: string): Read<Marker> {
  const { fields, reason } = jsonFile(bytes);
  if (!fields) return { problem: reason };
  const sources = Object.entries(asObject(fields['sources']) ?? {}).flatMap(([name, value]) => {
    const source = asObject(value);
    return source ? [{ name, state: asFilledText(source['state']) ?? 'unknown', reason: asFilledText(source['reason']), updated: timeOf(source['updatedAt']) }] : [];
  });
  return {
    value: {
      session: sessionName(asFilledText(fields['sessionID']) ?? nameIn(fileName)).native, updated: timeOf(fields['updatedAt']), sources,
      active: sources.some(({ state }) => state === 'active'),
    },
  };
}

/** What a session was told to reach (`/goal`). */
export interface Goal {
  session: string;
  objective: string;
  status: string;
  tokensUsed: number | null;
  secondsUsed: number | null;
  created: string | null;
  updated: string | null;
  completed: string | null;
}

export function readGoal(bytes: Uint8Array, fileName: string): Read<Goal> {
  const { fields, reason } = jsonFile(bytes);
  if (!fields) return { problem: reason };
  const goal = asObject(fields['goal']);
  if (!goal) return { problem: 'It holds no goal.' };
  return {
    value: {
      session: sessionName(asFilledText(goal['sessionID']) ?? nameIn(fileName)).native, objective: asFilledText(goal['objective']) ?? '', status: asFilledText(goal['status']) ?? 'unknown',
      tokensUsed: asNumber(goal['tokensUsed']), secondsUsed: asNumber(goal['timeUsedSeconds']),
      created: timeOfSeconds(goal['createdAt']), updated: timeOfSeconds(goal['updatedAt']), completed: timeOfSeconds(goal['completedAt']),
    },
  };
}

/** Goals as the side bar shows them, or as the Codex edition keeps them with what they are judged by. */
export interface GoalList {
  session: string;
  active: string | null;
  goals: { id: string; title: string; status: string; criteria: { text: string; status: string }[] }[];
}

export function readGoalList(bytes: Uint8Array, folderName: string): Read<GoalList> {
  const { fields, reason } = jsonFile(bytes);
  if (!fields) return { problem: reason };
  return {
    value: {
      session: sessionName(nameIn(folderName)).native, active: asFilledText(fields['activeGoalId']),
      goals: asObjects(fields['goals']).map((goal) => ({
        id: asFilledText(goal['id']) ?? '', title: asFilledText(goal['title']) ?? asFilledText(goal['objective']) ?? '', status: asFilledText(goal['status']) ?? 'unknown',
        criteria: asObjects(goal['successCriteria']).map((item) => ({
          text: asFilledText(item['title']) ?? asFilledText(item['scenario']) ?? asFilledText(item['text']) ?? asFilledText(item['description']) ?? '', status: asFilledText(item['status']) ?? 'unknown',
        })),
      })),
    },
  };
}

/** The one loop of a project: the same prompt again until a promise is kept (FORMAT.md, "The loop"). */
export interface Loop {
  session: string | null;
  active: boolean;
  iteration: number | null;
  most: number | null;
  promise: string | null;
  started: string | null;
  strategy: string | null;
  ultrawork: boolean;
  prompt: string;
}

export function readLoop(bytes: Uint8Array): Read<Loop> {
  const text = Buffer.from(bytes).toString('utf8').replace(/^\uFEFF/, '');
  const lines = text.split(/\r?\n/);
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---' || end < 0) return { problem: 'It has no front matter.' };
  const fields = new Map<string, string>();
  for (const line of lines.slice(1, end)) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at).trim(), unquoted(line.slice(at + 1).trim()));
  }
  const field = (name: string) => fields.get(name) || null;
  const number = (name: string) => (/^\d{1,9}$/.test(fields.get(name) ?? '') ? Number(fields.get(name)) : null);
  const session = field('session_id');
  return {
    value: {
      session: session === null ? null : sessionName(session).native, active: field('active') === 'true', iteration: number('iteration'), most: number('max_iterations'),
      promise: field('completion_promise'), started: timeOf(field('started_at')), strategy: field('strategy'), ultrawork: field('ultrawork') === 'true',
      prompt: lines.slice(end + 1).join('\n').trim(),
    },
  };
}

const unquoted = (text: string): string => (/^"(.*)"$/s.exec(text) ?? /^'(.*)'$/s.exec(text))?.[1] ?? text;

/** Names of files are session ids, encoded as in an address where the plugin encodes them. */
function nameIn(fileName: string): string {
  const name = fileName.replace(/\.json$/, '');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
