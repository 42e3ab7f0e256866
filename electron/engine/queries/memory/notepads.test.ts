import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { type NotedHome, notedParts, notedSessions, notepadHome } from '../../../../e2e/notepad-home';
import { filesOf, Shelf } from '../../stores/acceptance';
import { OverlayShelf } from '../../stores/omo/overlay-shelf.test-support';
import { opencode } from '../../stores/opencode';
import { Timeline } from '../timeline';
import { Work } from '../work/work';
import { Memory } from './memory';

const project = '/home/dev/projects/ratelimit';
const notes = `${project}/.omo/notepads/rate-limit`;
const drafts = `${project}/.omo/drafts`;
const { planner, worker, helper, deleted } = notedSessions;
const memoryOf = ({ library: { db }, work }: OverlayShelf) => new Memory(db, new Timeline(db, () => opencode), work);
const piecesIn = (shelf: OverlayShelf, file: string) =>
  memoryOf(shelf).file(`opencode/${file}`, 1, 500)?.pieces.map(({ from, to, writer, scaffold, certainty }) => [from, to, scaffold ? 'plugin' : writer && writer.part.slice('opencode/'.length), certainty, ...(writer?.marks ?? [])]);

describe('notepads that sessions wrote', () => {
  let home: NotedHome;
  let shelf: OverlayShelf;
  beforeEach(async () => {
    home = notepadHome();
    shelf = new OverlayShelf(home.home);
    await shelf.pass();
  });
  afterEach(() => {
    shelf.dispose();
    home.dispose();
  });

  test('they stand in folders of their plan, with its item of the works; nothing of them is loaded', () => {
    const [item] = shelf.list().items;
    expect(item?.name).toBe('rate-limit');
    expect(memoryOf(shelf).of(project)?.folders.map(({ path, kind, copy, files }) => [path, kind, copy, files.map(({ name, role, plan, state, lines, loaded }) => [name, role, plan, state, lines, loaded])])).toEqual([
      [drafts, 'drafts', 'live', [['rate-limit.md', 'draft', { name: 'rate-limit', item: item?.id }, 'present', 4, null]]],
      [notes, 'notepads', 'live', ['decisions', 'issues', 'learnings', 'problems'].map((name) => [`${name}.md`, 'notepad', { name: 'rate-limit', item: item?.id }, 'present', { decisions: 8, issues: 7, learnings: 9, problems: 3 }[name], null])],
    ]);
  });

  test('the head is the plugin’s, each line below it the call’s that put it there, and of a person’s nobody is said', () => {
    expect(piecesIn(shelf, `${notes}/learnings.md`)).toEqual([[1, 7, 'plugin', 'inferred'], [8, 8, `${helper}#${notedParts.learnings}`, 'recorded'], [9, 9, null, null]]);
    expect(piecesIn(shelf, `${notes}/decisions.md`)).toEqual([[1, 7, 'plugin', 'inferred'], [8, 8, `${worker}#${notedParts.decisions}`, 'recorded']]);
    expect(piecesIn(shelf, `${notes}/issues.md`)).toEqual([[1, 7, 'plugin', 'inferred']]);
    expect(piecesIn(shelf, `${notes}/problems.md`)).toEqual([[1, 3, `${deleted}#${notedParts.problems}`, 'recorded']]);
    expect(memoryOf(shelf).of(project)?.folders[1]?.files.map(({ name, written, scaffold, unrecorded, callsTotal }) => [name, written, scaffold, unrecorded, callsTotal])).toEqual([
      ['decisions.md', 1, 7, 0, 1], ['issues.md', 0, 7, 0, 0], ['learnings.md', 1, 7, 1, 1], ['problems.md', 3, 0, 0, 1],
    ]);
  });

  test('a draft is its planner’s, by a call as the program recorded it', () => {
    expect(piecesIn(shelf, `${drafts}/rate-limit.md`)).toEqual([[1, 4, `${planner}#${notedParts.draft}`, 'recorded']]);
    expect(memoryOf(shelf).session(`opencode/${planner}`)).toMatchObject({ project, callsTotal: 1, calls: [{ act: 'write', file: 'rate-limit.md', plan: 'rate-limit', outcome: 'done', marks: [] }] });
    expect(memoryOf(shelf).session(`opencode/${helper}`)).toMatchObject({ project, callsTotal: 1, calls: [{ act: 'write', file: 'learnings.md', plan: 'rate-limit' }] });
  });

  test('what a reverted turn wrote stays, and is marked; so is what a deleted session wrote', async () => {
    home.revert();
    home.forget();
    await shelf.pass();
    expect(piecesIn(shelf, `${notes}/decisions.md`)).toEqual([[1, 7, 'plugin', 'inferred'], [8, 8, `${worker}#${notedParts.decisions}`, 'recorded', 'rewound']]);
    expect(piecesIn(shelf, `${notes}/problems.md`)).toEqual([[1, 3, `${deleted}#${notedParts.problems}`, 'recorded', 'session gone']]);
    expect(memoryOf(shelf).list()).toEqual([{ key: project, name: 'ratelimit', folder: project, files: 5, gone: 0, bytes: 762, writes: 4, rewound: 1, sessionGone: 1, instructions: 0, changed: '2026-11-29T16:00:00.000Z' }]);
  });

  test('a revert that was made final is one still, though OpenCode deleted its rows', async () => {
    home.revert();
    home.finishRevert();
    await shelf.pass();
    expect(piecesIn(shelf, `${notes}/decisions.md`)).toEqual([[1, 7, 'plugin', 'inferred'], [8, 8, `${worker}#${notedParts.decisions}`, 'recorded', 'rewound']]);
  });

  test('every text that was read is kept, a deleted file is said to be gone, and one that is too large is named', async () => {
    rmSync(join(home.folder, 'problems.md'));
    writeFileSync(join(home.folder, 'issues.md'), 'x'.repeat(1024 * 1024 + 1));
    await shelf.pass();
    const files = memoryOf(shelf).of(project)?.folders[1]?.files ?? [];
    expect(files.find(({ name }) => name === 'problems.md')).toMatchObject({ state: 'gone', lines: 3, versions: 1 });
    expect(files.find(({ name }) => name === 'issues.md')).toMatchObject({ state: 'present', lines: 7, damage: [{ place: `${notes}/issues.md`, reason: 'It has 1,048,577 bytes; more than 1,048,576 are not read.' }] });
    expect(piecesIn(shelf, `${notes}/problems.md`)).toEqual([[1, 3, `${deleted}#${notedParts.problems}`, 'recorded']]);
  });

  test('a notepad that was never there when the library looked is known by its calls', async () => {
    rmSync(home.folder, { recursive: true });
    const later = new OverlayShelf(home.home);
    await later.pass();
    expect(memoryOf(later).of(project)?.folders.find(({ kind }) => kind === 'notepads')?.files.map(({ name, state, callsTotal }) => [name, state, callsTotal])).toEqual([
      ['decisions.md', 'never read', 1], ['learnings.md', 'never read', 1], ['problems.md', 'never read', 1],
    ]);
    later.dispose();
  });

  test('reading them leaves no trace, and a second pass reads nothing', async () => {
    const before = filesOf(home.home);
    expect(await shelf.pass()).toMatchObject({ bytesRead: 0, sessionsSettled: 0 });
    memoryOf(shelf).of(project);
    expect(filesOf(home.home)).toEqual(before);
  });
});

