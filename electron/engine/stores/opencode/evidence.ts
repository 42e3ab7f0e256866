import type { JsonObject } from '../store';
import { forkMark } from './fork-mark';
import { filesOfDiff } from './patches';
import { asFilledText, asJsonObject, asList, asNumber, asObject, asObjects, asText, asTexts, type Fields } from '../foreign/fields';
import { asTime, isFalseTime, isMarked } from './records';

/**
 * Evidence about a session, by slot: `session` (its row), `revert`, `undone`, `project`, `place`, `also`, `origin`,
 * `todo`, `share`, `epoch`, `copied`, `caller`, `helper <id>`, `last`, `model <id>`, `checkpoint <part>`,
 * `memory <folder> <call>`, `instructions epoch`.
 */
export type Slots = { slot: string; data: JsonObject }[];

/** Characters up to which a stored revert diff is kept as evidence; of a longer one only the files are told. */
const diffAtMost = 1 << 20;

/** The row of a database, or the object of a JSON layout: two spellings of one thing. */
export function sessionEvidence(row: Fields, layout: 'row' | 'info'): Slots {
  const time = asObject(row['time']);
  const share = layout === 'row' ? asFilledText(row['share_url']) : asText(asObject(row['share'])?.['url']);
  const model = asJsonObject(row['model']);
  const mark = forkMark(row['metadata'], asText(row['id']));
  const times = ['created', 'updated', 'archived'].map((name) => (layout === 'row' ? row[`time_${name}`] : time?.[name]));
  const data: JsonObject = {
    title: asFilledText(row['title']),
    directory: asFilledText(row['directory']),
    project: asFilledText(row[layout === 'row' ? 'project_id' : 'projectID']),
    parent: asFilledText(row[layout === 'row' ? 'parent_id' : 'parentID']),
    version: asFilledText(row['version']),
    slug: asFilledText(row['slug']),
    agent: asFilledText(row['agent']),
    model: asText(model?.['id']) ?? asText(model?.['modelID']),
    created: asTime(times[0]),
    updated: asTime(times[1]),
    archived: archivedAt(times),
    ...(times.some(isFalseTime) ? { oddTime: true } : {}),
    share,
    permissions: permissionsOf(row['permission']),
    ...(mark ? { fork: { session: mark.session, message: mark.message } } : {}),
  };
  return [{ slot: 'session', data }, { slot: 'revert', data: revertOf(row['revert']) }];
}

/** Archived is archived, also where the clock said something that cannot be true. */
function archivedAt([created, updated, archived]: unknown[]): number | null {
  return isMarked(archived) ? (asTime(archived) ?? asTime(updated) ?? asTime(created) ?? Date.UTC(2000, 0, 1)) : null;
}

function permissionsOf(value: unknown): JsonObject[] {
  const list = typeof value === 'string' ? asList(asParsed(value)) : asList(value);
  return asObjects(list).map((rule) => ({ permission: asText(rule['permission']) ?? '', pattern: asText(rule['pattern']) ?? '', action: asText(rule['action']) ?? '' }));
}

function asParsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A pending revert; nothing when none is. Counts stand as the diff does: from the work to its undoing. */
function revertOf(value: unknown): JsonObject {
  const revert = asJsonObject(value);
  if (!revert) return { pending: false };
  const diff = asText(revert['diff']);
  const listed = asObjects(revert['files']).map((file) => ({ path: asText(file['path']) ?? '', added: asNumber(file['additions']) ?? 0, removed: asNumber(file['deletions']) ?? 0 }));
  const counted = diff === null ? [] : filesOfDiff(diff).map(({ path, added, removed }) => ({ path, added, removed }));
  return {
    pending: true, message: asText(revert['messageID']), part: asText(revert['partID']), snapshot: asText(revert['snapshot']),
    diff: diff !== null && diff.length <= diffAtMost ? diff : null, files: listed.length > 0 ? listed : counted,
  };
}

/** The project's folder and the others it is known by; a sandbox is a linked worktree where nothing says otherwise. */
export function projectEvidence(row: Fields): JsonObject {
  const sandboxes = asTexts(typeof row['sandboxes'] === 'string' ? asParsed(row['sandboxes']) : row['sandboxes']);
  const directories = asObjects(row['directories']).map((directory) => ({ path: asText(directory['directory']) ?? '', strategy: asText(directory['strategy']) }));
  const linked = [...directories.filter(({ strategy }) => strategy === 'git_worktree').map(({ path }) => path), ...sandboxes];
  return { id: asText(row['id']), worktree: asFilledText(row['worktree']), linked: [...new Set(linked)] };
}

export function todoEvidence(row: Fields): JsonObject {
  return {
    todos: asObjects(row['rows']).map((todo) => ({ content: asText(todo['content']) ?? '', status: asText(todo['status']) ?? '', priority: asText(todo['priority']) })),
  };
}

/** Work that a pending revert undid, from the program's own list: turned round, to stand as a revert's diff would. */
export const undoneEvidence = (row: Fields): JsonObject => ({
  files: asObjects(row['files']).map((file) => ({ path: asText(file['file']) ?? '', added: asNumber(file['deletions']) ?? 0, removed: asNumber(file['additions']) ?? 0 })),
});

/** What a context epoch is kept as: where it begins, and how long its system text is. The text itself is in the log. */
export const epochEvidence = (row: Fields): JsonObject => ({ seq: asNumber(row['baseline_seq']), characters: asText(row['baseline'])?.length ?? 0 });

/** Small things that are taken as they are. */
export function plainEvidence(row: Fields, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => {
      const value = row[name];
      return [name, typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null];
    }),
  );
}
