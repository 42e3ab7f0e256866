import { asMessageId, asPartId, type ChangePlace } from '@shared/model';
import { afterEach, describe, expect, test } from 'vitest';
import { pngOf } from '../../../e2e/pictures';
import { type TreeFiles, treesHome, treesSession } from '../../../e2e/trees-home';
import type { ChangeStep } from './change-step';
import { ChangedFile } from './changed-file';
import { type ComposedFile, Composition } from './composition';
import { absent, blobId, bytesContent, type Content, textContent, unknown } from './content';
import { DiffHome, told } from './diff-home.test-support';
import { ApplyFolder } from './git-apply.test-support';
import { withRenames } from './renames';

const disposed: { dispose(): void }[] = [];
afterEach(() => disposed.splice(0).forEach((each) => each.dispose()));

const place = (turn: number): ChangePlace => ({ part: asPartId(`s/1#p${turn}`), message: asMessageId('s/1#m'), turn, current: true });
const content = (held: string | Buffer | null): Content => (held === null ? absent : typeof held === 'string' ? textContent(held) : bytesContent(held, blobId(held)));
const step = (path: string, before: string | Buffer | null, after: string | Buffer | null, turn = 1): ChangeStep => ({
  path, oldPath: null, kind: before === null ? 'create' : after === null ? 'delete' : 'edit', before: content(before), after: content(after), hunks: null, placed: true,
  added: null, removed: null, mode: null, source: 'snapshot tree', certainty: 'recorded', evidence: null, gap: null, place: place(turn),
});

function renamed(...steps: ChangeStep[]): { files: ComposedFile[]; cut: boolean; told: string[] } {
  const composition = new Composition('/p');
  for (const each of steps) composition.apply(each);
  const { files, cut } = withRenames(composition.files());
  return { files, cut, told: files.map((file) => told(changeOf(file))) };
}

const changeOf = (file: ComposedFile | undefined) => new ChangedFile(file as ComposedFile, '/p').count();

const lines = (count: number, word = 'line'): string => Array.from({ length: count }, (_, at) => `${word} number ${at + 1} of this file\n`).join('');

