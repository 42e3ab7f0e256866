import type { JsonObject, Settled, Spine, SpineRecord } from '../store';
import { doubtNotice } from './doubts';
import { statesOf } from './states';
import { timesOf } from './times';

/**
 * What a run's records add up to (FORMAT.md, "What the model has"). The order of the file is the order of the talk, and
 * there is one branch: going back is only ever a commit taken back.
 */
export function settle(spine: Spine): Settled {
  const { records } = spine;
  const { states, undone } = statesOf(records);
  const witnesses = timesOf(records, spine.evidence);
  return {
    records: states,
    order: null,
    branches: [{ current: true, path: records.map(({ index }) => index) }],
    compactions: 0,
    reverted: records.some(({ type }) => type === 'tool/undo'),
    notices: [...records.flatMap(noticesOf), ...silentTurns(records), ...witnesses.notices],
    condition: endsWithoutAnswer(records) ? 'interrupted' : 'finished',
    tools: records.flatMap((record) => editNotes(record, records, undone)),
    times: witnesses.times,
  };
}

const textsIn = (note: JsonObject | null, key: string): string[] => {
  const value = note?.[key];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
};

/** What became of an answer's edits, where more is known than their own result says. */
function editNotes(record: SpineRecord, records: SpineRecord[], undone: Map<number, number>): Settled['tools'] {
  const paths = textsIn(record.note, 'edits');
  if (record.type !== 'answer' || paths.length === 0) return [];
  const after = records.slice(record.index + 1, endOfMessage(record, records));
  const takenBack = after.find(({ index }) => undone.has(index));
  return paths.flatMap((path, index): Settled['tools'] => {
    const block = index + 1;
    const place = { record: record.index, block };
    const applied = after.find(({ note, type }) => type === 'tool/applied' && note?.['path'] === path);
    const passed = after.some(({ note }) => textsIn(note, 'passed').includes(path));
    if ((applied?.note?.['done'] === true || passed) && takenBack) {
      return [{ ...place, status: 'completed', note: `Taken back: commit ${String(takenBack.note?.['commit'])} was removed with /undo.` }];
    }
    if (applied) return [];
    if (passed) return [{ ...place, status: 'completed', note: 'Applied, while other blocks of this answer were not.' }];
    if (after.some(({ note }) => textsIn(note, 'failed').includes(path))) return [{ ...place, status: 'error', note: 'Not applied: the program says why in its report below.' }];
    return [{ ...place, status: 'unknown', note: 'Nothing says whether this edit was applied.' }];
  });
}

/** Records of one message stand in a row. */
function endOfMessage(record: SpineRecord, records: SpineRecord[]): number {
  let end = record.index + 1;
  while (end < records.length && records[end]?.message === record.message) end++;
  return end;
}

function noticesOf(record: SpineRecord): Settled['notices'] {
  const notices: Settled['notices'] = [];
  const { note, index } = record;
  for (const doubt of textsIn(note, 'doubts')) {
    const text = doubtNotice(doubt, Number(note?.['lookalikes'] ?? 0));
    if (text !== null) notices.push({ kind: 'other', text, record: index });
  }
  if (record.type === 'tool/undo') {
    const subject = note?.['subject'] === '' ? '' : ` (${String(note?.['subject'])})`;
    const now = typeof note?.['now'] === 'string' ? `; the project was at ${note['now']} then` : '';
    notices.push({ kind: 'revert', text: `/undo took back commit ${String(note?.['removed'])}${subject}${now}. What was said stays in the conversation.`, record: index });
  }
  if (note?.['interrupted'] === true) notices.push({ kind: 'interrupted', text: 'Interrupted with Ctrl-C.', record: index });
  return notices;
}

/** Prompts that got messages of the program, but no answer, before the next one. */
function silentTurns(records: SpineRecord[]): Settled['notices'] {
  const turns = turnsOf(records);
  return turns.slice(0, -1).flatMap(({ prompt, others }) => {
    const silent = prompt.type === 'user' && !others.some(({ type, note }) => type === 'answer' || note?.['interrupted'] === true);
    return silent ? [{ kind: 'gap' as const, text: 'No answer to this prompt was recorded.', record: prompt.index }] : [];
  });
}

function turnsOf(records: SpineRecord[]): { prompt: SpineRecord; others: SpineRecord[] }[] {
  const turns: { prompt: SpineRecord; others: SpineRecord[] }[] = [];
  for (const record of records) {
    // A prompt cut for its length goes on in records of the same message.
    if (record.role === 'user' && record.message !== turns.at(-1)?.prompt.message) turns.push({ prompt: record, others: [] });
    else turns.at(-1)?.others.push(record);
  }
  return turns;
}

function endsWithoutAnswer(records: SpineRecord[]): boolean {
  const last = turnsOf(records).at(-1);
  if (!last || last.prompt.type !== 'user') return false;
  const answered = last.others.findLastIndex(({ type }) => type === 'answer');
  return answered < 0 || last.others.some(({ note }, index) => index > answered && note?.['interrupted'] === true);
}
