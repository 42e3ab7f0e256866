import type { Checkpoint, NativeId } from '@shared/model';
import type { JsonObject, SessionFacts, Spine } from '../store';
import { type Evidence, liveRollout, readEvidence, type RolloutSays, rowOf, type Snapshot, type ThreadSays } from './evidence';
import { isOddTime, sayOddTimes } from '../foreign/odd-time';
import { asFilledText, asNumber, type Fields } from '../foreign/fields';
import { counted, oneLine } from './fields';
import { spawnIn } from './meta';

/** What is shown of a session beside its parts. Files speak first, tables where files say nothing (FORMAT.md, "Names"). */
export function summarise(session: NativeId, evidence: Spine['evidence']): SessionFacts {
  const says = readEvidence(evidence);
  const { rollouts, thread } = says;
  const live = liveRollout(says);
  const row = rowOf(thread);
  const first = rollouts[0];
  const spawn = spawnIn(row?.['source']);
  const subagent = rollouts.some(({ meta }) => meta.subagent === true) || spawn.subagent;
  const directory = live?.meta.cwd ?? asFilledText(row?.['cwd']);
  const models = [...new Set([...says.bases, ...rollouts].flatMap((rollout) => rollout.models))];
  const updated = Math.max(rowTime(row, 'updated_at') ?? 0, ...rollouts.map(({ last }) => last ?? 0)) || says.prompts?.to || null;
  return {
    kind: subagent ? 'subagent' : 'session',
    title: titleOf(says, session),
    directory: directory ?? first?.workdir ?? null,
    gitBranch: live?.meta.branch ?? asFilledText(row?.['git_branch']),
    model: live?.model ?? asFilledText(row?.['model']),
    models,
    agentName: agentName(says, row),
    agentVersion: live?.meta.version ?? asFilledText(row?.['cli_version']),
    created: first?.meta.created ?? first?.first ?? rowTime(row, 'created_at') ?? says.prompts?.from ?? null,
    updated,
    archived: archivedAt(thread, row, updated),
    ignored: false,
    todos: live?.plan ?? [],
    checkpoints: says.snapshots.map(checkpoint),
    pullRequests: [], worktree: null, permissions: [], revert: null,
    alsoIn: (thread?.files ?? []).flatMap(({ twins }) => twins),
    tokens: null,
    edges: [],
    notices: noticesOf(says, directory),
    own: ownOf(says, subagent, spawn),
  };
}

/** A person's name, the list's last line, a legacy event; else the first message; a helper is known by its path. */
function titleOf({ thread, rollouts, bases, prompts }: Evidence, session: NativeId): string | null {
  const row = rowOf(thread);
  const said = bases[0]?.prompt ?? rollouts.map(({ prompt }) => prompt).find((prompt) => prompt !== null) ?? null;
  const given = asFilledText(row?.['name']) ?? thread?.name ?? nameInTitle(thread, said) ?? rollouts.map(({ name }) => name).findLast((name) => name !== null) ?? null;
  const listed = asFilledText(row?.['preview']) ?? asFilledText(row?.['first_user_message']) ?? asFilledText(row?.['title']);
  const helper = rollouts[0]?.meta.path ?? rollouts[0]?.meta.nickname;
  const title = given ?? said ?? listed ?? prompts?.first ?? helper ?? null;
  return title === null ? null : oneLine(title) || String(session);
}

/** Tables without a column for names keep one in place of the title, which else is the first message. */
function nameInTitle(thread: ThreadSays | null, said: string | null): string | null {
  const row = thread?.rows[0];
  const title = asFilledText(row?.columns['title']);
  if (!row || row.hasNames || title === null || said === null) return null;
  return title === asFilledText(row.columns['first_user_message']) || oneLine(title) === said ? null : title;
}

function agentName({ rollouts }: Evidence, row: Fields | null): string | null {
  const meta = rollouts[0]?.meta;
  const name = meta?.nickname ?? asFilledText(row?.['agent_nickname']) ?? meta?.path ?? null;
  const role = meta?.role ?? asFilledText(row?.['agent_role']);
  return name !== null && role !== null ? `${name} (${role})` : (name ?? role);
}

/** Seconds in older tables, with a twin in milliseconds in newer ones. */
function rowTime(row: Fields | null, column: string): number | null {
  const precise = asNumber(row?.[`${column}_ms`]);
  const seconds = asNumber(row?.[column]);
  const time = precise !== null && precise > 0 ? precise : seconds !== null && seconds > 0 ? seconds * 1000 : null;
  return time === null || isOddTime(time) ? null : time;
}

/** The folder is the truth; the table only knows when. */
function archivedAt(thread: ThreadSays | null, row: Fields | null, updated: number | null): number | null {
  if (!thread) return null;
  const archived = thread.files.length > 0 ? thread.files.every((file) => file.archived) : asNumber(row?.['archived']) === 1;
  return archived ? (rowTime(row, 'archived_at') ?? updated ?? 0) : null;
}