describe('a file that went and one that came', () => {
  test('with the same content are a rename that is inferred, with what says so', () => {
    const { files, told: sentences } = renamed(step('/p/a.txt', 'one\ntwo\n', null), step('/p/sub/b.txt', null, 'one\ntwo\n'));
    expect(sentences).toEqual(['rename a.txt -> sub/b.txt +0 -0 inferred']);
    expect(changeOf(files[0])).toMatchObject({ evidence: ['No record tells of a rename: a.txt went, and this file came and held the same.'], steps: 2, places: [{ turn: 1 }], before: 'text', after: 'text' });
  });

  test('with nearly the same content, too; with less in common they are two changes', () => {
    const near = `${lines(19)}another end\n`;
    const { files, told: sentences } = renamed(step('/p/a.txt', lines(20), null), step('/p/b.txt', null, near));
    expect(sentences).toEqual(['rename a.txt -> b.txt +1 -1 inferred']);
    expect(changeOf(files[0]).evidence).toEqual(['No record tells of a rename: a.txt went, and this file came and shares 94 % of its text with it.']);
    expect(renamed(step('/p/a.txt', lines(20), null), step('/p/b.txt', null, lines(14) + lines(6, 'other'))).told).toEqual(['delete a.txt +0 -20', 'create b.txt +20 -0']);
    // Short texts have too little that could tell them apart.
    expect(renamed(step('/p/a.txt', 'import x\nexport y\n', null), step('/p/b.txt', null, 'import x\nexport z\n')).told).toEqual(['delete a.txt +0 -2', 'create b.txt +2 -0']);
  });

  test('empty and blank ones are no rename, nor are those that are not known whole', () => {
    expect(renamed(step('/p/a.txt', '', null), step('/p/b.txt', null, '')).told).toEqual(['delete a.txt +0 -0', 'create b.txt +0 -0']);
    expect(renamed(step('/p/a.txt', '\n\n', null), step('/p/b.txt', null, '\n\n')).told).toEqual(['delete a.txt +0 -2', 'create b.txt +2 -0']);
    expect(renamed({ ...step('/p/a.txt', 'x\n', null), before: unknown }, step('/p/b.txt', null, 'x\n')).told).toEqual(['delete a.txt +? -?', 'create b.txt +1 -0']);
  });

  test('a name that stays goes before one that changes, and a choice that cannot be told is said', () => {
    const { files, told: sentences } = renamed(step('/p/a/x.txt', 'same\n', null), step('/p/a/y.txt', 'same\n', null), step('/p/b/y.txt', null, 'same\n'), step('/p/c/z.txt', null, 'same\n'));
    expect(sentences).toEqual(['rename a/y.txt -> b/y.txt +0 -0 inferred', 'rename a/x.txt -> c/z.txt +0 -0 inferred']);
    expect(changeOf(files[1]).evidence).toEqual(['No record tells of a rename: x.txt went, and this file came and held the same. 2 files that went held the same; which became this one is not known.']);
  });

  test('edits before and after are part of it; one that came back is none', () => {
    const edited = lines(20).replace('line number 3 ', 'line number three ');
    expect(renamed(step('/p/a.txt', lines(20), edited, 1), step('/p/a.txt', edited, null, 2), step('/p/b.txt', null, edited, 2), step('/p/b.txt', edited, `${edited}end\n`, 3)).told).toEqual(['rename a.txt -> b.txt +2 -1 inferred']);
    expect(renamed(step('/p/a.txt', 'one\n', null), step('/p/b.txt', null, 'one\n'), step('/p/b.txt', 'one\n', null), step('/p/a.txt', null, 'one\n')).told).toEqual([]);
  });

  test.each([
    ['the same text', 'a b.txt', 'c/d.txt', lines(30), lines(30)],
    ['a changed text', 'src/a.ts', 'src/b.ts', lines(30), `first\n${lines(30).replace('number 9', 'number nine')}last`],
    ['names with quotes and beyond ASCII', 'q"a.txt', 'ä/b.txt', lines(30), `${lines(30)}more\n`],
  ])('git apply takes the patch: %s', async (_what, oldPath, path, before, after) => {
    const opened = await DiffHome.of(treesHome({ [oldPath]: before }, { [oldPath]: null, [path]: after }), 'opencode');
    const folder = new ApplyFolder({ [oldPath]: before });
    disposed.push(opened, folder);
    const session = opened.session(treesSession.native);
    const diff = await opened.diff(session, `${treesSession.folder}/${path}`, { kind: 'turn', turn: treesSession.turn });
    expect(diff).toMatchObject({ applies: true, file: { kind: 'rename', oldRelative: oldPath, relative: path, certainty: 'inferred' } });
    folder.apply(diff.patch ?? '');
    expect([folder.read(oldPath), folder.read(path)]).toEqual([null, after]);
  });

  test('cost is bounded: of very many files only equal ones and those of one name are found, and that is said', () => {
    const steps: ChangeStep[] = [];
    for (let at = 0; at < 150; at++) steps.push(step(`/p/old/${at}.txt`, lines(20, `file ${at}`), null), step(`/p/new/${at}.md`, null, `${lines(20, `file ${at}`)}end\n`));
    steps.push(step('/p/old/kept.txt', lines(20, 'kept'), null), step('/p/new/kept.txt', null, `${lines(20, 'kept')}end\n`), step('/p/old/same.txt', lines(20, 'same'), null), step('/p/new/other.txt', null, lines(20, 'same')));
    const { told: sentences, cut } = renamed(...steps);
    expect(cut).toBe(true);
    expect(sentences.filter((each) => each.startsWith('rename'))).toEqual(['rename old/kept.txt -> new/kept.txt +1 -0 inferred', 'rename old/same.txt -> new/other.txt +0 -0 inferred']);
    expect(sentences).toHaveLength(302);
  });

  test('no lines of a change are looked for, and of edited files nothing', () => {
    const composition = new Composition('/p');
    for (let at = 0; at < 2_000; at++) composition.apply(step(`/p/edited${at}.txt`, lines(3, `file ${at}`), lines(3, `now ${at}`)));
    for (const each of [step('/p/old.txt', lines(20), null), step('/p/new.txt', null, lines(20)), step('/p/a.txt', lines(30), null), step('/p/b.txt', null, `${lines(30)}end\n`)]) composition.apply(each);
    const looked: PropertyKey[] = [];
    const files = composition.files().map((file) => ({ ...file, net: new Proxy(file.net, { get: (net, name) => (file.net.kind === 'edit' && name !== 'kind' ? looked.push(name) : ['hunks', 'added', 'removed'].includes(String(name)) && looked.push(name), Reflect.get(net, name, net)) }) }));
    const { files: joined } = withRenames(files);
    expect(looked).toEqual([]);
    expect(joined).toHaveLength(2_002);
    expect(joined.filter(({ from }) => from).map((file) => told(changeOf(file)))).toEqual(['rename a.txt -> b.txt +1 -0 inferred', 'rename old.txt -> new.txt +0 -0 inferred']);
  });

  test('a folder of equal files that moved is one rename each', () => {
    const steps = Array.from({ length: 1_500 }, (_, at) => [step(`/p/old/${at}.txt`, lines(20), null), step(`/p/new/${at}.txt`, null, lines(20))]).flat();
    const { files, cut } = renamed(...steps);
    expect([files.length, files.filter(({ oldPath, track }) => oldPath === track.path.replace('new', 'old')).length, cut]).toEqual([1_500, 1_500, false]);
  });
});

