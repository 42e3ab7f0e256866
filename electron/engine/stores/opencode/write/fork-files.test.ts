import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openFixture } from '../../../../../e2e/fixtures';
import { TestLibrary, withFixture } from '../library.test-support';
import { forkByFiles, layoutOf } from './fork-files';
import { forkWays } from './fork';
import { applyDraft, drawn, making, pointBefore, promptsOf, sentAt, toWrite, unfinishedAtEnd } from './writing.test-support';

const now = Date.UTC(2026, 11, 20, 12);

describe('a fork as new files, of every session of both older layouts before every prompt and at the end', () => {
  test.each(['v05-json', 'v11-json'])('%s', (name) => {
    withFixture(openFixture('opencode', name), (library) => {
      const made: { of: string; before: string | null; fork: string; sent: string[]; todos: number }[] = [];
      for (const native of library.natives) {
        const session = toWrite(library, native);
        for (const before of [...promptsOf(session), null]) {
          const point = pointBefore(session, before);
          const draft = drawn(forkByFiles(session, point, {}, making(now + made.length * 1_000, made.length + 1)));
          applyDraft(draft);
          made.push({
            of: native, before, fork: draft.session ?? '', sent: sentAt(library, native, before, unfinishedAtEnd(session, point)), todos: before === null ? session.facts.todos.length : 0,
          });
        }
      }
      expect(made.length).toBeGreaterThan(10);
      const after = TestLibrary.of(library.location.folder);
      after.pass();
      expect(after.damage).toEqual(library.damage);
      for (const { of, before, fork, sent, todos } of made) {
        expect({ of, before, sent: sentAt(after, fork, null) }).toEqual({ of, before, sent });
        if (before === null) expect(after.session(fork).facts.todos).toHaveLength(todos);
      }
    });
  });
});

test('the files of the second layout hold the ids of the fork and are written as the program writes them', () => {
  withFixture(openFixture('opencode', 'v11-json'), (library) => {
    const native = library.natives.find((id) => promptsOf(toWrite(library, id)).length > 1) ?? '';
    const session = toWrite(library, native);
    const point = pointBefore(session, promptsOf(session)[1] ?? '');
    expect(forkWays(session, point).map(({ id, refused }) => [id, refused])).toEqual([['files', null]]);
    const draft = drawn(forkByFiles(session, point, { title: 'Another way' }, making(now)));
    const files = draft.steps.flatMap((step) => (step.kind === 'file' && step.after && 'content' in step.after ? [{ path: step.path.slice(library.location.folder.length + 1), text: Buffer.concat([...step.after.content.pieces()]).toString('utf8') }] : []));
    expect(files.at(-1)?.path).toMatch(/^storage\/session\/[^/]+\/ses_d6cad4dffffe[^/]{14}\.json$/);
    expect(JSON.parse(files.at(-1)?.text ?? '')).toMatchObject({ id: draft.session, title: 'Another way', time: { created: now, updated: now }, directory: session.facts.directory });
    const message = files.find(({ path }) => path.startsWith('storage/message/'));
    const value = JSON.parse(message?.text ?? '') as { id: string; sessionID: string };
    expect(message?.path).toBe(`storage/message/${draft.session}/${value.id}.json`);
    expect(value.sessionID).toBe(draft.session);
    expect(message?.text).toBe(JSON.stringify(value, null, 2));
    const original = layoutOf(session)?.messages(native)[0]?.path ?? '';
    const { id: _id, sessionID: _session, ...rest } = JSON.parse(readFileSync(original, 'utf8')) as { id: string; sessionID: string };
    expect(value).toMatchObject(rest);
  });
});
