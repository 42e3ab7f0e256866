import type { JsonObject, Spine } from '../store';
import { isEntry, listOf, nameOf, numberOf, textOf } from './entry';
import type { Tally } from './tally';

/** A session's evidence, sorted into what `project` filed under each slot. */
export interface Evidence {
  /** One a transcript of the session; the newest first. */
  tallies: { source: string; tally: Tally }[];
  turns: Turn[];
  snapshots: Snapshot[];
  todos: { turn: string; n: number; todos: JsonObject[] }[];
  todoFile: JsonObject[] | null;
  tasks: JsonObject[];
  pulls: JsonObject[];
  titleFile: string | null;
  meta: JsonObject | null;
  spawn: JsonObject | null;
  job: JsonObject | null;
}

/** A line that a checkpoint can stand before. */
export interface Turn {
  key: string;
  n: number;
  parent: string | null;
  kind: string;
}

/** A snapshot line, or a delta to one. */
export interface Snapshot {
  n: number;
  message: string;
  time: string | null;
  untracked: boolean;
  isDelta: boolean;
  files: Backup[];
}

export interface Backup {
  path: string;
  /** Name of the file that holds the content; null: the file did not exist. */
  name: string | null;
  version: number;
  /** Folder the file really lies in, where recorded. */
  folder: string | null;
}

export function sortEvidence(evidence: Spine['evidence']): Evidence {
  const sorted: Evidence = { tallies: [], turns: [], snapshots: [], todos: [], todoFile: null, tasks: [], pulls: [], titleFile: null, meta: null, spawn: null, job: null };
  for (const { source, slot, data } of evidence) {
    const colon = slot.indexOf(':');
    const rest = colon < 0 ? '' : slot.slice(colon + 1);
    switch (colon < 0 ? slot : slot.slice(0, colon)) {
      case 'facts':
        // Written by `project` of this same reader: its shape is ours.
        sorted.tallies.push({ source, tally: data as Tally });
        break;
      case 'turn':
        sorted.turns.push({ key: rest, n: numberOf(data['n']) ?? 0, parent: textOf(data['parent']), kind: textOf(data['kind']) ?? 'prompt' });
        break;
      case 'snapshot':
        sorted.snapshots.push(snapshotOf(data, false));
        break;
      case 'delta':
        sorted.snapshots.push(snapshotOf(data, true));
        break;
      case 'todos':
        sorted.todos.push({ turn: rest, n: numberOf(data['n']) ?? 0, todos: listOf(data['todos']).filter(isJsonObject) });
        break;
      case 'todo file':
        sorted.todoFile = listOf(data['todos']).filter(isJsonObject);
        break;
      case 'task':
        sorted.tasks.push(data);
        break;
      case 'pull':
        sorted.pulls.push(data);
        break;
      case 'title file':
        sorted.titleFile = nameOf(data['title']);
        break;
      case 'meta':
        sorted.meta = data;
        break;
      case 'spawn':
        sorted.spawn = data;
        break;
      case 'job':
        sorted.job = data;
        break;
    }
  }
  sorted.tallies.sort((a, b) => (b.tally.updated ?? 0) - (a.tally.updated ?? 0));
  sorted.turns.sort((a, b) => a.n - b.n);
  sorted.snapshots.sort((a, b) => a.n - b.n);
  sorted.todos.sort((a, b) => a.n - b.n);
  sorted.pulls.sort((a, b) => (numberOf(a['n']) ?? 0) - (numberOf(b['n']) ?? 0));
  return sorted;
}

const isJsonObject = (value: unknown): value is JsonObject => isEntry(value);

function snapshotOf(data: JsonObject, isDelta: boolean): Snapshot {
  return {
    n: numberOf(data['n']) ?? 0, message: textOf(data['message']) ?? '', time: textOf(data['time']), untracked: data['untracked'] === true, isDelta,
    files: listOf(data['files']).filter(isEntry).map((file) => ({
      path: textOf(file['path']) ?? '', name: textOf(file['name']), version: numberOf(file['version']) ?? 0, folder: textOf(file['folder']),
    })),
  };
}
