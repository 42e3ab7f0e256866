import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { faults } from './faults';
import { type Fixture, type FixtureFamily, openFixture } from './fixtures';
import { noBrowser, servedPage, temporaryFolder } from './launch';
import { claudeHome, indexed, type Transcript } from './page-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

const files = (page: Page) => page.getByRole('region', { name: 'Files', exact: true });
const list = (page: Page) => files(page).getByRole('tree');
const lines = (page: Page) => page.getByRole('region', { name: /^Changed lines of/ });

/** The rows that are drawn: sign and text, a line each. */
const drawn = (page: Page) =>
  lines(page).locator('.dl-row').evaluateAll((rows) =>
    rows.map((row) => (row instanceof HTMLElement && row.dataset['row'] === 'line' ? [...row.querySelectorAll('.dl-cell')].map((cell) => `${cell.querySelector('.dl-sign')?.textContent ?? ''}${cell.querySelector('.dl-shift')?.textContent ?? ''}`).join(' | ') : (row.textContent ?? ''))));

const address = (session: string, rest = '') => `#/session/${encodeURIComponent(session)}${rest}`;

async function opened(page: Page, hash: string): Promise<void> {
  await indexed(page);
  await page.evaluate((to) => void (location.hash = to), hash);
}

interface Case {
  family: FixtureFamily;
  fixture: string;
  /** A session by its id, or, where that holds a hash of the store's place, by its title. */
  session: string | RegExp;
  /** What the list says. */
  files: RegExp[];
  /** A file, and lines of its difference. */
  shown: { name: string; lines: string[] };
  args?: (home: string) => string[];
}

const cases: Case[] = [
  { family: 'opencode', fixture: 'v118-main', session: 'opencode/ses_e1c685695ffext9gqa0c8sgW3P', files: [/edited server\.js recorded .*6 lines added, .*1 line removed/, /edited store\.js recorded .*4 lines added/, /created search\.test\.js recorded .*9 lines added/], shown: { name: 'server.js', lines: ["−import { list, add } from './store.js';", "+import { list, add, search } from './store.js';"] } },
  { family: 'claude-code', fixture: 'rewind', session: /Please add a greeting module/, files: [/created greet\.js also changed outside checkpoints recorded .*3 lines added/], shown: { name: 'greet.js', lines: [] } },
  { family: 'codex', fixture: 'exec-patch-plan', session: /Add a tide height function/, files: [/renamed tides\.js recorded .*6 lines added, .*1 line removed/, /created tide\.test\.js/, /deleted notes\.txt/], shown: { name: 'notes.txt', lines: [] } },
  { family: 'aider', fixture: 'basic', session: /./, files: [/edited calc\.py recorded/], shown: { name: 'calc.py', lines: [] }, args: (home) => ['--add', join(home, 'proj')] },
];

test.describe('what sessions of real programs did to files', () => {
  test.skip(noBrowser !== undefined, noBrowser);

  for (const { family, fixture, session, files: expected, shown, args } of cases) {
    test(`${family}/${fixture}: the inspector lists the files, and one opens beside its list`, async () => {
      const opening = openFixture(family, fixture);
      const { page, complaints, close } = await servedPage({ home: opening.home, args: args?.(opening.home) ?? [] });
      try {
        await indexed(page);
        if (typeof session === 'string') await page.evaluate((to) => void (location.hash = to), address(session));
        else await page.getByRole('treeitem', { name: session }).filter({ hasNot: page.locator('[aria-expanded]') }).last().click();
        await page.locator('.part').first().waitFor();
        await page.getByRole('tab', { name: 'Files' }).click();
        const inspector = page.getByRole('region', { name: 'Inspector' });
        for (const file of expected) await expect(inspector.getByRole('treeitem', { name: file })).toBeVisible();
        await inspector.getByRole('treeitem', { name: shown.name }).click();
        await expect(lines(page)).toHaveAttribute('aria-busy', 'false');
        await expect(list(page).getByRole('treeitem', { name: shown.name })).toHaveAttribute('aria-selected', 'true');
        await expect.poll(async () => (await drawn(page)).filter((row) => /^[+−]/.test(row)).length).toBeGreaterThan(0);
        for (const line of shown.lines) expect(await drawn(page)).toContain(line);
        expect(page.url()).toContain('/files?');
        await page.reload();
        await expect.poll(async () => (await drawn(page)).filter((row) => /^[+−]/.test(row)).length).toBeGreaterThan(0);
        expect(await faults(page)).toEqual([]);
        expect(complaints).toEqual([]);
      } finally {
        await close();
        opening.dispose();
      }
    });
  }
});

