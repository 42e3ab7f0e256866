import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Place, retrace } from '../../e2e/command-line';
import { type Fixture, type FixtureFamily, openFixture } from '../../e2e/fixtures';

/**
 * What leaves in a bundle comes in as it was: exported from one home, imported into the library of an empty one,
 * `show --json` says the same, apart from what docs/bundle.md names.
 */
const fixtures: [FixtureFamily, string][] = [
  ['claude-code', 'agents'], ['claude-code', 'rewind'], ['claude-code', 'compact'], ['claude-code', 'worktree'], ['claude-code', 'legacy-1.0.128'], ['claude-code', 'errors'],
  ['codex', 'fork-tree'], ['codex', 'subagents-v1'], ['codex', 'compaction'], ['codex', 'compressed'], ['codex', 'exec-patch-plan'], ['codex', 'v039'],
  ['opencode', 'v118-main'], ['opencode', 'v118-revert'], ['opencode', 'v118-compaction'], ['opencode', 'v11-json'], ['opencode', 'v05-json'], ['opencode', 'v118-v2api'],
  ['aider', 'basic'], ['aider', 'edges'], ['field', 'cc-nul-run'],
];
/** Sessions of a fixture that are taken on the way. */
const most = 4;

interface Listed {
  id: string;
  nativeId: string;
  kind: string;
}
type Shown = Record<string, unknown> & { session: Record<string, unknown> & { parent: { id: string } | null }; edges: { child: string; parent: string }[] };

async function json<T>(place: Place, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await retrace(place, ...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** The document as both libraries tell it: without where it lies, and with ids that are the same in both. */
function told({ session, edges, work: _work, ...shown }: Shown, all: readonly Listed[], isFork: boolean): unknown {
  const { agent: _agent, store: _store, source: _source, storeFolder: _folder, writtenBy: _writer, alsoIn: _alsoIn, imported: _imported, twins: _twins, parent, tokens, ...facts } = session;
  const names = new Set(all.map(({ id }) => id));
  // Of a session that came from one that is not in the file it cannot be told what it has from there.
  const lineage = isFork ? {} : { parent, tokens };
  const text = JSON.stringify({ session: { ...facts, ...lineage }, ...shown, edges: edges.filter((edge) => names.has(edge.child) && names.has(edge.parent)) });
  const byLength = [...all].sort((a, b) => b.id.length - a.id.length);
  return JSON.parse(byLength.reduce((document, { id, nativeId }) => document.replaceAll(JSON.stringify(id).slice(1, -1), JSON.stringify(`~/${nativeId}`).slice(1, -1)), text).replace(/line-\d+-/g, 'line-~-'));
}

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'retrace-round-trip-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(fixtures)('%s %s', (family, name) => {
  let fixture: Fixture;
  let here: Place;
  let there: Place;
  let roots: Listed[];
  beforeAll(async () => {
    fixture = openFixture(family, name);
    const own = join(folder, `${family}-${name}`);
    mkdirSync(join(own, 'empty'), { recursive: true });
    here = { home: fixture.home, library: join(own, 'here.db') };
    there = { home: join(own, 'empty'), library: join(own, 'there.db') };
    // Aider keeps its histories in projects.
    const places = family === 'aider' ? readdirSync(fixture.home, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.aider.chat.history.md')) : [];
    roots = (await json<Listed[]>(here, 'ls', ...places.flatMap((path) => ['--add', join(fixture.home, dirname(path))]))).filter(({ kind }) => kind === 'session').slice(0, most);
  });
  afterAll(() => fixture.dispose());

  test('a bundle says the same in an empty home', async () => {
    expect(roots.length).toBeGreaterThan(0);
    for (const [at, { id, nativeId }] of roots.entries()) {
      const file = join(folder, `${family}-${name}-${at}.retrace.jsonl`);
      await json(here, 'export', id, '--format', 'bundle', '--no-redact', '--out', file, '--no-index');
      const { session, applied } = await json<{ session: string; applied: boolean }>(there, 'import', file, '--yes');
      expect([applied, session.slice(session.indexOf('/') + 1)]).toEqual([true, nativeId]);
      // What came along: subagents, and nothing else.
      const store = session.slice(0, session.indexOf('/'));
      const came = (await json<(Listed & { store: string })[]>(there, 'ls', '--no-index')).filter((each) => each.store === store);
      const all = await json<Listed[]>(here, 'ls', '--no-index');
      const sent = all.filter((each) => came.some((other) => other.nativeId === each.nativeId));
      expect(sent.length).toBe(came.length);
      for (const each of came) {
        const original = sent.find((other) => other.nativeId === each.nativeId);
        const shown = await json<Shown>(here, 'show', original?.id ?? '', '--no-index');
        const isFork = shown.session.parent !== null && !sent.some((other) => other.id === shown.session.parent?.id);
        expect(told(await json<Shown>(there, 'show', each.id, '--no-index'), came, isFork), each.id).toEqual(told(shown, sent, isFork));
      }
    }
  });
});
