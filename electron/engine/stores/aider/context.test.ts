import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtureNames } from '../../../../e2e/fixtures';
import { nativeId } from '@shared/model';
import type { ContextView, RecordFact, SpineRecord } from '../store';
import { aider } from '.';
import { historiesOf, placedIn, projectAll, withFixture, written } from './fixture-home.test-support';
import { context } from './context';

const names = fixtureNames('aider');

interface Run {
  records: RecordFact[];
  view(before?: number | null): ContextView;
  settled: ReturnType<typeof aider.settle>;
}

/** The runs of a history, as a library would hold them. */
function runsOf(text: Uint8Array): Map<string, Run> {
  const source = '/w/.aider.chat.history.md';
  const projected = projectAll(source, [text]);
  const runs = new Map<string, Run>();
  for (const session of new Set(projected.records.map((record) => record.session))) {
    const records = projected.records.filter((record) => record.session === session);
    const messages = [...new Set(records.map(({ message }) => message?.key))];
    const spine = {
      session: nativeId(session), now: 0,
      evidence: projected.evidence.filter((fact) => fact.session === session).map(({ slot, data }) => ({ source, slot, data })),
      records: records.map((record, index): SpineRecord => ({
        index, key: record.key, parent: -1, inChain: false, missing: null, joins: -1, type: record.type, time: record.time, order: null, message: messages.indexOf(record.message?.key),
        messageKey: record.message?.key ?? null, role: record.message?.role ?? null, prompt: record.message?.prompt ?? false, injected: false, note: record.note, source, gone: false,
      })),
    };
    const settled = aider.settle(spine);
    const parts = records.map((record) => record.parts.map(({ block, kind, size, tool }) => ({ block, kind, size, outputSize: 0, status: tool?.status ?? null, result: -1 })));
    runs.set(session.slice(session.indexOf('-') + 1), { records, settled, view: (before = null) => context({ spine, settled, branch: null, before, parts }) });
  }
  return runs;
}

const piecesOf = (run: Run, view: ContextView): [string, string][] =>
  view.sent.map((piece) => {
    if (piece.type === 'synthetic') return [piece.role, piece.text ?? ''];
    const record = run.records[piece.record];
    return [record?.type === 'answer' ? 'assistant' : 'user', record?.parts[piece.block]?.text ?? ''];
  });

/** One line a piece: role, kind, state, first words. */
const listOf = (run: Run, view: ContextView): string[] =>
  view.sent.map((piece, place) => {
    const [role, text] = piecesOf(run, view)[place] as [string, string];
    const state = piece.type === 'part' ? `${run.records[piece.record]?.parts[piece.block]?.kind} ${view.records[piece.record]?.state}` : `from ${run.records[piece.from]?.type} ${piece.state}`;
    return `${role} ${state} ${text.slice(0, 48).replace(/\s+/g, ' ').trim()}`;
  });

const eachHistory = (name: string, check: (file: string, runs: Map<string, Run>) => void): void =>
  withFixture('aider', name, ({ home }) => {
    for (const { file } of historiesOf(name)) check(file, runsOf(readFileSync(placedIn(home, file))));
  });

test.each(names)('aider/%s: the whole lists, and what is seen is what is sent', (name) => {
  const found: Record<string, string[]> = {};
  eachHistory(name, (file, runs) => {
    for (const [at, run] of runs) {
      const view = run.view();
      found[`${file} ${at}`] = listOf(run, view);
      expect(view.records).toEqual(run.settled.records);
      expect(view.sent.flatMap((piece) => (piece.type === 'part' ? [piece.record] : []))).toEqual(run.settled.records.flatMap(({ seen }, index) => (seen ? [index] : [])));
    }
  });
  expect(found).toEqual(JSON.parse(readFileSync(join(import.meta.dirname, '../../../../e2e/fixtures/aider', name, 'context.json'), 'utf8')));
});

/** A report of failed edits is sent without the two lines that the program says before it; they stand in the same part. */
const asSent = (text: string): string => text.replace(/^The LLM did not conform to the edit format\.\n\S+\n/, '').trim();

/** Requests as Aider logged them: without what the system says, and without the files in the chat. */
function requestsIn(log: string): [string, string][][] {
  return log.split(/^TO LLM .*$/m).slice(1).map((block) => {
    const said = (block.split(/^LLM RESPONSE .*$/m)[0] ?? '').split(/^-------$/m).map((message) => message.trim()).filter((message) => /^(?:USER|ASSISTANT) /.test(message));
    const messages = said.map((message): [string, string] => [message.startsWith('USER') ? 'user' : 'assistant', message.split('\n').map((line) => line.replace(/^(?:USER|ASSISTANT) ?/, '')).join('\n').trim()]);
    const files = messages.findIndex(([, text]) => text.startsWith('I have *added these files') || text.startsWith('I am not sharing any files'));
    return files < 0 ? messages : messages.filter((_, place) => place < files || place > files + 1);
  });
}

test('basic: before each answer of the first run it is what the program logged as sent', () =>
  withFixture('aider', 'basic', ({ home }) => {
    const folder = join(home, 'proj', 'calc');
    const [run] = [...runsOf(readFileSync(join(folder, '.aider.chat.history.md'))).values()] as [Run];
    const answers = run.records.flatMap(({ type }, index) => (type === 'answer' ? [index] : []));
    const requests = requestsIn(readFileSync(join(folder, '.aider.llm.history'), 'utf8')).slice(0, answers.length);
    expect(answers).toHaveLength(5);
    expect(answers.map((before) => piecesOf(run, run.view(before)).map(([role, text]) => [role, asSent(text)]))).toEqual(requests);
  }));

test('clearing ends it, and only it: dropping files does not', () => {
  const { run, ask, answer, say } = written;
  const chat = run('2026-03-01 10:00:00', 'Aider v0.86.1') + ask('a') + answer('A.') + ask('/clear') + say('All chat history cleared.') + ask('b') + answer('B.') + ask('/drop x.py') + say('Removed x.py from the chat') + ask('c') + answer('C.');
  const [found] = [...runsOf(Buffer.from(chat)).values()] as [Run];
  expect(piecesOf(found, found.view())).toEqual([['user', 'b'], ['assistant', 'B.'], ['user', 'c'], ['assistant', 'C.']]);
  // Before it was cleared, it was all there.
  expect(piecesOf(found, found.view(3))).toEqual([['user', 'a'], ['assistant', 'A.']]);
  expect(found.view(3).records.map((record) => record?.state ?? null)).toEqual(['live', 'live', 'live', null, null, null, null, null, null, null, null]);
  expect(found.view().notes[0]).toBe('Shown is what the next prompt gets while this run goes on. A new start of Aider gets nothing of it.');
});
