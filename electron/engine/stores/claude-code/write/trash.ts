import { join } from 'node:path';
import type { NativeId } from '@shared/model';
import type { Draft, FileStep, SessionToWrite, WriteRefusal } from '../../store';
import { agentNative } from '../places';
import { expectedAt, fileAt, filesBelow, namesIn, noTranscript, textOfEnd } from './on-disk';
import { type SessionPlace, sessionPlace } from './session-place';

/** Files that go in one plan. A session with more is left to the program's own cleaning. */
const filesTaken = 5_000;
/** Transcripts of the project that are asked whether they were forked from this one, and bytes of the beginning of each. */
const siblingsAsked = 2_000;
const beginning = 32 * 1024;

/** Takes away all files of a session (who goes along is said by the plans): the transcript, what lies beside it, its checkpoints and lists. The plans keep their bytes, so it can come back. */
export function planTrash(session: SessionToWrite, children: readonly NativeId[]): Draft | WriteRefusal {
  const place = sessionPlace(session);
  if (session.facts.kind === 'subagent') return { refused: 'A subagent goes with the session it worked for, not by itself.' };
  if (!place || !session.isLive || !fileAt(place.transcript)) return { refused: noTranscript(place?.transcript, 'The session is only in the library: Claude Code has no transcript of it.') };
  const paths = filesOf(session, place, children);
  if (typeof paths === 'string') return { refused: paths };
  const steps: FileStep[] = [];
  for (const [path, why] of paths) {
    const there = expectedAt(path);
    if (!there) return { refused: `${path} cannot be read, so it could not be brought back.` };
    steps.push({ kind: 'file', path, within: session.location.folder, before: there.before, after: null, why });
  }
  return {
    way: 'The session’s files go to Retrace’s trash, byte for byte; Claude Code keeps no list of sessions beside them.',
    steps, limits: warnings(session, place), session: null,
  };
}

/** Path and reason of every file; a sentence when they cannot all be taken. */
function filesOf(session: SessionToWrite, place: SessionPlace, children: readonly NativeId[]): [string, string][] | string {
  const root = session.location.folder;
  const folders: [string, string][] = [
    [place.folder, 'What lies beside the transcript: subagents, saved outputs, the title.'],
    [place.backups, 'A copy of a file that the session’s checkpoints name.'],
    [join(root, 'tasks', place.id), 'The session’s task list.'],
  ];
  // Without its transcript a session is none: that goes first, so that no half of one is ever shown.
  const paths: [string, string][] = [[place.transcript, 'The transcript.']];
  for (const [folder, why] of folders) {
    const below = filesBelow(folder, filesTaken);
    if (!below || paths.length + below.files.length > filesTaken) return `The session has more than ${filesTaken.toLocaleString('en-US')} files.`;
    if (below.others.length > 0) return `${below.others[0]} is neither a file nor a folder; it is not touched.`;
    paths.push(...below.files.map((path): [string, string] => [path, why]));
  }
  const todos = namesIn(join(root, 'todos')).filter((name) => name === `${place.id}.json` || (name.startsWith(`${place.id}-agent-`) && name.endsWith('.json')));
  paths.push(...todos.map((name): [string, string] => [join(root, 'todos', name), 'A todo list of the session.']));
  // Release 2.0 keeps subagents beside the sessions.
  for (const child of children) {
    const agent = agentOf(place.id, child);
    const path = agent === null ? null : join(place.project, `agent-${agent}.jsonl`);
    if (path !== null && fileAt(path)) paths.push([path, 'The transcript of a subagent.']);
  }
  return paths;
}

function agentOf(session: string, child: NativeId): string | null {
  const prefix = agentNative(session, '') as string;
  const agent = child.startsWith(prefix) ? child.slice(prefix.length) : '';
  return /^[A-Za-z0-9_-]+$/.test(agent) ? agent : null;
}

function warnings(session: SessionToWrite, place: SessionPlace): string[] {
  const forks = forksOf(place);
  const limits: string[] = [];
  if (forks.length > 0) limits.push(`${forks.length === 1 ? 'A session was' : `${forks.length} sessions were`} forked from it: ${forks.slice(0, 10).join(', ')}${forks.length > 10 ? ' and others' : ''}. Each keeps its own copy of the conversation; saved outputs that a /branch only points at go.`);
  limits.push(`What was typed stays in history.jsonl${namesIn(join(session.location.folder, 'plans')).length > 0 ? ', and plan files stay in plans/' : ''}.`);
  return limits;
}

/** Sessions of the same project whose first lines say that they were copied from this one. */
function forksOf(place: SessionPlace): string[] {
  const marks = [`"forkedFrom":{"sessionId":"${place.id}"`, `"requestSessionId":"${place.id}"`];
  const names = namesIn(place.project).filter((name) => name.endsWith('.jsonl') && name !== `${place.id}.jsonl` && !name.startsWith('agent-'));
  return names.slice(0, siblingsAsked).filter((name) => {
    const text = textOfEnd(join(place.project, name), beginning, 'first');
    return marks.some((mark) => text.includes(mark));
  }).map((name) => name.slice(0, -6));
}