describe('a shell that moved files, seen by the trees of OpenCode', () => {
  async function home(before: TreeFiles, after: TreeFiles, command: string) {
    const opened = await DiffHome.of(treesHome(before, after, command), 'opencode');
    disposed.push(opened);
    return { opened, session: opened.session(treesSession.native) };
  }
  const picture = pngOf(48, 32, { x: 4, y: 4, size: 8, colour: [220, 60, 40] });

  test('in the session, its turn and its branch alike; the command that ran is named', async () => {
    const { opened, session } = await home({ 'docs/plan.md': lines(20), 'logo.png': picture }, { 'docs/plan.md': null, 'docs/roadmap.md': `${lines(20)}end\n`, 'logo.png': null, 'assets/logo.png': picture }, 'git mv docs/plan.md docs/roadmap.md');
    const moved = ['rename logo.png -> assets/logo.png +0 -0 inferred', 'rename docs/plan.md -> docs/roadmap.md +1 -0 inferred'];
    expect((await opened.files(session, { kind: 'turn', turn: treesSession.turn })).map(told)).toEqual(moved);
    expect((await opened.files(session)).map(told)).toEqual([...moved, 'edit src/server.js +6 -1', 'edit src/store.js +4 -0', 'create test/search.test.js +9 -0']);
    expect((await opened.files(session, { kind: 'branch', branch: 'current' })).map(told).slice(0, 2)).toEqual(moved);
    const diff = await opened.diff(session, `${treesSession.folder}/docs/roadmap.md`);
    expect(diff.file.evidence).toEqual([
      'No record tells of a rename: plan.md went, and this file came and shares 99 % of its text with it.',
      'The agent found the file changed by the step, and no call tells of it. In it ran `git mv docs/plan.md docs/roadmap.md`.',
    ]);
    expect(diff).toMatchObject({ applies: true, wholeLines: 20 });
    // A picture that only moved: git takes the rename without its bytes.
    const logo = await opened.diff(session, `${treesSession.folder}/assets/logo.png`);
    expect(logo).toMatchObject({ applies: true, patch: 'diff --git a/logo.png b/assets/logo.png\nrename from logo.png\nrename to assets/logo.png\n' });
    const folder = new ApplyFolder({ 'logo.png': 'any' });
    disposed.push(folder);
    folder.apply(logo.patch ?? '');
    expect([folder.read('logo.png'), folder.read('assets/logo.png')]).toEqual([null, 'any']);
  });

  test('who wrote a line: what came and went is of the step, what stayed is unchanged', async () => {
    const { opened, session } = await home({ 'docs/plan.md': lines(20) }, { 'docs/plan.md': null, 'docs/roadmap.md': lines(20).replace('line number 3 ', 'line number three ') }, 'mv docs/plan.md docs/roadmap.md');
    const writer = (side: 'old' | 'new', line: number) => opened.diffs.writer({ session, scope: { kind: 'session' }, path: `${treesSession.folder}/docs/roadmap.md`, side, line });
    expect(await writer('new', 3)).toMatchObject({ state: 'written', place: { turn: 3 } });
    expect(await writer('old', 3)).toMatchObject({ state: 'written', place: { turn: 3 } });
    expect(await writer('new', 4)).toEqual({ state: 'unchanged' });
    expect(await writer('old', 20)).toEqual({ state: 'unchanged' });
  });
});