test.describe('the diff of a session of OpenCode', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const session = 'opencode/ses_e1c685695ffext9gqa0c8sgW3P';
  let fixture: Fixture;
  test.beforeAll(() => void (fixture = openFixture('opencode', 'v118-main')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }));

  test('by keys alone: from a part to its diff, through changes and files, who wrote a line, and back', async () => {
    const { page } = served;
    await opened(page, address(session));
    const edit = page.locator('.part[data-kind="tool"]').filter({ hasText: 'src/server.js' }).filter({ hasText: 'edit' }).first();
    await edit.waitFor();
    for (let step = 0; step < 40 && !(await edit.evaluate((part) => 'current' in (part as HTMLElement).dataset)); step++) await page.keyboard.press('j');
    await page.keyboard.press('d');
    await expect(edit.getByRole('region', { name: 'Changed lines' })).toBeVisible();
    const place = await page.getByRole('feed').evaluate((feed) => feed.scrollTop);
    await page.keyboard.press('d');
    await expect(lines(page)).toBeVisible();
    expect(decodeURIComponent(page.url())).toContain('scope=part:');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('feed')).toBeVisible();
    await expect.poll(() => page.getByRole('feed').evaluate((feed) => feed.scrollTop)).toBeGreaterThan(place - 60);
    await edit.getByRole('button', { name: 'All changes of this turn' }).click();
    await expect(list(page).getByRole('treeitem', { name: 'store.js' })).toBeVisible();
    expect(page.url()).toContain('scope=turn');

    await page.keyboard.press('j');
    await expect(lines(page)).toHaveAccessibleName(/store\.js/);
    await page.keyboard.press('k');
    await expect(lines(page)).toHaveAccessibleName(/server\.js/);
    await expect(lines(page)).toHaveAttribute('aria-busy', 'false');
    await page.keyboard.press('n');
    await expect(page.getByText('change 1 of 2')).toBeVisible();
    await page.keyboard.press('n');
    await expect(page.getByText('change 2 of 2')).toBeVisible();
    await page.keyboard.press('n');
    await expect(page.getByText('There is no later change in this file.')).toBeVisible();
    await page.keyboard.press('a');
    await expect(page.getByText(/^Line 7 was last written in turn 1\./)).toBeVisible();
    await page.getByRole('button', { name: 'Go to the step' }).click();
    await expect(page.locator('.part[data-current]')).toContainText('src/server.js');
  });

  test('side by side and without blanks are remembered', async () => {
    const { page } = served;
    await opened(page, address(session, '/files'));
    await expect(page.getByRole('button', { name: 'Side by side' })).toHaveAttribute('aria-pressed', 'false');
    await expect.poll(() => drawn(page)).toContain("−import { list, add } from './store.js';");
    await page.keyboard.press('s');
    await expect.poll(() => drawn(page)).toContain("−import { list, add } from './store.js'; | +import { list, add, search } from './store.js';");
    await page.keyboard.press('w');
    await page.reload();
    await expect(page.getByRole('button', { name: 'Side by side' })).toHaveAttribute('aria-pressed', 'true');
    await expect(page.getByRole('button', { name: 'Hide changes of blanks' })).toHaveAttribute('aria-pressed', 'true');
    await expect.poll(() => drawn(page)).toContain("−import { list, add } from './store.js'; | +import { list, add, search } from './store.js';");
  });

  test('all of it can be read and reached, also in a small window', async () => {
    const { page } = served;
    await opened(page, address(session, '/files'));
    await expect(lines(page).locator('.hljs-keyword').first()).toBeVisible();
    await page.getByRole('button', { name: 'How this is known' }).click();
    await page.keyboard.press('n');
    await page.keyboard.press('a');
    await expect(page.getByRole('button', { name: 'Go to the step' })).toBeVisible();
    await screenshot(page, 'diff');
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('s');
    await page.setViewportSize({ width: 1024, height: 700 });
    await expect.poll(() => drawn(page)).toContain("−import { list, add } from './store.js'; | +import { list, add, search } from './store.js';");
    await screenshot(page, 'diff-small');
    expect(await faults(page)).toEqual([]);
  });

  test('what is saved is taken by git apply, one file or all', async () => {
    const { page } = served;
    await opened(page, address(session, '/files?file=%2Fhome%2Fdev%2Fprojects%2Fnotes-api%2Ftest%2Fsearch.test.js'));
    await lines(page).waitFor();
    const one = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as .patch', exact: true }).click();
    const saved = await one;
    expect(saved.suggestedFilename()).toBe('search.test.js.patch');
    const empty = temporaryFolder();
    execFileSync('git', ['init', '-q', empty.path]);
    execFileSync('git', ['-C', empty.path, 'apply', '--check', await saved.path()]);
    const all = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save all files as one .patch' }).click();
    const patch = readFileSync(await (await all).path(), 'utf8');
    await expect(page.getByText('Saved 3 files.')).toBeVisible();
    // The files before the session, as its patch has them.
    for (const [path, text] of beforeOf(patch)) {
      mkdirSync(join(empty.path, path, '..'), { recursive: true });
      writeFileSync(join(empty.path, path), text);
    }
    const file = join(empty.path, 'all.patch');
    writeFileSync(file, patch);
    execFileSync('git', ['-C', empty.path, 'apply', '--check', file]);
    empty.remove();
  });
});

