import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answers, Checked, Method } from '@shared/contract';
import type { ApplyOutcome } from '@shared/model';
import { openFixture } from '../../../../../e2e/fixtures';
import { startEngine } from '../../../engine';
import { Indexer } from '../../../indexing/indexer';
import { stores } from '../..';

test('a run is forked into a new history, found as a session with its parent, and the file is taken away again', async () => {
  const fixture = openFixture('aider', 'basic');
  const folder = mkdtempSync(join(tmpdir(), 'retrace-aider-'));
  const file = join(folder, 'library.db');
  const options = { home: fixture.home, add: [join(fixture.home, 'proj', 'calc')] };
  const engine = startEngine({ file, home: fixture.home, stores, index: (events) => new Indexer({ file, options, home: '/nobody', watch: false }, stores, events) }, () => undefined);
  const ask = async <M extends Method>(method: M, params: Checked<M>): Promise<Answers[M]> => (await engine.methods[method](params, { signal: new AbortController().signal })) as never;
  try {
    await ask('index.run', {});
    const listed = async () => (await ask('session.list', { filter: {}, sort: 'created', from: 0, count: 100 })).sessions;
    const original = (await listed()).find(({ id }) => id.endsWith('-0'));
    const history = join(fixture.home, 'proj', 'calc', '.aider.chat.history.md');
    const before = readFileSync(history);
    const view = await ask('plan.fork', { session: original?.id ?? '' });
    if (view === null || !('id' in view)) throw new Error(JSON.stringify(view));
    expect(view).toMatchObject({ kind: 'fork', refused: null, steps: [{ kind: 'file', act: 'create' }], ways: [{ id: 'history-file', chosen: true }] });
    const outcome = (await ask('plan.apply', { plan: view.id })) as ApplyOutcome;
    if (!outcome.applied) throw new Error(outcome.refused);
    const [made] = outcome.entry.written;
    expect(outcome.entry.resume).toEqual({ argv: ['aider', '--restore-chat-history', '--chat-history-file', made], cwd: join(fixture.home, 'proj', 'calc') });
    await ask('index.run', {});
    const fork = (await listed()).find(({ id }) => id === outcome.entry.result);
    expect(fork?.parent).toMatchObject({ id: original?.id, kind: 'fork', certainty: 'recorded' });
    const undo = await ask('plan.undo', { entry: outcome.entry.id });
    if (undo === null || !('id' in undo)) throw new Error(JSON.stringify(undo));
    expect(await ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
    expect(existsSync(made ?? '')).toBe(false);
    expect(readFileSync(history).equals(before)).toBe(true);
  } finally {
    await engine.close();
    fixture.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
});
