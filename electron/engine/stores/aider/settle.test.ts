import { expect, test } from 'vitest';
import { nativeId } from '@shared/model';
import type { RecordFact, Settled, Spine, SpineRecord } from '../store';
import { projectAll, written } from './fixture-home.test-support';
import { settle } from './settle';
import { wordsOf } from './words';

const { run, ask, answer, say } = written;
const begin = run('2026-03-01 10:00:00', 'Aider v0.86.1');
const used = say('Tokens: 1 sent, 1 received.');

/** The spine that the library would make of these records. */
function spineOf(records: RecordFact[], typed: [string, string][] = []): Spine {
  const messages = [...new Set(records.map(({ message }) => message?.key))];
  return {
    session: nativeId('x-0'), now: 0,
    evidence: typed.map(([clock, text], index) => ({ source: 'input:/w/.aider.input.history', slot: `typed:${String(index).padStart(12, '0')}`, data: { time: Date.parse(`2026-03-01T${clock}Z`), words: wordsOf(text), text } })),
    records: records.map((record, index): SpineRecord => ({
      index, key: record.key, parent: -1, inChain: false, missing: null, joins: -1, type: record.type, time: record.time, order: null,
      message: messages.indexOf(record.message?.key), messageKey: record.message?.key ?? null, role: record.message?.role ?? null, prompt: record.message?.prompt ?? false,
      injected: false, note: record.note, source: '/w/.aider.chat.history.md', gone: false,
    })),
  };
}

function settled(text: string, typed: [string, string][] = []): { records: RecordFact[]; settled: Settled } {
  const { records } = projectAll('/w/.aider.chat.history.md', [Buffer.from(text)]);
  return { records, settled: settle(spineOf(records, typed)) };
}

test('prompts and answers are what the model has; commands and messages are not', () => {
  const { records, settled: result } = settled(begin + ask('/add a.py') + say('Added a.py to the chat.') + ask('hi') + answer('Hello.') + used);
  expect(result.records.map(({ seen, state }, index) => [records[index]?.type, state, seen])).toEqual([
    ['run', 'live', false], ['user/command', 'live', false], ['tool', 'live', false], ['user', 'live', true], ['answer', 'live', true], ['tool/usage', 'live', false],
  ]);
  expect(result.branches).toEqual([{ current: true, path: [0, 1, 2, 3, 4, 5] }]);
});

test('after /reset only what follows is left', () => {
  const { settled: result } = settled(begin + ask('a') + answer('A.') + used + ask('/reset') + say('All files dropped and chat history cleared.') + ask('b') + answer('B.'));
  expect(result.records.filter(({ seen }) => seen)).toHaveLength(2);
  expect(result.records[1]).toEqual({ state: 'cleared', reason: 'The conversation was cleared after this: the model no longer gets it.', cause: 5, seen: false });
});

test('an undo of a commit of another run marks nothing here, and is told', () => {
  const { settled: result } = settled(begin + ask('/undo') + say('Removed: abcdef1 old work') + say('Now at:  1234567 older'));
  expect(result.reverted).toBe(true);
  expect(result.records.every(({ state }) => state === 'live')).toBe(true);
  expect(result.notices.map(({ kind, text, record }) => [kind, text, record])).toEqual([
    ['revert', '/undo took back commit abcdef1 (old work); the project was at 1234567 then. What was said stays in the conversation.', 2],
  ]);
});

test('edits say what became of them: applied, failed, in part, taken back, unknown', () => {
  const block = (path: string) => `${path}\n\`\`\`\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\`\`\`\n`;
  const report = '# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in b.py\n\n# The other 1 SEARCH/REPLACE block were applied successfully.\nJust reply';
  const { records, settled: result } = settled(
    begin + ask('x') + answer(block('a.py') + block('b.py')) + used + say('The LLM did not conform to the edit format.') + say(report) + answer(block('b.py')) + used + say('Applied edit to b.py') + say('Commit 1234567 fix')
    + ask('/undo') + say('Removed: 1234567 fix') + ask('/ask show') + ask('show') + answer(block('c.py')) + used + ask('go') + answer(block('d.py')) + used + say('Did not apply edit to d.py (--dry-run)'),
  );
  expect(records.flatMap(({ results, type }) => results.map(({ callId, status }) => [type, callId.split(':')[1], status]))).toEqual([
    ['tool/applied', 'b.py', 'completed'], ['tool/applied', 'd.py', 'denied'],
  ]);
  expect(result.tools.map(({ record, block: place, status, note }) => [records[record]?.parts[place]?.title, status, note])).toEqual([
    ['a.py', 'completed', 'Applied, while other blocks of this answer were not.'], ['b.py', 'error', 'Not applied: the program says why in its report below.'],
    ['b.py', 'completed', 'Taken back: commit 1234567 was removed with /undo.'], ['c.py', 'unknown', 'Nothing says whether this edit was applied.'],
  ]);
});

test('a prompt without an answer at the end is an interrupted run; a command there is not', () => {
  expect(settled(begin + ask('x')).settled.condition).toBe('interrupted');
  expect(settled(begin + ask('x') + say('') + say('^C again to exit')).settled.condition).toBe('interrupted');
  expect(settled(begin + ask('x') + answer('X.') + used).settled.condition).toBe('finished');
  expect(settled(begin + ask('x') + answer('X.') + used + ask('/exit')).settled.condition).toBe('finished');
  expect(settled(begin).settled.condition).toBe('finished');
});

test('what was typed gives prompts their times, in order', () => {
  const { records, settled: result } = settled(begin + ask('go') + answer('1') + ask('/ask why?') + ask('why?') + answer('2') + ask('go') + answer('3'), [
    ['10:00:05', 'go'], ['10:01:00', 'y'], ['10:02:00', '/ask why?'], ['10:03:00', 'go'],
  ]);
  expect(result.times?.map(({ record, time }) => [records[record]?.parts[0]?.text, new Date(time).toISOString().slice(11, 16)])).toEqual([['go', '10:00'], ['/ask why?', '10:02'], ['go', '10:03']]);
  expect(result.notices).toEqual([]);
});

test('where the two files differ it is told', () => {
  const { settled: result } = settled(begin + ask('one') + answer('1') + ask('two') + answer('2'), [['10:00:05', 'one'], ['10:01:00', 'lost words'], ['10:02:00', 'n']]);
  expect(result.notices.map(({ text, record }) => [text, record])).toEqual([
    ['Typed while this run went on, by .aider.input.history, but not in the chat history: “lost words”.', 0],
    ['One prompt of this run is not in .aider.input.history: piped in, or typed elsewhere.', 3],
  ]);
});