/** Old sides of a patch with every line number kept: what lies between hunks is filled with blank lines. */
function beforeOf(patch: string): Map<string, string> {
  const before = new Map<string, string>();
  for (const file of patch.split(/^diff --git .*\n/m).slice(1)) {
    const path = /^--- a\/(.*)$/m.exec(file)?.[1];
    if (path === undefined) continue;
    const old: string[] = [];
    for (const hunk of file.split(/^(?=@@ )/m).slice(1)) {
      const start = Number(/^@@ -(\d+)/.exec(hunk)?.[1]);
      while (old.length < start - 1) old.push('');
      for (const line of hunk.split('\n').slice(1)) if (/^[ -]/.test(line)) old.push(line.slice(1));
    }
    before.set(path, `${old.join('\n')}\n`);
  }
  return before;
}

const edit = (path: string, patchLines: string[], added: number): Transcript['said'][number] => ({
  tool: 'Edit', input: { file_path: path, old_string: 'a', new_string: 'b' }, output: 'ok',
  result: { filePath: path, structuredPatch: [{ oldStart: 1, oldLines: patchLines.filter((line) => !line.startsWith('+')).length, newStart: 1, newLines: added, lines: patchLines }] },
});
const write = (path: string, content: string): Transcript['said'][number] => ({ tool: 'Write', input: { file_path: path, content }, output: 'ok', result: { type: 'create', filePath: path, content, structuredPatch: [] } });

test('names and contents that mean harm are shown as text', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const made = claudeHome([{
    id: '22222222-1111-4111-8111-111111111111', project: 'acme', at: '2026-03-01T12:00:00Z',
    said: [
      { you: 'Change odd files' },
      edit('/home/dev/acme/<img src=x onerror=window.broken=1>.js', ['-<script>window.broken = 1</script>', '+<img src=x onerror="window.broken = 1">'], 1),
      edit('/home/dev/acme/invoice\u202Excod.exe', ['-\u001b[31mred', '+--- a/evil', '+@@ -1 +1 @@', '+\u202Eturned\u2066'], 3),
      write('/home/dev/acme/new\nline.txt', 'one\u0007\n'),
      write('/etc/../etc/passwd', 'root\n'),
    ],
  }]);
  const { page, complaints, close } = await servedPage({ home: made.home });
  const origin = new URL(page.url()).origin;
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:image/png')) foreign.push(request.url());
  });
  try {
    await indexed(page);
    await page.getByRole('treeitem', { name: 'Change odd files' }).click();
    await page.locator('.part').first().waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('region', { name: 'Inspector' }).getByRole('treeitem', { name: 'img src' }).click();
    await expect.poll(() => drawn(page)).toEqual(['lines -1,1 +1,1', '−<script>window.broken = 1</script>', '+<img src=x onerror="window.broken = 1">']);
    await list(page).getByRole('treeitem', { name: 'invoice⟨U+202E⟩xcod.exe' }).click();
    await expect.poll(() => drawn(page)).toEqual(['lines -1,1 +1,3', '−⟨U+001B⟩[31mred', '+--- a/evil', '+@@ -1 +1 @@', '+⟨U+202E⟩turned⟨U+2066⟩']);
    await list(page).getByRole('treeitem', { name: 'new⟨U+000A⟩line.txt' }).click();
    await expect.poll(() => drawn(page)).toEqual(['lines -0,0 +1,1', '+one⟨U+0007⟩']);
    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
    expect(await faults(page)).toEqual([]);
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  } finally {
    await close();
    made.remove();
  }
});

