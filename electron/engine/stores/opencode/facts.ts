import { asMessageId, type Checkpoint, nativeId, type NativeId, type Worktree } from '@shared/model';
import type { EdgeFact, JsonObject, SessionFacts, Spine } from '../store';
import { placeOf, rankOf } from './places';
import { asNumber, asObject, asObjects, asText, asTexts } from '../foreign/fields';
import { liesIn } from '../foreign/spelling';
import { isoTime } from './records';

type Evidence = Spine['evidence'];

/** What a slot says; where a session was read from several places, the newest layout speaks. */
export function bestEvidence(evidence: Evidence, slot: string): JsonObject | null {
  let best: Evidence[number] | null = null;
  for (const item of evidence) {
    if (item.slot === slot && (!best || rankOf[placeOf(item.source).layout] < rankOf[placeOf(best.source).layout])) best = item;
  }
  return best?.data ?? null;
}

export const notShownAnyMore = 'OpenCode does not show this session any more: it lies in the older JSON files only, and the program reads its database.';

/** What is shown of a session beside its messages. */
export function summarise(session: NativeId, evidence: Evidence): SessionFacts {
  const row = bestEvidence(evidence, 'session') ?? {};
  const last = bestEvidence(evidence, 'last');
  const directory = asText(row['directory']) ?? asText(last?.['folder']);
  const project = whereOf(bestEvidence(evidence, 'project'), directory);
  const parent = asText(row['parent']);
  const hasParent = parent !== null && parent !== session;
  const copied = bestEvidence(evidence, 'copied');
  return {
    kind: hasParent ? 'subagent' : 'session',
    title: asText(row['title']),
    directory,
    projectFolder: project.folder,
    gitBranch: null,
    model: asText(row['model']) ?? asText(last?.['model']),
    models: evidence.filter(({ slot }) => slot.startsWith('model ')).map(({ data }) => asText(data['model'])).filter((model) => model !== null),
    agentName: asText(row['agent']) ?? asText(last?.['agent']),
    agentVersion: asText(row['version']),
    created: asNumber(row['created']),
    updated: asNumber(row['updated']),
    archived: asNumber(row['archived']),
    ignored: false,
    todos: asObjects(bestEvidence(evidence, 'todo')?.['todos']).map((todo) => ({ content: asText(todo['content']) ?? '', status: asText(todo['status']) ?? '', priority: asText(todo['priority']) })),
    checkpoints: checkpointsOf(evidence),
    pullRequests: [],
    worktree: project.worktree,
    permissions: asObjects(row['permissions']).map((rule) => ({ permission: asText(rule['permission']) ?? '', pattern: asText(rule['pattern']) ?? '', action: asText(rule['action']) ?? '' })),
    revert: revertOf(evidence),
    alsoIn: evidence.filter(({ slot }) => slot === 'also').map(({ data }) => placeName(data)),
    tokens: null,
    edges: hasParent ? [subagentEdge(session, nativeId(parent), evidence)] : [],
    notices: noticesOf(evidence, row, directory, project.moved),
    own: {
      copied: asNumber(copied?.['messages']) ?? 0, begins: asNumber(copied?.['begins']), project: asText(row['project']), slug: asText(row['slug']),
      unlogged: isUnlogged(evidence, row), ...(asObject(row['fork']) ? { fork: row['fork'] ?? null } : {}),
    },
  };
}

const placeName = (data: JsonObject): string => (data['layout'] === 'database' ? (asText(data['name']) ?? 'a database') : `${asText(data['name'])} (JSON)`);

/** A subagent names its caller; the call that started it stands in the caller's messages. */
function subagentEdge(child: NativeId, parent: NativeId, evidence: Evidence): EdgeFact {
  const caller = bestEvidence(evidence, 'caller');
  const call = caller && asText(caller['parent']) === parent ? asText(caller['call']) : null;
  const told = caller ? `and its task call ${call ?? asText(caller['part']) ?? ''} started it` : 'no call of it that started it was found';
  return {
    child, parent, kind: 'subagent', certainty: 'recorded', evidence: `Its row names ${parent} as parent, ${told}.`, after: caller ? asText(caller['message']) : null, callId: call, inherited: [],
  };
}

