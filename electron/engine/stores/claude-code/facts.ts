import { type NativeId, nativeId, type Todo } from '@shared/model';
import type { EdgeFact, JsonObject, SessionFacts, Spine } from '../store';
import { checkpointsOf } from './checkpoints';
import { listOf, nameOf, numberOf, oneLine, textOf } from './entry';
import { type Evidence, sortEvidence } from './evidence';
import { isSubagent, sessionPart } from './places';
import { newTally, type Tally } from './tally';
import { TurnTree } from './turns';

/** What is shown of a session beside its parts, from the evidence its files gave. */
export function summarise(session: NativeId, evidence: Spine['evidence']): SessionFacts {
  const sorted = sortEvidence(evidence);
  const tally = sorted.tallies[0]?.tally ?? newTally();
  const turns = new TurnTree(sorted.turns);
  const directory = directoryOf(tally);
  const folders = [tally.cwd, tally.worktree?.path ?? null, tally.worktree?.original ?? null, tally.lastCwd].filter((folder): folder is string => folder !== null);
  const { checkpoints, leftOut } = checkpointsOf(sorted, turns, session, [...new Set(folders)]);
  const notices = queueNotices(tally);
  if (tally.worktree && tally.leftWorktree) notices.push({ kind: 'other', text: `The worktree ${tally.worktree.name ?? tally.worktree.path} was left at the end.` });
  if (tally.odd) {
    const [records, are] = tally.odd === 1 ? ['1 record has', 'it is'] : [`${tally.odd} records have`, 'they are'];
    notices.push({ kind: 'time', text: `${records} a time before 2000 or after 2099: ${are} not counted for when the session began and ended.` });
  }
  if (leftOut > 0) notices.push({ kind: 'other', text: `${leftOut} older checkpoints are not listed: there are too many tracked files.` });
  return {
    kind: isSubagent(session) ? 'subagent' : 'session',
    title: titleOf(session, sorted, tally),
    directory, gitBranch: tally.branch, model: tally.models.at(-1) ?? textOf(sorted.meta?.['model'] ?? null), models: tally.models,
    agentName: textOf(sorted.meta?.['type'] ?? null), agentVersion: tally.version,
    created: tally.created, updated: tally.updated, archived: null,
    ignored: isIgnored(session, tally),
    todos: todosOf(sorted, turns), checkpoints,
    pullRequests: sorted.pulls.map((pull) => ({ url: textOf(pull['url']) ?? '', number: numberOf(pull['number']), repository: textOf(pull['repository']) })),
    worktree: tally.worktree && { path: tally.worktree.path, name: tally.worktree.name, branch: tally.worktree.branch, originalDirectory: tally.worktree.original },
    permissions: [], revert: null,
    alsoIn: sorted.tallies.slice(1).map(({ source }) => source),
    tokens: null, edges: edgesOf(session, sorted, tally), notices,
    own: { begunBy: tally.begunBy ?? null },
  };
}

/** A worktree session is filed under, and resumed from, the checkout it was started in (FORMAT.md, "Worktrees"). */
function directoryOf(tally: Tally): string | null {
  const { worktree, cwd } = tally;
  return worktree?.original && cwd !== null && (cwd === worktree.path || cwd.startsWith(`${worktree.path}/`)) ? worktree.original : cwd;
}

/** Titles by the program's own order; where it would show the last prompt we show the first: that is what a person knows a session by. */
function titleOf(session: string, evidence: Evidence, tally: Tally): string | null {
  const candidates = isSubagent(session)
    ? [textOf(evidence.meta?.['description'] ?? null), tally.description, textOf(evidence.spawn?.['description'] ?? null), tally.customTitle, tally.prompt]
    : [tally.customTitle, evidence.titleFile, tally.madeTitle, tally.summaryTitle, textOf(evidence.job?.['name'] ?? null), tally.prompt, tally.lastPrompt];
  const title = candidates.find((candidate) => candidate !== null && candidate.trim() !== '') ?? tally.text;
  return title === null ? null : oneLine(title);
}

/** Files without a conversation, and the runs that 2.0.77 starts only to warm up (FORMAT.md, "What is not a session"). */
function isIgnored(session: string, tally: Tally): boolean {
  if (isSubagent(session) && tally.prompt === 'Warmup' && tally.prompts === 1) return true;
  return tally.prompts + tally.answers + tally.commands + tally.summaries === 0;
}

function queueNotices(tally: Tally): SessionFacts['notices'] {
  // Reports of background tasks go through the same queue; only what a person typed is worth a word.
  const waiting = tally.queue.filter((text) => text !== '' && !text.startsWith('<'));
  return waiting.map((text) => ({ kind: 'other', text: `A queued prompt was not sent: ${text}` }));
}

/** The list a TodoWrite call of the active branch left last; else the task files; else the file of older releases. */
function todosOf(evidence: Evidence, turns: TurnTree): Todo[] {
  const written = evidence.todos.findLast(({ turn }) => turn === '' || !turns.has(turn) || turns.active.has(turn));
  if (written) return written.todos.map(todo);
  if (evidence.tasks.length > 0) {
    const id = (task: JsonObject) => Number(textOf(task['id'])) || 0;
    return evidence.tasks.toSorted((a, b) => id(a) - id(b)).map((task) => {
      const blocked = listOf(task['blockedBy']).filter((other): other is string => typeof other === 'string');
      const subject = textOf(task['subject']) ?? '';
      return { content: blocked.length > 0 ? `${subject} (after ${blocked.map((other) => `#${other}`).join(', ')})` : subject, status: textOf(task['status']) ?? 'pending', priority: null };
    });
  }
  return (evidence.todoFile ?? []).map(todo);
}

const todo = (data: JsonObject): Todo => ({ content: textOf(data['content']) ?? '', status: textOf(data['status']) ?? 'pending', priority: textOf(data['priority']) });

/** Edges that the session's own files tell. What a fork took over is found by comparing, see lineage.ts. */
function edgesOf(session: NativeId, evidence: Evidence, tally: Tally): EdgeFact[] {
  if (isSubagent(session)) return [subagentEdge(session, evidence)];
  const job = nameOf(evidence.job?.['parent']);
  const copied = tally.copiedFrom;
  const parent = copied?.session ?? job;
  if (parent === null || parent === session) return [];
  const says = copied && copied.session === job ? `${copied.field} of its copied records, and its job file, name` : copied ? `${copied.field} of its copied records names` : 'Its job file names';
  return [{ child: session, parent: nativeId(parent), kind: 'fork', certainty: 'recorded', evidence: `${says} session ${parent}.`, after: null, callId: null, inherited: [] }];
}

function subagentEdge(session: NativeId, evidence: Evidence): EdgeFact {
  const { meta, spawn } = evidence;
  const parent = nameOf(meta?.['parent']) ?? nameOf(spawn?.['parent']) ?? sessionPart(session);
  const call = nameOf(meta?.['call']) ?? nameOf(spawn?.['call']);
  const told = spawn?.['inline'] === true
    ? 'Its records stand in the file of its session, marked as a sidechain'
    : meta ? 'Its meta file names the call that started it' : spawn ? 'The result of the call that started it names it' : 'Its file is filed under its session';
  return { child: session, parent: nativeId(parent), kind: 'subagent', certainty: 'recorded', evidence: `${told}.`, after: null, callId: call, inherited: [] };
}
