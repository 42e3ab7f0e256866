import type { ContextRequest, ContextView, SentPiece, SettledRecord, Spine, SpineRecord } from '../store';
import { statesOf } from './states';

/** What Aider would send with the next prompt of a run that still goes on (FORMAT.md, "What the model has"). */
export function context({ spine, before, parts }: ContextRequest): ContextView {
  const records = before === null ? spine.records : spine.records.slice(0, before);
  const { states } = statesOf(records);
  const commits = new CommitWords(spine.evidence);
  const cleared = records.findLastIndex(({ note }) => note?.['cleared'] === true);
  const sent: SentPiece[] = [];
  for (const record of records) {
    if (states[record.index]?.seen) {
      if (record.type === 'tool/failed') sent.push(...exchange(record, noEdits));
      // Edits are drawn from the answer's own text, which is sent once.
      const [text] = parts[record.index] ?? [];
      if (text) sent.push({ type: 'part', record: record.index, block: text.block, output: 'whole' });
    }
    const words = record.index > cleared && isOfModel(record) ? commits.of(record) : null;
    if (words !== null) sent.push(...exchange(record, words));
  }
  return {
    records: spine.records.map(({ index }): SettledRecord | null => states[index] ?? null),
    sent,
    notes: notesOf(records, spine.evidence),
    compactions: [],
  };
}

/** What Aider says for the person after an answer whose edits did not apply. */
const noEdits = "I didn't see any properly formatted edits in your reply?!";

/** Messages that Aider adds to the conversation by itself: its words for the person, and the model's consent. */
function exchange({ index }: SpineRecord, words: string): SentPiece[] {
  const piece = (item: number, role: 'user' | 'assistant', text: string): SentPiece => ({ type: 'synthetic', from: index, item, role, state: 'hidden', text, size: text.length });
  return [piece(0, 'user', words), piece(1, 'assistant', 'Ok.')];
}

/** A commit of the model's edits; one of the person's changes is not told to the model. */
const isOfModel = ({ type, note }: SpineRecord): boolean => type === 'tool/commit' && note?.['own'] === false;

/** Subjects of commits stand in the evidence, by the place of their record. */
class CommitWords {
  readonly #subjects = new Map<string, { hash: string; subject: string }>();

  constructor(evidence: Spine['evidence']) {
    for (const { slot, data } of evidence) {
      const { hash, subject } = data;
      if (slot.startsWith('commit:') && typeof hash === 'string') this.#subjects.set(slot.slice('commit:'.length), { hash, subject: typeof subject === 'string' ? subject : '' });
    }
  }

  of({ key }: SpineRecord): string | null {
    const commit = this.#subjects.get(key ?? '');
    return commit ? `I committed the changes with git hash ${commit.hash} & commit msg: ${commit.subject}` : null;
  }
}

function notesOf(records: readonly SpineRecord[], evidence: Spine['evidence']): string[] {
  const run = evidence.find(({ slot }) => slot === 'run')?.data;
  const said = records.filter(({ type }) => type.startsWith('tool')).length;
  const commands = records.filter(({ type }) => type === 'user/command').length;
  const notes = [
    'Shown is what the next prompt gets while this run goes on. A new start of Aider gets nothing of it.',
    'Not listed: the system prompt, the map of the repository, and the files in the chat, which go along whole. What /run or /web put in is not in the history.',
    `A start with --restore-chat-history gets the whole file as one conversation: prompts and answers of all runs, also those cleared or undone, and commands as if they were said (${commands} here). It loses messages of the program (${said} here), files in the chat, model, edit format and the borders of runs; lines of answers that begin with “# ” are dropped, with “> ” too, and “#### ” makes them prompts.`,
    'Over the model’s limit for history the oldest messages are summarised by the weak model; nothing of that is recorded, so they are listed whole.',
  ];
  if (run?.['restored'] === true) notes.push('This run was started with --restore-chat-history: all that stands before it in the file went along. Those runs are sessions of their own and are not listed here.');
  if (records.some(({ note }) => note?.['interrupted'] === true)) notes.push('What Aider tells the model of an interrupted answer is not in the history.');
  return notes;
}
