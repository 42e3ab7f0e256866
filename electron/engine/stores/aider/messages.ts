import type { Tokens } from '@shared/model';
import type { JsonObject, PartFact, ResultFact, ToolFact } from '../store';
import type { TurnState } from './carry';
import { forkedFrom } from './forked';
import type { Block } from './split';
import { oneLine } from './title';
import { usageOf } from './tokens';
import {
  announcesOwnCommit, appliedEdit, clearsConversation, currentCommit, gitFolder, isInterrupt, madeCommit, mainModel, programVersion, removedCommit, restoresHistory,
} from './vocabulary';

export interface MessageFacts {
  type: string;
  parts: PartFact[];
  results: ResultFact[];
  note: JsonObject;
  tokens: Tokens | null;
  commit: { hash: string; subject: string; own: boolean } | null;
  undone: string | null;
}

/** Learns from messages that are not records of their own: what the run is made with, what the next commit holds. */
export function readPlain(text: string, turn: TurnState): JsonObject {
  const { run } = turn;
  const note: JsonObject = {};
  for (const line of text.split('\n')) {
    const said = line.trim();
    if (announcesOwnCommit(said)) turn.own = true;
    if (clearsConversation(said)) note['cleared'] = true;
    if (isInterrupt(said)) note['interrupted'] = true;
    if (!run) continue;
    if (restoresHistory(said)) run.restored = true;
    const from = forkedFrom(said);
    // Only the header says it: the line may be quoted later.
    if (from && run.prompt === null && run.command === null) run.forkedFrom ??= from;
    run.version ??= programVersion(said);
    run.gitFolder ??= gitFolder(said);
    const main = mainModel(said);
    if (main) {
      run.model = main.model;
      run.format = main.format;
      // A person tries a handful of models in a run; a list without an end would only come from a broken file.
      if (!run.models.includes(main.model) && run.models.length < 100) run.models.push(main.model);
    }
  }
  return note;
}

/** What a block of messages shows and does (FORMAT.md, "What the program says"). */
export function readSpecial(block: Block, text: string, turn: TurnState): MessageFacts {
  // A message may be empty; the first that is not names the block.
  const first = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const facts = (type: string, part: Partial<PartFact> | null, more: Partial<MessageFacts> = {}): MessageFacts => ({
    type, parts: part ? [{ block: 0, kind: 'notice', title: oneLine(first), text, size: text.length, injected: false, ...part }] : [],
    results: [], note: {}, tokens: null, commit: null, undone: null, ...more,
  });
  switch (block.tool) {
    case 'usage': {
      const usage = usageOf(first);
      if (usage?.rounded && turn.run) turn.run.rounded = true;
      return facts('tool/usage', { kind: 'step' }, { tokens: usage?.tokens ?? null });
    }
    case 'applied':
      return applied(block, text, turn, facts);
    case 'failed':
      return facts('tool/failed', { title: oneLine(text.split('\n').find((line) => line.startsWith('# ')) ?? first) }, { note: failedEdits(text, turn) });
    case 'commit': {
      const made = madeCommit(first) ?? { hash: '', subject: '' };
      const commit = { hash: made.hash, subject: oneLine(made.subject), own: isOwn(turn) };
      turn.own = false;
      return facts('tool/commit', { kind: 'patch' }, { note: { commit: commit.hash, own: commit.own }, commit });
    }
    case 'undo': {
      const removed = removedCommit(first);
      const now = text.split('\n').map(currentCommit).find((commit) => commit !== null);
      const note = { removed: removed?.hash ?? null, subject: oneLine(removed?.subject ?? ''), now: now?.hash ?? null };
      return facts('tool/undo', {}, { note, undone: note.removed });
    }
    default:
      return facts('tool', {}, { note: readPlain(text, turn) });
  }
}

/** Commits by command, and those that a run makes before any prompt, hold what the person changed. */
const isOwn = (turn: TurnState): boolean => turn.own || turn.command === 'commit' || turn.prompt === null;

type Make = (type: string, part: Partial<PartFact> | null, more?: Partial<MessageFacts>) => MessageFacts;

/** The outcome of an edit that stands in the answer; an edit of its own where the answer's format does not show it. */
function applied(block: Block, text: string, turn: TurnState, facts: Make): MessageFacts {
  const { path, done } = appliedEdit(text) ?? { path: text, done: true };
  const status = done ? 'completed' : 'denied';
  const call = turn.calls.find((open) => open.path === path);
  turn.calls = turn.calls.filter((open) => open !== call);
  const note = { path, done };
  const output = { text: null, size: text.length };
  if (call) return facts('tool/applied', null, { results: [{ callId: call.id, block: 0, status, ...output }], note });
  const tool: ToolFact = { name: 'edit', family: 'edit', callId: String(block.at), status };
  return facts('tool/applied', { kind: 'tool', title: oneLine(path), text: path, tool, output }, { note });
}

/**
 * A report names the files whose blocks failed. With a part applied the others are in; without a word of that none is.
 * It is no result of the calls, since it may still grow, and a result stays what it was first: `settle` uses the note.
 */
function failedEdits(text: string, turn: TurnState): JsonObject {
  const partly = /^# The other \d+ SEARCH\/REPLACE blocks? /m.test(text);
  const isNamed = (path: string) => [`exactly match lines in ${path}`, `${path} does not contain`, `${path} contains multiple`].some((words) => text.includes(words));
  const paths = turn.calls.map(({ path }) => path);
  const failed = paths.filter((path) => isNamed(path) || !partly);
  turn.calls = [];
  return { failed, passed: paths.filter((path) => !failed.includes(path)) };
}
