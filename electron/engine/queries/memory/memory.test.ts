import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { memoryHome, type RememberedHome, rememberedSessions } from '../../../../e2e/memory-home';
import { filesOf, Shelf } from '../../stores/acceptance';
import { claudeCode } from '../../stores/claude-code';
import { codex } from '../../stores/codex';
import type { SessionStore } from '../../stores/store';
import { Timeline } from '../timeline';
import { Work } from '../work/work';
import { Memory } from './memory';

const project = '/home/dev/projects/demo';
const store = 'claude-code/projects/-home-dev-projects-demo/memory';
const { rewound, instructed, deleted, forked, fork } = rememberedSessions;
const memoryOf = (shelf: Shelf, read: SessionStore = claudeCode) => new Memory(shelf.library.db, new Timeline(shelf.library.db, () => read), new Work(shelf.library.db, () => 0));

describe('a home with auto memory', () => {
  let home: RememberedHome;
  let shelf: Shelf;
  beforeEach(async () => {
    home = memoryHome();
    shelf = new Shelf(home.home, claudeCode);
    await shelf.pass();
  });
  afterEach(() => {
    shelf.dispose();
    home.dispose();
  });

  const piecesOf = (name: string) =>
    memoryOf(shelf).file(`${store}/${name}`, 1, 500)?.pieces.map(({ from, to, writer, certainty }) => [from, to, writer && writer.part.slice('claude-code/'.length), certainty, ...(writer?.marks ?? [])]);
  const fileNamed = (name: string) => memoryOf(shelf).of(project)?.folders[0]?.files.find((file) => file.name === name);

  test('the index comes first, with what is loaded of it; topic files are not loaded', () => {
    expect(memoryOf(shelf).of(project)?.folders.map(({ path, files, sharedWith }) => [path, sharedWith, files.map(({ name, role, state, lines, loaded }) => [name, role, state, lines, loaded])])).toEqual([
      [home.folder, [], [
        ['MEMORY.md', 'index', 'present', 235, { lines: 200, limit: 'lines' }],
        ['by-hand.md', 'topic', 'present', 1, null],
        ['debugging.md', 'topic', 'present', 3, null],
        ['parser.md', 'topic', 'present', 2, null],
        ['testing.md', 'topic', 'present', 4, null],
      ]],
    ]);
  });

  test('each line is written by the call that put it there; what a rewound turn wrote stays, and is marked', () => {
    expect(piecesOf('MEMORY.md')).toEqual([
      [1, 1, `${rewound}#2dff83da-6463-4f3c-9205-8bb649f43f7a`, 'recorded', 'rewound'],
      [2, 2, `${rewound}#d0d6a9e0-4c07-4ef3-8399-b076256e754f`, 'recorded'],
      [3, 3, `${rewound}#e7e8a910-f17e-4eb5-8a18-8ee39d80bf79`, 'recorded'],
      [4, 5, `${rewound}#3f110d7a-9e48-4147-ab1b-b50e02813eac`, 'recorded'],
      [6, 235, null, null],
    ]);
    expect(piecesOf('by-hand.md')).toEqual([[1, 1, null, null]]);
    // The turn that changed line 3 was gone back from with its code, so the line is as a person had it.
    expect(piecesOf('debugging.md')).toEqual([[1, 1, null, null], [2, 2, `${rewound}#caa20754-2a58-494d-8dcc-9bff86619fee`, 'recorded'], [3, 3, null, null]]);
  });

  test('a session that was deleted after it was read still names its piece, and is said to be gone', async () => {
    expect(piecesOf('parser.md')).toEqual([[1, 2, `${deleted}#7537fe86-20fd-43f9-a627-e9d392c976b3`, 'recorded']]);
    home.forget();
    await shelf.pass();
    expect(piecesOf('parser.md')).toEqual([[1, 2, `${deleted}#7537fe86-20fd-43f9-a627-e9d392c976b3`, 'recorded', 'session gone']]);
    expect(memoryOf(shelf).list()).toMatchObject([{ key: project, name: 'demo', files: 5, gone: 0, writes: 9, rewound: 2, sessionGone: 2, instructions: 1 }]);
  });

  test('a call that a fork copied is one call, of the session that made it; it is marked only when no copy is left', async () => {
    const written = [[1, 4, `${forked}#5d8d5749-8b55-49ca-ba78-466b72fcc0c6`, 'recorded']];
    expect(piecesOf('testing.md')).toEqual(written);
    rmSync(join(home.folder, '..', `${forked}.jsonl`));
    await shelf.pass();
    expect(piecesOf('testing.md')).toEqual(written);
    rmSync(join(home.folder, '..', `${fork}.jsonl`));
    await shelf.pass();
    expect(piecesOf('testing.md')).toEqual([[...(written[0] ?? []), 'session gone']]);
  });

  test('every text that was read is kept, and a deleted file is said to be gone', async () => {
    writeFileSync(join(home.folder, 'by-hand.md'), 'Nobody recorded this.\nNor this.\n');
    await shelf.pass();
    expect(fileNamed('by-hand.md')).toMatchObject({ state: 'present', lines: 2, versions: 2 });
    rmSync(join(home.folder, 'by-hand.md'));
    await shelf.pass();
    expect(fileNamed('by-hand.md')).toMatchObject({ state: 'gone', lines: 2, versions: 2 });
    expect(memoryOf(shelf).file(`${store}/by-hand.md`, 2, 10)).toMatchObject({ from: 2, total: 2, lines: ['Nor this.'] });
    expect(memoryOf(shelf).list()[0]).toMatchObject({ files: 4, gone: 1 });
  });

  test('a file that was deleted before the library saw it is known by its calls', async () => {
    rmSync(join(home.folder, 'testing.md'));
    const later = new Shelf(home.home, claudeCode);
    await later.pass();
    expect(memoryOf(later).of(project)?.folders[0]?.files.find(({ name }) => name === 'testing.md')).toMatchObject({ state: 'never read', lines: null, versions: 0, callsTotal: 1 });
    expect(memoryOf(later).file(`${store}/testing.md`, 1, 10)).toBeNull();
    later.dispose();
  });

  test('what cannot be read as it stands is named: too large, not UTF-8, a linked folder', async () => {
    writeFileSync(join(home.folder, 'large.md'), 'x'.repeat(1024 * 1024 + 1));
    writeFileSync(join(home.folder, 'latin.md'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    symlinkSync('/tmp', join(home.folder, 'shared'));
    await shelf.pass();
    expect(fileNamed('large.md')).toMatchObject({ bytes: 1_048_577, lines: null, damage: [{ reason: 'larger than the limit of 1.0 MB for one record: not read' }] });
    expect(fileNamed('latin.md')).toMatchObject({ lines: 1, damage: [{ at: 0, bytes: 5, reason: 'not UTF-8 text: what is none is shown as �' }] });
    expect(memoryOf(shelf).file(`${store}/latin.md`, 1, 1)?.lines).toEqual(['caf�']);
    expect(shelf.library.db.prepare('SELECT place, reason FROM damage WHERE source IS NULL').all()).toEqual([
      { place: 'projects/-home-dev-projects-demo/memory/shared', reason: 'not a file: it is a link to a folder' },
    ]);
  });

  test('reading memory leaves no trace, and a second pass reads nothing', async () => {
    const before = filesOf(home.home);
    expect(await shelf.pass()).toMatchObject({ bytesRead: 0, sessionsSettled: 0 });
    memoryOf(shelf).of(project);
    expect(filesOf(home.home)).toEqual(before);
  });

  test('a newer reader finds the calls again in the log', async () => {
    const before = memoryOf(shelf).of(project);
    await shelf.pass({ ...claudeCode, reader: claudeCode.reader + 1 });
    expect(memoryOf(shelf).of(project)).toEqual(before);
  });

  test('a session tells what it did to memory and which instructions it recorded', () => {
    const memory = memoryOf(shelf);
    expect(memory.session(`claude-code/${rewound}`)).toMatchObject({ project, callsTotal: 10, calls: [{ act: 'edit', file: 'MEMORY.md', marks: [] }, { act: 'read', file: 'MEMORY.md' }, { act: 'edit', file: 'MEMORY.md', marks: ['rewound'] }, ...Array.from({ length: 7 }, () => ({}))] });
    expect(memory.session(`claude-code/${instructed}`)).toEqual({
      project, calls: [], callsTotal: 0, instructionsTotal: 1,
      instructions: [{
        path: '/home/dev/projects/demo/CLAUDE.md', kind: 'Project', certainty: 'recorded', characters: 15, times: 1, sessions: 1, first: '2026-11-29T15:33:00.526Z', last: '2026-11-29T15:33:00.526Z',
        loads: [{
          session: `claude-code/${instructed}`, sessionTitle: 'Please look at the picture @square.png', agent: 'claude-code', time: '2026-11-29T15:33:00.526Z',
          part: `claude-code/${instructed}#402191bc-aa0b-48cf-a361-65ef95bcc779`,
        }],
      }],
    });
    expect(memory.session('claude-code/nobody')).toBeNull();
  });

  test('a folder that no session lies beside has a key of its own', async () => {
    for (const session of Object.values(rememberedSessions)) rmSync(join(home.folder, '..', `${session}.jsonl`));
    const later = new Shelf(home.home, claudeCode);
    await later.pass();
    expect(memoryOf(later).list()).toMatchObject([{ key: 'memory:claude-code/-home-dev-projects-demo', name: '-home-dev-projects-demo', folder: null, files: 5, writes: 0, instructions: 0 }]);
    expect(memoryOf(later).of('memory:claude-code/-home-dev-projects-demo')?.folders[0]?.files).toHaveLength(5);
    later.dispose();
  });

  test('nothing is known of another project', () => {
    expect(memoryOf(shelf).of('/home/dev/elsewhere')).toBeNull();
    expect(memoryOf(shelf).file(`${store}/../x.md`, 1, 1)).toBeNull();
    expect(memoryOf(shelf).file('nothing', 1, 1)).toBeNull();
  });
});

test('Codex: the AGENTS.md that rollouts recorded, by session and time', async () => {
  const fixture = openFixture('codex', 'fork-tree');
  const shelf = new Shelf(fixture.home, codex);
  try {
    await shelf.pass();
    const memory = memoryOf(shelf, codex);
    const list = memory.list();
    const [first] = memory.of(list[0]?.key ?? '')?.instructions ?? [];
    expect(list.map(({ key, files, instructions }) => [key, files, instructions])).toEqual([['/home/dev/projects/tidepool', 0, 1]]);
    expect(first).toMatchObject({ path: '/home/dev/projects/tidepool/AGENTS.md', kind: 'AGENTS.md', certainty: 'inferred' });
    expect(first?.loads.every(({ part }) => part !== null)).toBe(true);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
});
