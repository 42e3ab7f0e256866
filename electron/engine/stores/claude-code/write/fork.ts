import { join } from 'node:path';
import { nativeId } from '@shared/model';
import type { Draft, FileContent, FileStep, ForkChoices, Making, SessionToWrite, WritePoint, WriteRefusal } from '../../store';
import { nameOf, oneLine } from '../entry';
import { entryIn } from '../readable';
import { carryCheckpoints } from './backups';
import { type CopyRules, copiedLine, type Moved, outputsIn } from './copied-lines';
import { type KeptLine, keptLine } from './kept';
import { carryOutputs } from './outputs';
import { forkProject, sessionPlace } from './session-place';
import { branchTitle, titleFile, titleLength, titleLines } from './titles';
import { uuidFrom } from './uuid';

/** The one way: a transcript of its own, as the program's `/branch` writes it. */
export const copyWay = 'copy';

/** Why a session cannot be forked at a point; null: it can. */
export function forkRefusal(session: SessionToWrite, point: WritePoint): string | null {
  if (session.facts.kind === 'subagent') return 'A subagent’s transcript is not a session that Claude Code goes on with; fork the session it worked for.';
  if (!sessionPlace(session)) return 'No record tells which folder the session worked in, so there is no place where Claude Code would find the fork.';
  return keptLine(session, point).leaf === null ? 'Nothing stands before this point: a new session is the same.' : null;
}

/** A fork as a new transcript beside the original, with what rewinding in it needs (FORMAT.md, "Writing"). The original keeps every byte. */
export function planFork(session: SessionToWrite, point: WritePoint, choices: ForkChoices, making: Making): Draft | WriteRefusal {
  const refused = choices.way !== undefined && choices.way !== copyWay ? `There is no way “${choices.way}” to fork a session of Claude Code.` : forkRefusal(session, point);
  const place = sessionPlace(session);
  if (refused !== null || !place) return { refused: refused ?? '' };
  const kept = keptLine(session, point);
  const id = uuidFrom(making);
  const { project, directory } = forkProject(session, place, choices.directory);
  const folder = join(project, id);
  const looked = lookThrough(session, kept, place.id);
  const outputs = carryOutputs(session, place, folder, looked.outputs);
  const worked = workedIn(session);
  const moved = directory !== null && worked !== null && worked !== directory ? { from: worked, to: directory } : null;
  const checkpoints = carryCheckpoints(session, place, id, kept.order, moved);
  const given = oneLine(choices.title ?? '', titleLength);
  const title = given === '' ? branchTitle(session, project) : given;
  const named = titleFile(session, folder, title, given === '' ? 'auto' : 'user', making);
  const transcript: FileStep = {
    kind: 'file', path: join(project, `${id}.jsonl`), within: session.location.folder, before: { state: 'absent' },
    after: { content: forkContent(session, kept, { from: place.id, to: id, outputs: outputs.names, moved }, [...titleLines(id, title), ...checkpoints.lines]) },
    mode: 0o600, why: 'The fork: the branch up to the point, under a new session id.',
  };
  return {
    way: 'A new transcript beside the original, as Claude Code’s own /branch writes it; the original keeps every byte.',
    // The transcript comes last: until it is there, no program sees the session.
    steps: [...checkpoints.copies, ...outputs.copies, ...(named ? [named] : []), transcript],
    expects: [...checkpoints.reads, ...outputs.reads],
    limits: limitsOf({ session, kept, missing: checkpoints.missing, lost: outputs.missing, moved, looked }),
    session: nativeId(id),
  };
}

/** Folder that the lines of the session name first: what is moved when the fork works elsewhere. */
function workedIn(session: SessionToWrite): string | null {
  const { worktree, directory } = session.facts;
  return worktree !== null && worktree.originalDirectory === directory ? worktree.path : directory;
}

interface Looked {
  outputs: Set<string>;
  /** Calls of subagents among the kept lines. */
  agents: number;
  /** Name of the plan file both would write. */
  slug: string | null;
  /** It was begun without a terminal. */
  headless: boolean;
}