const checkpoint = ({ id, parent, message, time }: Snapshot): Checkpoint => ({
  id, message: message as Checkpoint['message'], time: time === null ? null : new Date(time).toISOString(), files: [],
  note: `A commit in the project's repository that no branch holds${parent === null ? '' : `, on top of ${parent}`}; git may have removed it.`,
});

function noticesOf(says: Evidence, directory: string | null): SessionFacts['notices'] {
  const { thread, rollouts, bases, prompts } = says;
  const notices: SessionFacts['notices'] = [];
  const add = (kind: SessionFacts['notices'][number]['kind'], text: string) => notices.push({ kind, text });
  const row = rowOf(thread);
  const path = asFilledText(row?.['rollout_path']);
  if (thread && thread.files.length === 0 && row) add('store', `Only in Codex's thread table (${thread.rows[0]?.table}): its file ${path ?? 'is not named and'} is not there.`);
  else if (rollouts.length > 0 && rollouts.every(({ shape }) => shape === 'bare')) add('store', 'Written by a release of 2025 in a form that later ones cannot read.');
  else if (thread && thread.tables.length > 0 && !row) add('store', `Not in Codex's thread table (${thread.tables[0]}): Codex does not list it, but reads it when asked for its id.`);
  else if (row && path !== null && rollouts.length > 0 && !rollouts.some(({ source }) => path.replace(/\.zst$/, '').endsWith(source))) {
    add('store', `The thread table names a file that is not there: ${path}. The newest of its files is taken for the live one.`);
  }
  for (const place of (thread?.files ?? []).flatMap(({ twins }) => twins)) add('store', `The same rollout also lies in ${place}.`);
  if (prompts && rollouts.length === 0 && !row) add('gap', `Neither a rollout nor a row of it is left: ${counted(prompts.count, 'prompt')} from history.jsonl ${prompts.count === 1 ? 'is' : 'are'} all there is.`);
  for (const base of thread?.bases ?? []) {
    if (base.state === 'present') continue;
    const kept = bases.length > 0 ? 'Retrace shows what it copied before.' : 'What this thread took over cannot be shown.';
    add('gap', base.state === 'missing' ? `It continues rollout ${base.rollout}, which is not there: Codex will refuse to open it. ${kept}` : `It continues the first ${base.bytes.toLocaleString('en-US')} bytes of rollout ${base.rollout}, which is shorter: Codex will refuse to open it. ${kept}`);
  }
  if (rollouts.length > 1) add('revert', `Kept in ${rollouts.length} rollout files: going back begins a new one and leaves the old ones.`);
  if (rollouts.some(({ meta }) => meta.attached === true)) add('other', 'Attached to the thread it was forked from: Codex leaves it out of its lists.');
  for (const { disorder, source } of rollouts) if (disorder !== null) add('order', `Ordinals stop rising at line ${disorder} of ${source}; newer releases of Codex may leave the thread out.`);
  const odd = rollouts.reduce((sum, rollout) => sum + rollout.odd, 0);
  if (odd > 0) add('time', sayOddTimes(odd));
  const moved = rollouts.at(-1)?.cwd;
  if (directory !== null && moved != null && moved !== directory) add('other', `It began in ${directory} and last worked in ${moved}.`);
  if (directory === null && rollouts[0]?.workdir) add('other', 'Its file records no folder; the one shown is that of its first command.');
  return notices;
}

/** What lineage and commands need beyond what is shown. */
function ownOf({ rollouts, bases, thread }: Evidence, subagent: boolean, spawn: { parent: string | null; depth: number | null }): JsonObject {
  const metas = rollouts.map(({ meta }) => meta);
  const first = <T>(of: (rollout: RolloutSays) => T | null | undefined): T | null => rollouts.map(of).find((value) => value !== null && value !== undefined) ?? null;
  return {
    shape: first(({ shape }) => shape),
    hasFile: rollouts.length > 0 && thread?.files.length !== 0,
    parent: subagent ? (first(({ meta }) => meta.parent) ?? spawn.parent ?? thread?.spawnedBy ?? null) : (thread?.spawnedBy ?? null),
    depth: first(({ meta }) => meta.depth) ?? spawn.depth,
    commit: first(({ meta }) => meta.commit),
    remote: first(({ meta }) => meta.remote),
    review: metas.some(({ source }) => source === 'subagent:review'),
    forkedFrom: first(({ meta }) => meta.forkedFrom),
    copiedFrom: first(({ copiedFrom }) => copiedFrom),
    byContent: rollouts.some(({ byContent }) => byContent),
    firstMessage: bases[0]?.firstMessage ?? first(({ firstMessage }) => firstMessage),
    spawned: Object.assign({}, ...rollouts.map(({ spawned }) => spawned)) as Record<string, string>,
  };
}