test('a draft that the plugin copied to its newer folder is its first writer’s, inferred; the older folder is frozen', async () => {
  const fixture = openFixture('omo', 'migrated-omo');
  const shelf = new OverlayShelf(fixture.home);
  try {
    await shelf.pass();
    const written = 'ses_dd81ba1f7ffe2K701TCe0WVLlE#prt_227e49476001OnGDAP7aEqKz23';
    expect(memoryOf(shelf).of(project)?.folders.map(({ path, kind, copy, files }) => [path, kind, copy, files.map(({ name, scaffold }) => `${name} ${scaffold}`)])).toEqual([
      [drafts, 'drafts', 'live', ['rate-limit.md 0']],
      [notes, 'notepads', 'live', ['decisions.md 7', 'issues.md 7', 'learnings.md 7', 'problems.md 7']],
      [`${project}/.sisyphus/drafts`, 'drafts', 'frozen', ['rate-limit.md 0']],
    ]);
    expect(piecesIn(shelf, `${drafts}/rate-limit.md`)).toEqual([[1, 4, written, 'inferred']]);
    expect(piecesIn(shelf, `${project}/.sisyphus/drafts/rate-limit.md`)).toEqual([[1, 4, written, 'recorded']]);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
});

test('no session of the fixture wrote a notepad: their heads are all there is', async () => {
  const fixture = openFixture('omo', 'works');
  const shelf = new OverlayShelf(fixture.home);
  try {
    await shelf.pass();
    expect(memoryOf(shelf).list()).toMatchObject([{ key: '/home/dev/projects/notes', files: 12, writes: 0 }]);
    const folders = memoryOf(shelf).of('/home/dev/projects/notes')?.folders ?? [];
    expect(folders.flatMap(({ files }) => files.map(({ plan, scaffold, written, unrecorded }) => [plan?.name, scaffold, written, unrecorded]))).toEqual(
      ['cleanup', 'done-soon', 'search'].flatMap((plan) => Array.from({ length: 4 }, () => [plan, 7, 0, 0])),
    );
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
});

test('OpenCode, second generation: the AGENTS.md that a session’s epoch kept beside its system text', async () => {
  const fixture = openFixture('opencode', 'v118-v2api');
  const shelf = new Shelf(fixture.home, opencode);
  try {
    await shelf.pass();
    const { db } = shelf.library;
    const memory = new Memory(db, new Timeline(db, () => opencode), new Work(db, () => 0));
    const path = '/home/dev/projects/parcel-tracker/AGENTS.md';
    expect(memory.of('/home/dev/projects/parcel-tracker')?.instructions.map(({ loads, ...file }) => ({ ...file, loads: loads.map(({ session, part, time }) => [session, part, time]) }))).toEqual([{
      path, kind: 'AGENTS.md', certainty: 'recorded', characters: 21, sessions: 4, times: 4, first: null, last: null,
      loads: expect.arrayContaining([['opencode/ses_e45661487ffe17Y9FlqxTvfMo2', null, null]]) as unknown,
    }]);
    expect(memory.session('opencode/ses_e403fc0afffeq5wPaoDpumBZFv')?.instructions).toMatchObject([{ path, sessions: 1 }]);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
});