test('a diff beyond the limits says why, and is drawn when asked', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const many = Array.from({ length: 30_000 }, (_, at) => `line ${at}`).join('\n');
  const made = claudeHome([{
    id: '33333333-1111-4111-8111-111111111111', project: 'acme', at: '2026-03-01T12:00:00Z',
    said: [{ you: 'Write large files' }, write('/home/dev/acme/many.txt', `${many}\n`), write('/home/dev/acme/one.json', JSON.stringify({ rows: 'x'.repeat(1_500_000) }))],
  }]);
  const { page, complaints, close } = await servedPage({ home: made.home });
  try {
    await indexed(page);
    await page.getByRole('treeitem', { name: 'Write large files' }).click();
    await page.locator('.part').first().waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('region', { name: 'Inspector' }).getByRole('treeitem', { name: 'many.txt' }).click();
    await expect(files(page).getByText('This change is not drawn at once: it has 30,005 lines.')).toBeVisible();
    await files(page).getByRole('button', { name: 'Show it anyway' }).click();
    await expect.poll(async () => (await drawn(page)).slice(0, 3)).toEqual(['lines -0,0 +1,30000', '+line 0', '+line 1']);
    await lines(page).focus();
    await page.keyboard.press('End');
    await expect.poll(async () => (await drawn(page)).at(-1)).toBe('+line 29999');
    await list(page).getByRole('treeitem', { name: 'one.json' }).click();
    await expect(files(page).getByText(/it has 1\.5 MB and it has a line of 1,500,012 characters/)).toBeVisible();
    await files(page).getByRole('button', { name: 'Show it anyway' }).click();
    await expect(lines(page).getByRole('button', { name: '1,498,011 characters more' })).toBeVisible();
    await lines(page).getByRole('button', { name: '1,498,011 characters more' }).click();
    await expect(lines(page).getByRole('button', { name: '1,478,011 characters more' })).toBeVisible();
    expect(complaints).toEqual([]);
  } finally {
    await close();
    made.remove();
  }
});

test('of 2,000 files and of 100,000 lines what is shown first is asked for first, and little of it', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const id = '55555555-1111-4111-8111-111111111111';
  const many = Array.from({ length: 2_000 }, (_, at) => write(`/home/dev/acme/src/part${at % 40}/file${at}.ts`, `export const a = ${at};\n`));
  const made = claudeHome([{ id, project: 'acme', at: '2026-03-01T12:00:00Z', said: [{ you: 'Write many files' }, ...many, { you: 'Write a large one' }, write('/home/dev/acme/large.txt', Array.from({ length: 100_000 }, (_, at) => `line ${at}\n`).join(''))] }]);
  const { page, complaints, close } = await servedPage({ home: made.home });
  /** Questions that went over the link, in their order. */
  let asked: string[] = [];
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const { m, a } = JSON.parse(String(payload)) as { m?: string; a?: [number, string, { from?: number; count?: number; path?: string; window?: object }?] };
      if (m === 'run' && a) asked.push([a[1], ...(['from', 'count', 'path', 'window'] as const).flatMap((name) => (a[2]?.[name] === undefined ? [] : [JSON.stringify(a[2][name])]))].join(' '));
    });
  });
  const rowsOf = async (hash: string, act = async () => undefined as unknown) => {
    asked = [];
    await page.evaluate((to) => void (location.hash = to), hash);
    await act();
    await lines(page).locator('.dl-row[data-row="line"]').first().waitFor();
  };
  try {
    await indexed(page);
    await page.reload();
    await indexed(page);
    await rowsOf(address(`claude-code/${id}`, '/files?scope=turn:1'));
    // Without a path it is the first one, whose name the page does not know yet. The timeline behind it comes later.
    // The library's list may be brought up to date at any time.
    expect(asked.filter((question) => !question.startsWith('library.')).slice(0, 2).sort()).toEqual(['diff.file', 'diff.files 0 100']);
    await expect(list(page).getByRole('treeitem', { name: 'file0.ts' })).toHaveAttribute('aria-selected', 'true');
    await expect(files(page).getByText('in 2,000 files')).toBeVisible();

    await rowsOf(address(`claude-code/${id}`, '/files?scope=turn:2'), () => files(page).getByRole('button', { name: 'Show it anyway' }).click());
    expect(asked.filter((question) => question.startsWith('diff.file '))[0]).toBe('diff.file "/home/dev/acme/large.txt" {"from":0,"count":100000}');
    // Asked for while lines still come: the end is the true one.
    await lines(page).press('End');
    await expect.poll(async () => (await drawn(page)).at(-1)).toBe('+line 99999');
    expect(complaints).toEqual([]);
  } finally {
    await close();
    made.remove();
  }
});
