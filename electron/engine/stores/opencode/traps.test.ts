import Database from 'better-sqlite3';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { timeOfId } from './ids';
import { dataFolder, TestLibrary, withFixture } from './library.test-support';
import { filesOfDiff } from './patches';
import { byId } from './records';

/** The ten traps of the format, in the order of FORMAT.md. */
describe('traps', () => {
  test('1. a fork has no parent: its source is inferred, also of a fork that was renamed', () => {
    withFixture(openFixture('opencode', 'v118-main'), (library) => {
      const renamed = 'ses_e12390403ffe30gGRxbN2zP1x6';
      expect(library.session(renamed).facts.title).toBe('A fork that was renamed');
      expect(library.session(renamed).facts.edges).toEqual([]);
      const [edge] = library.edges().filter(({ child }) => child === renamed);
      expect(edge).toMatchObject({ parent: 'ses_e1c685695ffext9gqa0c8sgW3P', kind: 'fork', certainty: 'inferred' });
      expect(edge?.evidence).toBe('Likely: its first 14 messages equal those of ses_e1c685695ffext9gqa0c8sgW3P in time and content, and those were all it had then.');
      expect(edge?.after).toBe('msg_1e3b358e5001FtEm4fJ2gXbQ9y');
    });
  });

  test('2. ids do not sort by time for ever: messages across the wrap stand by time', () => {
    withFixture(openFixture('opencode', 'v118-wrap'), (library) => {
      const across = library.session('ses_000090ed9ffeEHfhhu45OMHRN0');
      const order = across.messageOrder;
      expect(order.slice(7, 9)).toEqual(['msg_ffff703a0001Z0WCC7nkOiSizJ', 'msg_00004b12e001KNI3wuwPmGVJTP']);
      expect([...order].sort(byId)).not.toEqual(order);
      // Just before and just after the wrap of 2026-08-14T11:19:55.136Z.
      expect(timeOfId('msg_ffffffffffff00000000000000', Date.UTC(2026, 7, 14))).toBe(Date.UTC(2026, 7, 14, 11, 19, 55, 135));
      expect(timeOfId('msg_00000000000000000000000000', Date.UTC(2026, 7, 15))).toBe(Date.UTC(2026, 7, 14, 11, 19, 55, 136));
      // A session's digits are inverted.
      expect(timeOfId('ses_000090ed9ffeEHfhhu45OMHRN0', 1786705801510)).toBe(1786705801510);
      const fork = library.edges().find(({ child }) => child === 'ses_ffffb46e3ffeSsW3LwilTURI1L');
      expect(fork).toMatchObject({ parent: across.native, after: order.at(-1) });
    });
  });

  test('3. a store can be entirely in the log beside the database', () => {
    withFixture(openFixture('opencode', 'v118-live'), (library) => {
      expect(library.natives).toHaveLength(3);
      expect(library.session('ses_e2046dda5ffeMOAkyT6bvMddtO').parts.map(({ part }) => part.kind)).toEqual(['text', 'step', 'reasoning', 'text', 'tool']);
    });
    // Without its `-shm`, as a copy of the folder may lack it.
    const fixture = openFixture('opencode', 'v118-live');
    try {
      rmSync(join(dataFolder(fixture.home), 'opencode.db-shm'));
      const library = TestLibrary.of(dataFolder(fixture.home));
      library.pass();
      expect(library.natives).toHaveLength(3);
    } finally {
      fixture.dispose();
    }
  });

  test('4. two message stores in one database, and both in one session', () => {
    withFixture(openFixture('opencode', 'v118-v2api'), (library) => {
      const mixed = library.session('ses_e403fcff0ffeFyceb3UG24hKAA');
      expect(mixed.messageOrder).toEqual([
        'msg_1bfc030a0001qw4YH1rdBi0Dn5', 'msg_1bfc035290010xSWLZbPWefVsn', 'msg_1bfc03974001SYzSJW9tfKUuAY', 'msg_1bfc03a30001thDdZUM0q0e9l0',
        'msg_1bfc06c9700167m6nnMjBenOGQ', 'msg_1bfc06cd9001ArvcP2yorW48yI',
      ]);
      expect(mixed.tokens([])).toEqual({ input: 1753 + 1710 + 1839, output: 80 + 102 + 103 });
      // A prompt that waits in the inbox exists nowhere else.
      const waiting = library.session('ses_e403fc1c9ffe6CofQsjGR6OMSU');
      expect(waiting.parts).toMatchObject([{ role: 'user', state: 'pending', seen: false, reason: 'Waits in the inbox (steer); the model has not seen it.', part: { text: 'This prompt waits in the inbox about a parcel.' } }]);
      // A steered prompt came before the reply it stands behind: numbers decide, not times.
      const steered = library.session('ses_e45661487ffe17Y9FlqxTvfMo2').messageOrder;
      expect(steered.indexOf('msg_1ba9a0f75001LCSM8xzIL683Qb')).toBe(steered.indexOf('msg_1ba9a2317001z5nZkCdOdPgeqP') + 1);
    });
  });

  test('5. a revert’s diff is the inverse of the work', () => {
    withFixture(openFixture('opencode', 'v118-revert'), (library) => {
      const { revert } = library.session('ses_e3b874195ffev1CSG6ZGzIDSgk').facts;
      const sum = (side: 'added' | 'removed') => (revert?.files ?? []).reduce((total, file) => total + file[side], 0);
      // The session's summary says +18 −5 for the work; the diff takes it back.
      expect({ added: sum('added'), removed: sum('removed') }).toEqual({ added: 5, removed: 18 });
      expect(filesOfDiff(revert?.diff ?? '').find(({ path }) => path === 'CHANGES.md')?.kind).toBe('delete');
    });
  });

  test('6. reverted messages are still there, and stale counts of an undone revert say nothing', () => {
    withFixture(openFixture('opencode', 'v118-revert'), (library) => {
      const pending = library.session('ses_e3b6b944effeLb54R5shbyxppF');
      const target = pending.parts.filter(({ message }) => message === 'msg_1c9a8357e001JBtKPGh9AzsiRj').map(({ key, state }) => [key, state]);
      expect(target.filter(([, state]) => state === 'reverted')).toHaveLength(3);
      expect(target.find(([, state]) => state === 'reverted')?.[0]).toBe('prt_1c9a83899001T5nJDqUo48de1B');
      expect(pending.settled.notices[0]).toEqual({
        kind: 'revert', record: expect.any(Number), text: 'A revert is pending: 6 messages and 3 parts of the message before hidden. The next prompt makes it final and deletes them.',
      });
      const unreverted = library.session('ses_e364e86deffeCldo2Qqm25QIo5');
      expect({ reverted: unreverted.settled.reverted, revert: unreverted.facts.revert }).toEqual({ reverted: false, revert: null });
      expect(unreverted.parts.every(({ state }) => state === 'live')).toBe(true);
    });
  });

  test('7. snapshots die: what a patch names is a checkpoint that says how long it is kept, and the stored diff remains', () => {
    withFixture(openFixture('opencode', 'v118-from-v12'), (library) => {
      const { facts } = library.session('ses_434d12ff1ffevZzQPZPdNDw0h7');
      expect(facts.checkpoints.length).toBeGreaterThan(0);
      expect(facts.checkpoints[0]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{40}$/), note: 'snapshot tree before a step; kept for about seven days' });
      expect(facts.revert?.files.map(({ path }) => path)).toEqual(filesOfDiff(facts.revert?.diff ?? '').map(({ path }) => path));
      expect(facts.revert?.files.length).toBe(3);
    });
  });

  test('8. older JSON is not all migrated and never removed: each session is read once, where it is newest', () => {
    withFixture(openFixture('opencode', 'v118-from-v12'), (library) => {
      const migrated = library.session('ses_44e90eed4ffehB01dfj1ftheDx');
      expect(migrated.facts.alsoIn).toEqual(['storage (JSON)']);
      expect(new Set(migrated.held.map(({ source }) => source))).toEqual(new Set(['opencode.db/ses_44e90eed4ffehB01dfj1ftheDx']));
      expect(migrated.facts.notices.map(({ text }) => text).join('\n')).not.toContain('does not show');
    });
    const fixture = openFixture('opencode', 'v118-from-v12');
    try {
      // The database alone is gone: what the JSON files have is shown again.
      rmSync(join(dataFolder(fixture.home), 'opencode.db'));
      const library = TestLibrary.of(dataFolder(fixture.home));
      library.pass();
      expect(library.natives).toHaveLength(17);
      expect(library.session('ses_44e90eed4ffehB01dfj1ftheDx').messageOrder).toHaveLength(8);
    } finally {
      fixture.dispose();
    }
  });

  test('9. the project id changes when a repository gets a remote: sessions are filed by their folder', () => {
    withFixture(openFixture('opencode', 'v118-remote-id'), (library) => {
      expect(library.sessions.map(({ facts }) => [facts.directory, facts.projectFolder])).toEqual([
        ['/home/dev/projects/map-tiles', '/home/dev/projects/map-tiles'],
        ['/home/dev/projects/map-tiles', '/home/dev/projects/map-tiles'],
      ]);
      expect(library.session('ses_e69e07b6affeWyMPgnz1kwne70').facts.revert?.snapshot).toBe('43432426827126e3593196f6b94f19ccc5d5a976');
    });
  });

  test('10. an import moves a session that exists, and under a new id brings no messages', () => {
    withFixture(openFixture('opencode', 'v118-share-import'), (library) => {
      const moved = library.session('ses_e2b38726bffec1bGQpB4nw029f');
      expect(moved.facts.directory).toBe('/home/dev/projects/recipe-clone');
      expect(moved.facts.notices.map(({ text }) => text)).toContain('It began in /home/dev/projects/recipe-box and was moved to /home/dev/projects/recipe-clone.');
      expect(moved.messageOrder).toHaveLength(5);
      const imported = library.session('ses_e2b38726bffeAAAAAAAAAAAAAA');
      expect(imported.messageOrder).toEqual([]);
      expect(imported.facts.notices.map(({ text }) => text)).toContain('OpenCode’s event log does not know this session: it was most likely imported.');
    });
  });
});

test('an event log that is empty, or begins later than the session, does not say that a session was imported', () => {
  for (const name of ['works', 'errors']) {
    withFixture(openFixture('omo', name), (library) => {
      expect(library.sessions.length).toBeGreaterThan(3);
      expect(library.sessions.flatMap(({ facts }) => facts.notices.map(({ text }) => text)).filter((text) => text.includes('imported'))).toEqual([]);
    });
  }
  const fixture = openFixture('opencode', 'v118-share-import');
  const db = new Database(join(dataFolder(fixture.home), 'opencode.db'));
  // The log was emptied once and knows only what was made since.
  db.exec("DELETE FROM event_sequence WHERE aggregate_id IN (SELECT id FROM session WHERE time_created <= 1794571210133)");
  db.close();
  withFixture(fixture, (library) => {
    expect(library.session('ses_e2b38726bffeAAAAAAAAAAAAAA').facts.notices.map(({ text }) => text).filter((text) => text.includes('imported'))).toEqual([]);
  });
});
