import type { NativeId, Todo } from '@shared/model';
import type { EvidenceFact, JsonObject, Spine } from '../store';
import type { Carry } from './carry';
import { asFilledText, asNumber, asObject, asObjects, asText, asTexts, type Fields } from '../foreign/fields';
import type { Meta } from './meta';
import { kindOf } from './names';
import { type Base, baseOf } from './origin';
import type { NeededBase } from './threads';

/** What a rollout's lines tell of the session. Replaces what the source told before. */
export function rolloutEvidence(session: NativeId, carry: Carry): EvidenceFact {
  const data = {
    shape: carry.shape, rollout: carry.rollout, meta: carry.isBase ? null : carry.meta, copiedFrom: carry.copiedFrom, byContent: carry.byContent, first: carry.first,
    last: carry.last, odd: carry.odd ?? 0, model: carry.model, models: carry.models, cwd: carry.cwd, workdir: carry.workdir, prompt: carry.prompt, name: carry.name, plan: carry.plan, disorder: carry.disorder,
    spawned: carry.spawned, firstMessage: carry.firstMessage, open: openCalls(carry),
  };
  return { session, slot: 'rollout', data: JSON.parse(JSON.stringify(data)) as JsonObject };
}

/** Calls without a result: the record that shows each. Those that ran on are told apart. */
const openCalls = (carry: Carry): { key: string; late: boolean }[] => Object.values(carry.calls).map(({ key, late }) => ({ key, late: late !== null }));

export interface RolloutSays {
  source: string;
  rollout: string | null;
  shape: string | null;
  meta: Partial<Meta>;
  base: Base | null;
  copiedFrom: string | null;
  byContent: boolean;
  first: number | null;
  last: number | null;
  /** Records with a time that cannot be true. */
  odd: number;
  model: string | null;
  models: string[];
  cwd: string | null;
  workdir: string | null;
  prompt: string | null;
  name: string | null;
  plan: Todo[] | null;
  disorder: number | null;
  spawned: Record<string, string>;
  firstMessage: string | null;
  open: { key: string; late: boolean }[];
}

/** What tables, lists and the places of files say; see threads.ts. */
export interface ThreadSays {
  tables: string[];
  rows: { table: string; hasNames: boolean; columns: Fields }[];
  name: string | null;
  spawnedBy: string | null;
  files: { rollout: string | null; place: string; archived: boolean; twins: string[] }[];
  bases: NeededBase[];
}

export interface Snapshot {
  id: string;
  parent: string | null;
  message: string | null;
  time: number | null;
  order: number;
}

export interface Evidence {
  /** Own rollouts, in the order they were made. */
  rollouts: RolloutSays[];
  bases: RolloutSays[];
  thread: ThreadSays | null;
  prompts: { count: number; first: string | null; from: number | null; to: number | null } | null;
  snapshots: Snapshot[];
}

export function readEvidence(evidence: Spine['evidence']): Evidence {
  const found: Evidence = { rollouts: [], bases: [], thread: null, prompts: null, snapshots: [] };
  for (const { source, slot, data } of evidence) {
    const fields: Fields = data;
    if (slot === 'rollout') (kindOf(source) === 'base' ? found.bases : found.rollouts).push(rolloutSays(source, fields));
    else if (slot === 'thread') found.thread = threadSays(fields);
    else if (slot === 'prompts') found.prompts = { count: asNumber(fields['count']) ?? 0, first: asText(fields['first']), from: asNumber(fields['from']), to: asNumber(fields['to']) };
    else if (slot.startsWith('snapshot:')) found.snapshots.push(snapshotSays(fields));
  }
  found.rollouts.sort((a, b) => (a.meta.created ?? 0) - (b.meta.created ?? 0) || (a.source < b.source ? -1 : 1));
  found.snapshots.sort((a, b) => a.order - b.order);
  return found;
}

function rolloutSays(source: string, fields: Fields): RolloutSays {
  const meta = asObject(fields['meta']) ?? {};
  const base = asObject(meta['base']);
  return {
    source, rollout: asText(fields['rollout']), shape: asText(fields['shape']),
    // Read by readMeta when the line was projected; kept as it was.
    meta: meta as Partial<Meta>,
    base: base && baseOf({ history_base: { thread_id: base['rollout'], end_ordinal_exclusive: base['ordinal'], end_byte_offset: base['bytes'] } }),
    copiedFrom: asText(fields['copiedFrom']), byContent: fields['byContent'] === true, first: asNumber(fields['first']), last: asNumber(fields['last']), odd: asNumber(fields['odd']) ?? 0, model: asText(fields['model']),
    models: asTexts(fields['models']), cwd: asText(fields['cwd']), workdir: asText(fields['workdir']), prompt: asText(fields['prompt']), name: asText(fields['name']),
    plan: Array.isArray(fields['plan']) ? asObjects(fields['plan']).map((todo) => ({ content: asText(todo['content']) ?? '', status: asText(todo['status']) ?? 'pending', priority: null })) : null,
    disorder: asNumber(fields['disorder']), spawned: Object.fromEntries(Object.entries(asObject(fields['spawned']) ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    firstMessage: asText(fields['firstMessage']),
    open: asObjects(fields['open']).map((open) => ({ key: asText(open['key']) ?? '', late: open['late'] === true })),
  };
}

function threadSays(fields: Fields): ThreadSays {
  return {
    tables: asTexts(fields['tables']), name: asFilledText(fields['name']), spawnedBy: asFilledText(asObject(fields['spawned'])?.['parent']),
    rows: asObjects(fields['rows']).map((row) => ({ table: asText(row['table']) ?? '', hasNames: row['hasNames'] === true, columns: asObject(row['columns']) ?? {} })),
    files: asObjects(fields['files']).map((file) => ({ rollout: asText(file['rollout']), place: asText(file['place']) ?? '', archived: file['archived'] === true, twins: asTexts(file['twins']) })),
    bases: asObjects(fields['bases']).map((base) => ({
      rollout: asText(base['rollout']) ?? '', ordinal: asNumber(base['ordinal']) ?? 0, bytes: asNumber(base['bytes']) ?? 0,
      state: base['state'] === 'missing' || base['state'] === 'short' ? base['state'] : 'present',
    })),
  };
}

const snapshotSays = (fields: Fields): Snapshot => ({
  id: asText(fields['id']) ?? '', parent: asText(fields['parent']), message: asText(fields['message']), time: asNumber(fields['time']), order: asNumber(fields['order']) ?? 0,
});

/** The row of the newest table that has the thread. */
export const rowOf = (thread: ThreadSays | null): Fields | null => thread?.rows[0]?.columns ?? null;

/** The rollout that the thread goes on in: the one its row names, else the newest (FORMAT.md, "The live chain"). */
export function liveRollout({ rollouts, thread }: Evidence): RolloutSays | null {
  const path = asText(rowOf(thread)?.['rollout_path']);
  const named = path === null ? undefined : rollouts.find(({ source }) => path.replace(/\.zst$/, '').endsWith(source));
  return named ?? rollouts.at(-1) ?? null;
}