/** How a call of a subagent begins: `Task` up to 2.1.59, `Agent` later. */
const agentCalls = ['"name":"Task"', '"name":"Agent"'];

/** Goes through the kept lines once, to see what they need beside themselves. */
function lookThrough(session: SessionToWrite, kept: KeptLine, id: string): Looked {
  const looked: Looked = { outputs: new Set(), agents: 0, slug: null, headless: false };
  for (const index of kept.order) {
    const record = session.record(index);
    const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
    for (const name of outputsIn(bytes, id)) looked.outputs.add(name);
    if (looked.slug === null && bytes.includes('"slug"')) looked.slug = nameOf(entryIn(bytes)?.['slug']);
    looked.headless ||= index === kept.order[0] && bytes.includes('"entrypoint":"sdk-cli"');
    if (session.spine.records[index]?.role === 'assistant' && agentCalls.some((call) => bytes.includes(call))) looked.agents++;
  }
  return looked;
}

/** Bytes that lines are gathered to before they are handed on: each piece is a write of its own. */
const pieceBytes = 256 * 1024;

/** The lines of the fork, one after the other: of a long session no more than a piece is held, or its longest line. */
function forkContent(session: SessionToWrite, kept: KeptLine, rules: CopyRules, plain: readonly string[]): FileContent {
  return {
    size: null,
    *pieces() {
      let gathered: Uint8Array[] = [];
      let bytes = 0;
      for (const index of kept.order) {
        const line = copiedLine(session, index, rules);
        // Every record of a session was an object when it was read: one that is none now would leave a hole.
        if (!line) throw new Error(`Record ${session.spine.records[index]?.key ?? index} cannot be copied.`);
        gathered.push(line, lineEnd);
        bytes += line.length + 1;
        if (bytes < pieceBytes) continue;
        yield Buffer.concat(gathered, bytes);
        gathered = [];
        bytes = 0;
      }
      yield Buffer.concat([...gathered, Buffer.from(`${plain.join('\n')}\n`)]);
    },
  };
}

const lineEnd = Buffer.from('\n');

interface ForkGaps {
  session: SessionToWrite;
  kept: KeptLine;
  missing: readonly string[];
  lost: readonly string[];
  moved: Moved | null;
  looked: Looked;
}

function limitsOf({ session, kept, missing, lost, moved, looked: { agents, slug, headless } }: ForkGaps): string[] {
  const limits: string[] = [];
  if (kept.leftOut.length > 0) limits.push('The last reply is left out: a call in it has no result.');
  if (!endsInAnswer(session, kept)) limits.push('The point lies inside a turn: when it goes on, Claude Code puts “No response requested.” where the answer would be.');
  if (missing.length > 0) limits.push(`${count(missing.length, 'backup of a checkpoint is', 'backups of checkpoints are')} gone: Claude Code passes over those files when it rewinds.`);
  if (lost.length > 0) limits.push(`${count(lost.length, 'saved output is', 'saved outputs are')} gone; of them the fork has what the transcript holds.`);
  if (agents > 0) limits.push('Transcripts of subagents stay with the original, as with /branch: the fork has what they reported, and cannot go on with one of them.');
  if (session.spine.evidence.some(({ slot }) => slot.startsWith('task:'))) limits.push('The task list is not carried over: its files hold what it is now, not what it was at that point.');
  if (slug !== null) limits.push(`Both sessions write the same plan file, plans/${slug}.md.`);
  if (moved) limits.push(`What was said still names files below ${moved.from}; only the recorded working folder is changed to ${moved.to}.`);
  if (headless) limits.push('Claude Code’s own list leaves out sessions that were begun with -p, and so their forks; the command to go on works.');
  limits.push('From now on `claude --continue` in that folder goes on with the fork: it takes the newest session.');
  return limits;
}

/** The last thing said is an answer: the point is the end of a turn. */
function endsInAnswer(session: SessionToWrite, { order }: KeptLine): boolean {
  const said = order.map((index) => session.spine.records[index]).findLast((record) => record?.type === 'user' || record?.type === 'assistant');
  return said?.role === 'assistant' || said?.note?.['summary'] === true || (said !== undefined && said.injected && !said.prompt);
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