/** Where the session belongs: a project's folder may have moved, a worktree is another folder of it (FORMAT.md, "Projects"). */
function whereOf(project: JsonObject | null, directory: string | null): { folder: string | null; worktree: Worktree | null; moved: string | null } {
  const root = asText(project?.['worktree']);
  const nowhere = { folder: null, worktree: null, moved: null };
  if (root === null || root === '/' || asText(project?.['id']) === 'global' || directory === null) return nowhere;
  if (liesIn(directory, root)) return { ...nowhere, folder: root };
  const linked = asTexts(project?.['linked']).find((path) => liesIn(directory, path));
  // Nothing else is known of the folder: the project was there once, or a second copy with the same id is.
  if (linked === undefined) return { ...nowhere, folder: root, moved: root };
  return { folder: root, moved: null, worktree: { path: linked, name: linked.split(/[\\/]/).at(-1) ?? null, branch: null, originalDirectory: root } };
}

function checkpointsOf(evidence: Evidence): Checkpoint[] {
  return evidence
    .filter(({ slot }) => slot.startsWith('checkpoint '))
    .map(({ data }) => {
      const message = asText(data['message']);
      const tree = asText(data['tree']) ?? '';
      const time = asNumber(data['time']);
      return {
        id: tree, message: message === null ? null : asMessageId(message), time: time === null ? null : isoTime(time),
        files: asTexts(data['files']).map((path) => ({ path, content: `${tree}:${path}` })), note: 'snapshot tree before a step; kept for about seven days',
      };
    })
    .sort((a, b) => (a.time ?? '').localeCompare(b.time ?? ''));
}

function revertOf(evidence: Evidence): SessionFacts['revert'] {
  const revert = bestEvidence(evidence, 'revert');
  if (revert?.['pending'] !== true) return null;
  const files = (value: unknown) => asObjects(value).map((file) => ({ path: asText(file['path']) ?? '', added: asNumber(file['added']) ?? 0, removed: asNumber(file['removed']) ?? 0 }));
  const stored = files(revert['files']);
  return {
    message: asText(revert['message']), part: asText(revert['part']), snapshot: asText(revert['snapshot']), diff: asText(revert['diff']),
    files: stored.length > 0 || asText(revert['diff']) !== null ? stored : files(bestEvidence(evidence, 'undone')?.['files']),
  };
}

/**
 * The event log knows sessions from before this one was made, and does not know it; before 1.18 not every version wrote
 * the log. One that is empty, or begins later than the session, says nothing of it.
 */
function isUnlogged(evidence: Evidence, row: JsonObject): boolean {
  // A fork that Retrace made writes no event either, and says so itself.
  if (asObject(row['fork'])) return false;
  const origin = bestEvidence(evidence, 'origin');
  const begins = asNumber(origin?.['logBegins']);
  const created = asNumber(row['created']);
  if (origin?.['events'] !== false || begins === null || created === null || created < begins) return false;
  const [major = 0, minor = 0] = (asText(row['version']) ?? '').split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 18);
}

function noticesOf(evidence: Evidence, row: JsonObject, directory: string | null, moved: string | null): SessionFacts['notices'] {
  const notices: SessionFacts['notices'] = [];
  const say = (text: string) => notices.push({ kind: 'store', text });
  if (bestEvidence(evidence, 'place')?.['hidden'] === true) say(notShownAnyMore);
  if (isUnlogged(evidence, row)) say('OpenCode’s event log does not know this session: it was most likely imported.');
  const origin = bestEvidence(evidence, 'origin');
  const begun = asText(origin?.['directory']);
  if (begun !== null && directory !== null && begun !== directory) say(`It began in ${begun} and was moved to ${directory}.`);
  if (moved !== null) say(`The folder ${directory} is likely ${moved} now: there lies the project of the same id.`);
  if (row['oddTime'] === true) notices.push({ kind: 'time', text: 'A time of the session itself cannot be true (before 2000, or from 2100 on); it is shown as unknown.' });
  if (directory === null) say('No folder is recorded for this session.');
  const share = bestEvidence(evidence, 'share');
  const shared = asText(share?.['url']);
  const once = asText(row['share']);
  if (shared !== null) say(`Shared at ${shared}.`);
  else if (once !== null) say(share?.['known'] === true ? `It was shared at ${once}; the share was taken back or belongs to another machine.` : `Shared at ${once}.`);
  const epoch = bestEvidence(evidence, 'epoch');
  if (epoch) say(`The model’s system text of ${asNumber(epoch['characters']) ?? 0} characters is kept with the session, as of entry ${asNumber(epoch['seq']) ?? 0}.`);
  return notices;
}
