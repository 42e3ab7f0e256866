import type { JsonObject, Settled, Spine, SpineRecord } from '../store';
import { slotOf } from './witness-entries';

interface Entry {
  time: number;
  words: string;
  text: string | null;
}

/** Entries shown by name where the two files differ. */
const named = 3;

/**
 * Ties what was typed to prompts, and answers of the model history to answers, by text and order (FORMAT.md, "Typed
 * input"): it gives them times, and shows where the two files differ.
 */
export function timesOf(records: SpineRecord[], evidence: Spine['evidence']): { times: { record: number; time: number }[]; notices: Settled['notices'] } {
  const prompts = records.filter(({ role, note }) => role === 'user' && typeof note?.['words'] === 'string');
  const answers = records.filter(({ type, note }) => type === 'answer' && typeof note?.['words'] === 'string');
  const typed = matched(prompts, entriesOf(evidence, slotOf.input));
  const answered = matched(answers, entriesOf(evidence, slotOf.llm));
  return { times: [...typed.times, ...answered.times], notices: differences(records, prompts, typed) };
}

function entriesOf(evidence: Spine['evidence'], slot: string): Entry[] {
  return evidence
    .filter((fact) => fact.slot.startsWith(`${slot}:`))
    .sort((a, b) => (a.slot < b.slot ? -1 : 1))
    .flatMap(({ data }) => entryOf(data) ?? []);
}

function entryOf({ time, words, text }: JsonObject): Entry | null {
  return typeof time === 'number' && typeof words === 'string' ? { time, words, text: typeof text === 'string' ? text : null } : null;
}

interface Matches {
  times: { record: number; time: number }[];
  /** Entries that no record has. */
  left: Entry[];
}

/** Both lists are in order, so a match is looked for behind the one before. */
function matched(records: SpineRecord[], entries: Entry[]): Matches {
  const places = new Map<unknown, number[]>();
  for (const [index, { note }] of records.entries()) places.set(note?.['words'], [...(places.get(note?.['words']) ?? []), index]);
  const found: Matches = { times: [], left: [] };
  let from = 0;
  for (const entry of entries) {
    const at = places.get(entry.words)?.find((index) => index >= from);
    const record = at === undefined ? undefined : records[at];
    if (at !== undefined && record) {
      found.times.push({ record: record.index, time: entry.time });
      from = at + 1;
    } else found.left.push(entry);
  }
  return found;
}

/** Answers to the program's questions are typed too, and are no prompts. */
const answersQuestion = (text: string | null): boolean => /^(?:y|n|a|s|d|yes|no|all|skip|don't)?$/i.test(text?.trim() ?? '');

function differences(records: SpineRecord[], inChat: SpineRecord[], { times, left }: Matches): Settled['notices'] {
  const notices: Settled['notices'] = [];
  const strange = left.filter(({ text }) => !answersQuestion(text));
  if (strange.length > 0 && records.length > 0) {
    const examples = strange.slice(0, named).map(({ text }) => `“${text ?? ''}”`).join(', ');
    const rest = strange.length > named ? ` and ${strange.length - named} more` : '';
    notices.push({ kind: 'other', text: `Typed while this run went on, by .aider.input.history, but not in the chat history: ${examples}${rest}.`, record: 0 });
  }
  const missing = inChat.filter(({ index, note }) => note?.['echo'] !== true && !times.some(({ record }) => record === index));
  const first = missing[0];
  // A run without any entry was fed by a pipe or a script, which is not recorded: no difference worth telling.
  if (times.length > 0 && first) {
    const prompts = missing.length === 1 ? 'One prompt of this run is' : `${missing.length} prompts of this run are`;
    notices.push({ kind: 'other', text: `${prompts} not in .aider.input.history: piped in, or typed elsewhere.`, record: first.index });
  }
  return notices;
}
