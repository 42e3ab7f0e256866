import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLink } from '@shared/link';
import { ManualPort } from '@shared/port';
import { libraryHub, type Place, retrace } from '../../e2e/command-line';
import { openFixture } from '../../e2e/fixtures';
import { steady } from './writes.test-support';

/** What `undo` and `journal` print of a real fork, kept in e2e/golden-writes; `UPDATE_GOLDEN=1` writes the files anew. */
const golden = join(import.meta.dirname, '../../e2e/golden-writes');

/** Forks a session as the page does: a plan, and its apply. */
async function forked(place: Place): Promise<string> {
  const hub = libraryHub(place);
  const far: ManualPort = new ManualPort((data) => queueMicrotask(() => near.deliver(data)), () => near.closed());
  const near: ManualPort = new ManualPort((data) => queueMicrotask(() => far.deliver(data)));
  const engine = openLink(near);
  hub.attach(far);
  try {
    await engine.call('index.run', {});
    const { sessions } = await engine.call('session.list', { filter: {}, sort: 'created', from: 0, count: 1 });
    const plan = await engine.call('plan.fork', { session: sessions[0]?.id ?? '' });
    if (plan === null || !('steps' in plan)) throw new Error(plan?.refused ?? 'no session');
    const outcome = await engine.call('plan.apply', { plan: plan.id });
    if (!outcome?.applied) throw new Error(outcome?.refused ?? 'no plan');
    return plan.id;
  } finally {
    far.closed();
    await hub.close();
  }
}

test('a fork is listed, shown and taken back', { timeout: 60_000 }, async () => {
  const fixture = openFixture('claude-code', 'rewind');
  const folder = mkdtempSync(join(tmpdir(), 'retrace-writes-'));
  const place = { home: fixture.home, library: join(folder, 'library.db') };
  const project = join(fixture.home, '.claude/projects');
  const files = () => readdirSync(project, { recursive: true }).map(String).sort();
  try {
    expect(await retrace(place, 'journal')).toEqual({ code: 0, stdout: '', stderr: 'Nothing was written yet.\n' });
    expect(await retrace(place, 'journal', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    const before = files();
    const id = await forked(place);
    const after = files();
    expect(after.length).toBeGreaterThan(before.length);
    const print = async (file: string, code: number, ...args: string[]) => {
      const isJson = file.endsWith('.json');
      const result = await retrace(place, ...args, ...(isJson ? ['--json'] : []));
      const text = steady(result.stdout, place, isJson) + (result.stderr === '' ? '' : `stderr: ${steady(result.stderr, place, false)}`);
      expect(result.code, `${file}: ${text}`).toBe(code);
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(join(golden, file), text);
      expect(text, file).toBe(readFileSync(join(golden, file), 'utf8'));
    };
    await print('journal.txt', 0, 'journal');
    await print('journal.json', 0, 'journal');
    await print('journal-entry.txt', 0, 'journal', id.slice(0, 10));
    await print('journal-entry.json', 0, 'journal', id);
    await print('undo-shown.txt', 0, 'undo', id);
    await print('undo-shown.json', 0, 'undo', id, '--dry-run');
    expect(files()).toEqual(after);
    await print('undo-none.txt', 1, 'undo', 'nowhere');
    await print('undo-done.json', 0, 'undo', id, '--yes');
    expect(files()).toEqual(before);
    await print('undo-again.txt', 1, 'undo', id, '--yes');
    await print('journal-after.txt', 0, 'journal');
    await print('journal-state.txt', 0, 'journal', '--state', 'undone', '--state', 'failed');
    expect(await retrace(place, 'journal', '--state', 'interrupted')).toEqual({ code: 0, stdout: '', stderr: 'No entry is interrupted.\n' });
    expect(await retrace(place, 'journal', '--state', 'lost')).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no such state: applying, applied, undone, failed, interrupted, unsettled.') });
    expect((await retrace(place, 'journal', id, '--state', 'undone')).code).toBe(2);
    expect((await retrace(place, 'undo', id, '--yes', '--dry-run')).code).toBe(2);
  } finally {
    fixture.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
});
