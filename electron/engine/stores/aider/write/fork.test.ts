import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nativeId } from '@shared/model';
import { fixtureNames } from '../../../../../e2e/fixtures';
import type { ContextView, Draft, LineageView, RecordFact, SessionToWrite, SpineRecord, WritePoint } from '../../store';
import { aider } from '..';
import { historiesOf, placedIn, projectAll, withFixture, written } from '../fixture-home.test-support';
import { keptRecords } from './history';
import { writer } from '.';

const now = Date.UTC(2026, 11, 24, 12);
const usualZone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'Pacific/Auckland';
});
afterEach(() => {
  if (usualZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = usualZone;
});

interface Run {
  session: SessionToWrite;
  records: RecordFact[];
  view(before: number | null): ContextView;
}

/** The runs of a history, as the plans would hand them over. */
function runsOf(text: Uint8Array, source: string): Run[] {
  const projected = projectAll(source, [text]);
  return [...new Set(projected.records.map(({ session }) => session))].map((native) => {
    const records = projected.records.filter(({ session }) => session === native);
    const messages = [...new Set(records.map(({ message }) => message?.key))];
    const evidence = projected.evidence.filter(({ session }) => session === native).map(({ slot, data }) => ({ source, slot, data }));
    const spine = {
      session: nativeId(native), now: 0, evidence,
      records: records.map((record, index): SpineRecord => ({
        index, key: record.key, parent: -1, inChain: false, missing: null, joins: -1, type: record.type, time: record.time, order: null, message: messages.indexOf(record.message?.key),
        messageKey: record.message?.key ?? null, role: record.message?.role ?? null, prompt: record.message?.prompt ?? false, injected: false, note: record.note, source, gone: false,
      })),
    };
    const settled = aider.settle(spine);
    const parts = records.map((record) => record.parts.map(({ block, kind, size, tool }) => ({ block, kind, size, outputSize: 0, status: tool?.status ?? null, result: -1 })));
    return {
      records,
      session: {
        location: { agent: 'aider' as const, folder: dirname(source), origin: 'default' as const }, native, facts: aider.summarise(native, evidence), folder: dirname(source), spine, settled, isLive: true, file: () => null,
        record: (index: number) => {
          const record = records[index] as RecordFact;
          return text.subarray(record.at, record.at + record.bytes);
        },
      },
      view: (before: number | null) => aider.context?.({ spine, settled, branch: null, before, parts }) as ContextView,
    };
  });
}

const sent = ({ records }: Run, { sent: pieces }: ContextView, wants: (type: string) => boolean = () => true): string[] =>
  pieces.flatMap((piece) => {
    if (piece.type === 'synthetic') return wants('synthetic') ? [`${piece.role}: ${piece.text}`] : [];
    const record = records[piece.record] as RecordFact;
    return wants(record.type) ? [`${record.type}: ${record.parts[piece.block]?.text ?? ''}`] : [];
  });

const pointOf = ({ session }: Run, before: number | null): WritePoint => ({ branch: 0, path: session.spine.records.map(({ index }) => index), before, kept: [] });
const drawn = (run: Run, before: number | null, toolOutput = false): Draft => {
  const draft = writer.planFork(run.session, pointOf(run, before), { toolOutput }, { now, random: () => new Uint8Array(16) });
  if (draft instanceof Promise || 'refused' in draft) throw new Error('refused' in draft ? draft.refused : 'a promise');
  return draft;
};
const fileOf = ({ steps: [step] }: Draft): { path: string; bytes: Buffer } => {
  if (step?.kind !== 'file' || step.after === null || !('content' in step.after)) throw new Error('no new file');
  return { path: step.path, bytes: Buffer.concat([...step.after.content.pieces()]) };
};

describe.each(fixtureNames('aider'))('aider/%s', (name) => {
  test.each([false, true])('each run forked at each point has the context it had there; messages of the program along: %s', (toolOutput) =>
    withFixture('aider', name, ({ home }) => {
      for (const { file } of historiesOf(name)) {
        const source = placedIn(home, file);
        for (const run of runsOf(readFileSync(source), source)) {
          for (const before of [...run.records.flatMap(({ message }, index) => (message?.prompt ? [index] : [])), null]) {
            const kept = keptRecords(run.session, before, toolOutput);
            const where = `${run.session.native} before ${before}`;
            if (kept.records.every((index) => run.records[index]?.type !== 'answer')) continue;
            const answered = kept.records.findLast((index) => run.records[index]?.type === 'answer') ?? -1;
            const draft = drawn(run, before, toolOutput);
            const made = fileOf(draft);
            const [fork, ...others] = runsOf(made.bytes, made.path) as [Run, ...Run[]];
            expect(others, where).toEqual([]);
            expect(fork.session.native, where).toBe(draft.session);
            expect(fork.session.facts.own?.['forkedFrom'], where).toEqual({ native: run.session.native, before: before === null ? null : Number(run.records[before]?.key) });
            // An unanswered last prompt is left out; so is what the program said, unless it was asked for.
            const view = run.view(before);
            const wanted = { ...view, sent: view.sent.filter((piece) => piece.type === 'synthetic' || piece.record <= answered || run.records[piece.record]?.type !== 'user') };
            const wants = (type: string) => toolOutput || (type !== 'synthetic' && type !== 'tool/failed');
            expect(sent(fork, fork.view(null), wants), where).toEqual(sent(run, wanted, wants));
          }
        }
      }
    }));
});

const { run, ask, answer, say } = written;
const chat =
  run('2026-03-01 10:00:00', 'Aider v0.86.1') + ask('old') + answer('Old.') + ask('/clear') + say('All chat history cleared.') +
  ask('first\nsecond line') + answer('Done.') + say('Tokens: 900 sent, 120 received.') + ask('/tokens') + say('$ 0.01') + ask('next') + answer('Next.') + ask('unanswered');

test('the new history: a header that says where it is from, then prompts and answers as Aider wrote them', () => {
  const source = '/w/proj/.aider.chat.history.md';
  const [found] = runsOf(Buffer.from(chat), source) as [Run];
  const draft = drawn(found, null);
  expect(draft.steps).toMatchObject([{ kind: 'file', path: '/w/proj/.aider.chat.history.2026-12-25-fork.md', within: '/w/proj', before: { state: 'absent' } }]);
  expect(fileOf(draft).bytes.toString()).toBe(
    `\n# aider chat started at 2026-12-25 01:00:00\n\n> Forked by Retrace from run ${found.session.native}  \n` + ask('first\nsecond line') + answer('Done.') + ask('next') + answer('Next.'),
  );
  expect(draft.limits).toEqual([
    'Files in the chat, the model and the edit format are not in a history: they are given to Aider again when it is started.',
    'The last prompt was not answered and is left out.',
    'What had been cleared before the point is left out.',
    'Commands are left out: Aider would take them for something said to the model.',
    'Messages of the program (commits, usage, reports of failed edits) are left out.',
    'Aider finds its usual history by itself, and this file only by its name: `aider --chat-history-file … --restore-chat-history`.',
  ]);
  const next = found.records.findIndex(({ parts }) => parts[0]?.text === 'next');
  expect(fileOf(drawn(found, next, true)).bytes.toString()).toContain(`${answer('Done.')}> Tokens: 900 sent, 120 received.  \n> $ 0.01  \n`);
  // Before it was cleared, the old text was there.
  expect(fileOf(drawn(found, 3)).bytes.toString()).toContain(ask('old') + answer('Old.'));
  expect(writer.forkWays(found.session, pointOf(found, 1))[0]?.refused).toBe('Nothing that was answered stands before this point: nothing would be kept. A new conversation is begun with `aider`.');
  expect(writer.planAct?.(found.session, { act: 'trash', children: [] }, { now, random: () => new Uint8Array() })).toMatchObject({ refused: `The file ${source} holds other runs too: Aider keeps all runs of a project in one. Nothing is cut out of it.` });
});

test('a fork is found beside its original, goes on by its name, and knows where it is from', () =>
  withFixture('aider', 'basic', ({ home }) => {
    const folder = join(home, 'proj', 'calc');
    const source = join(folder, '.aider.chat.history.md');
    const [original] = runsOf(readFileSync(source), source) as [Run];
    const before = original.records.findLastIndex(({ message }) => message?.prompt);
    const draft = drawn(original, before);
    const { path, bytes } = fileOf(draft);
    writeFileSync(path, bytes, { flag: 'wx' });
    const environment = { home, platform: 'linux' as const, variables: {}, added: [], projects: [folder] };
    expect(aider.locate(environment).find((location) => location.folder === folder)?.files).toEqual([basename(path), basename(source)]);
    // A second one of the day gets a name of its own.
    expect(basename(fileOf(drawn(original, before)).path)).toBe('.aider.chat.history.2026-12-25-fork-2.md');
    const [fork] = runsOf(bytes, path) as [Run];
    expect(aider.resumeCommand(fork.session.native, fork.session.facts)).toEqual({ argv: ['aider', '--restore-chat-history', '--chat-history-file', path], cwd: folder });
    const both = [original, fork];
    const messagesOf = (each: Run) => [...new Map(each.records.map((record) => [record.message?.key ?? '', record])).entries()].map(([key, record]) => ({ key, role: record.message?.role ?? ('system' as const), time: null, filed: null, parts: [] }));
    const view: LineageView = {
      sessions: () => both.map(({ session }) => ({ native: session.native, facts: session.facts })), facts: (native) => both.find(({ session }) => session.native === native)?.session.facts,
      messages: (native) => both.filter(({ session }) => session.native === native).flatMap(messagesOf), holders: () => [], relatives: () => [],
    };
    const edges = aider.lineage(view, new Set([fork.session.native]));
    expect(edges).toMatchObject([{ child: draft.session, parent: original.session.native, kind: 'fork', certainty: 'recorded', callId: null }]);
    expect(edges[0]?.after).toBe(messagesOf(original).findLast(({ key }) => Number(key) < Number(original.records[before]?.key))?.key);
    expect(edges[0]?.inherited).toEqual(messagesOf(fork).slice(1).map(({ key }) => key));
  }));
