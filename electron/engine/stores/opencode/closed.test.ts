import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { dataFolder, TestLibrary } from './library.test-support';

/** Root may look everywhere: the test is nobody while it looks. */
function asOrdinaryUser(action: () => void): void {
  if (process.getuid?.() !== 0) return action();
  process.seteuid?.(65_534);
  try {
    action();
  } finally {
    process.seteuid?.(0);
  }
}

/** A home of JSON files, read once; then a folder of it is closed, and it is read again. */
function afterClosing(steps: (folder: string) => string[], check: (library: TestLibrary, folder: string, before: ReturnType<typeof contentOf>) => void): void {
  const fixture = openFixture('opencode', 'v11-json');
  const folder = dataFolder(fixture.home);
  const closed = join(folder, ...steps(folder));
  try {
    chmodSync(join(fixture.home, '..'), 0o755);
    asOrdinaryUser(() => {
      const library = TestLibrary.of(folder);
      library.pass();
      const before = contentOf(library);
      expect(before.length).toBeGreaterThan(1);
      asRoot(() => chmodSync(closed, 0));
      library.pass();
      check(library, folder, before);
      // Opened again, all is as it was.
      asRoot(() => chmodSync(closed, 0o755));
      library.pass();
      expect(contentOf(library)).toEqual(before);
      expect([library.survey.problem, library.survey.damage, library.damage]).toEqual([null, [], []]);
      asRoot(() => chmodSync(closed, 0));
      const fresh = TestLibrary.of(folder);
      fresh.pass();
      asRoot(() => chmodSync(closed, 0o755));
      fresh.pass();
      expect(contentOf(fresh)).toEqual(before);
    });
  } finally {
    chmodSync(closed, 0o755);
    fixture.dispose();
  }
}

function asRoot(action: () => void): void {
  if (process.getuid?.() === 0) process.seteuid?.(0);
  action();
  if (process.getuid?.() === 0) process.seteuid?.(65_534);
}

const contentOf = (library: TestLibrary) => library.natives.map((native) => `${native}: ${library.session(native).messageOrder.length} ${library.session(native).facts.title}`);

test('a data folder that may not be looked into is a problem of the store, and nothing is gone', () =>
  afterClosing(
    () => [],
    (library, folder, before) => {
      expect(library.survey).toEqual({ changes: [], heads: [], gone: [], damage: [], problem: `The folder ${folder} may not be looked into: permission denied.` });
      expect(contentOf(library)).toEqual(before);
    },
  ));

test('a folder of sessions that may not be looked into is named once, and what was known stays', () =>
  afterClosing(
    () => ['storage', 'session'],
    (library, _, before) => {
      expect(library.survey.damage).toEqual([{ place: 'storage/session', line: null, at: null, bytes: null, reason: 'cannot be looked into: permission denied' }]);
      expect(library.survey.gone).toEqual([]);
      expect(contentOf(library)).toEqual(before);
    },
  ));

test('a folder of messages that may not be looked into is named, and its messages stay', () => {
  let session = '';
  afterClosing(
    (folder) => {
      session = readdirSync(join(folder, 'storage', 'message')).sort()[0] ?? '';
      return ['storage', 'message', session];
    },
    (library, _, before) => {
      expect(library.damage.map(({ place, reason }) => `${place}: ${reason}`)).toEqual([`storage/message/${session}: cannot be looked into: permission denied`]);
      expect(contentOf(library)).toEqual(before);
    },
  );
});

test('a data folder that is not there says nothing', () => {
  const fixture = openFixture('opencode', 'v11-json');
  try {
    const library = TestLibrary.of(join(fixture.home, 'nowhere'));
    library.pass();
    expect(library.survey).toEqual({ changes: [], heads: [], gone: [], damage: [], problem: null });
  } finally {
    fixture.dispose();
  }
});
