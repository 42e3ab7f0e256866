import { expect, test, type Page } from '@playwright/test';
import { faults } from './faults';
import { openFixture, recordedHome } from './fixtures';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { memoryHome, type RememberedHome, rememberedSessions } from './memory-home';
import { type NotedHome, notedParts, notedSessions, notepadHome } from './notepad-home';
import { indexed } from './page-home';
import { screenshot } from './screenshot';

const view = (page: Page) => page.getByRole('region', { name: 'Memory', exact: true });
const file = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const piece = (page: Page, name: string, lines: string) => file(page, name).getByRole('group', { name: lines, exact: true });

test.skip(noBrowser !== undefined, noBrowser);

test.describe('a project with memory', () => {
  let home: RememberedHome;
  let served: ServedPage;
  test.beforeEach(async () => {
    home = memoryHome();
    served = await servedPage({ home: home.home });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.dispose();
  });

  test('the index shows where loading stops, and each piece who wrote it', async () => {
    const { page } = served;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Control+Alt+m');
    await expect(page.getByRole('heading', { name: 'Memory that outlives sessions' })).toBeVisible();
    expect(new URL(page.url()).hash).toBe('#/memory');
    await expect(view(page).getByRole('row').nth(1)).toHaveText(/^demo\/home\/dev\/projects\/demo55\.5 kB92 rewound1/);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-memory-list');

    await view(page).getByRole('button', { name: 'demo' }).click();
    await expect(view(page).getByRole('status')).toHaveText('5 memory files, 1 instruction file recorded by sessions.');
    expect(new URL(page.url()).hash).toBe('#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo');
    await expect(piece(page, 'MEMORY.md', 'Line 1')).toContainText('- Ship on Fridays');
    await expect(piece(page, 'MEMORY.md', 'Line 1')).toContainText('turn rewound');
    await expect(piece(page, 'MEMORY.md', 'Line 2')).not.toContainText('turn rewound');
    await expect(piece(page, 'MEMORY.md', 'Lines 6 to 200')).toContainText('nobody recorded this');
    await expect(file(page, 'MEMORY.md').getByRole('note')).toHaveText('Loading stops here, after 200 lines: the 35 lines below are not put before the model at start');
    await expect(file(page, 'MEMORY.md')).toContainText('200 of 235 lines are loaded at start · sessions wrote 5 lines, 230 nobody recorded; 1 line marked');
    await expect(page.getByRole('region', { name: 'Instructions that sessions recorded' })).toContainText('/home/dev/projects/demo/CLAUDE.md');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-memory');
    await file(page, 'MEMORY.md').getByRole('note').scrollIntoViewIfNeeded();
    await screenshot(page, 'page-memory-stop');
    await page.setViewportSize({ width: 1024, height: 700 });
    await screenshot(page, 'page-memory-narrow');
  });

  test('a topic file is opened by keyboard, its writer leads to the very part, and Escape leads back', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo`);
    const fold = file(page, 'debugging.md').getByRole('button', { name: /debugging\.md/ });
    await expect(fold).toHaveAttribute('aria-expanded', 'false');
    await fold.focus();
    await page.keyboard.press('Enter');
    await expect(fold).toHaveAttribute('aria-expanded', 'true');
    await expect(piece(page, 'debugging.md', 'Line 2')).toContainText('- Run with --trace');
    await piece(page, 'debugging.md', 'Line 2').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('.part[data-current]')).toContainText('debugging.md');
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#/session/claude-code/${rememberedSessions.rewound}/part/claude-code/${rememberedSessions.rewound}#caa20754-2a58-494d-8dcc-9bff86619fee`);

    await page.getByRole('tab', { name: 'Work' }).click();
    const inspector = page.getByTestId('inspector');
    await expect(inspector.getByRole('heading', { name: 'Memory this session touched' })).toBeVisible();
    await expect(inspector.getByRole('button', { name: 'edited MEMORY.md' })).toHaveCount(3);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-memory-inspector');
    await inspector.getByRole('button', { name: 'Memory of the project' }).click();
    await expect(view(page).getByRole('heading', { level: 1 })).toHaveText('demo');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('tab', { name: 'Work' })).toBeVisible();
    expect(new URL(page.url()).hash).toContain('#/session/');
  });

  test('a project’s row has a menu that leads to its memory, by pointer and by key', async () => {
    const { page } = served;
    const row = page.locator('[role="treeitem"][data-type="group"]');
    await row.focus();
    await page.keyboard.press('Shift+F10');
    const choice = page.getByRole('menuitem', { name: 'Memory of this project' });
    await expect(choice).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(row).toBeFocused();
    await expect(row).toHaveAttribute('aria-expanded', 'true');
    await row.click({ button: 'right' });
    await screenshot(page, 'page-memory-menu');
    await choice.click();
    await expect(view(page).getByRole('heading', { level: 1 })).toHaveText('demo');
    await expect(row).toHaveAttribute('aria-expanded', 'true');
  });

  test('the instructions that a session recorded lead to where they are recorded, and from the project to the session', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo`);
    const recorded = page.getByRole('region', { name: 'Instructions that sessions recorded' });
    await recorded.scrollIntoViewIfNeeded();
    await screenshot(page, 'page-memory-instructions');
    await recorded.getByRole('button', { name: 'Please look at the picture @square.png' }).click();
    await expect(page.locator('.part[data-current]')).toContainText('CLAUDE.md');
    await page.getByRole('tab', { name: 'Work' }).click();
    const inspector = page.getByTestId('inspector');
    await expect(inspector.getByRole('heading', { name: 'Instructions it recorded' })).toBeVisible();
    await expect(inspector.getByRole('heading', { name: 'Memory this session touched' })).toHaveCount(0);
    await expect(inspector.getByRole('button', { name: 'where it is recorded' })).toBeVisible();
    await screenshot(page, 'page-memory-instructed');
    await inspector.getByRole('button', { name: 'Memory of the project' }).click();
    await expect(view(page)).toBeVisible();
  });

  test('a session that its agent deleted is said to be gone beside what it wrote', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo`);
    await file(page, 'parser.md').getByRole('button', { name: /parser\.md/ }).click();
    await expect(piece(page, 'parser.md', 'Lines 1 to 2')).toContainText('wrote');
    home.forget();
    await expect(piece(page, 'parser.md', 'Lines 1 to 2')).toContainText('session gone');
    await file(page, 'by-hand.md').getByRole('button', { name: /by-hand\.md/ }).click();
    await expect(piece(page, 'by-hand.md', 'Line 1')).toContainText('nobody recorded this');
    await screenshot(page, 'page-memory-gone');
  });
});

test.describe('a project with notepads', () => {
  let home: NotedHome;
  let served: ServedPage;
  test.beforeEach(async () => {
    home = notepadHome();
    served = await servedPage({ home: home.home, args: ['--map', `${recordedHome}=${home.home}`] });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.dispose();
  });

  test('each notepad tells its plan, what the plugin put there and who wrote the rest', async () => {
    const { page } = served;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Control+Alt+m');
    await view(page).getByRole('button', { name: 'ratelimit' }).click();
    await expect(view(page).getByRole('status')).toHaveText('5 memory files, 0 instruction files recorded by sessions.');
    await expect(view(page).getByRole('heading', { level: 2 })).toHaveText([/Drafts of plans.*\.omo\/drafts$/, /Notepads of plan rate-limit.*\.omo\/notepads\/rate-limit$/]);
    await expect(file(page, 'learnings.md')).toContainText('9 lines, 247 B · not loaded at start: the plugin tells its agents to read it · sessions wrote 1 line, the plugin put 7 there, 1 nobody recorded');
    await expect(file(page, 'issues.md')).toContainText('nothing written yet but what the plugin put there');
    await file(page, 'learnings.md').getByRole('button', { name: /learnings\.md/ }).click();
    await expect(piece(page, 'learnings.md', 'Lines 1 to 7')).toContainText('put there by the plugininferred');
    await expect(piece(page, 'learnings.md', 'Line 8')).toContainText('Token bucket (@Sisyphus-Junior subagent)');
    await expect(piece(page, 'learnings.md', 'Line 9')).toContainText('nobody recorded this');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-memory-notepads');
    await page.setViewportSize({ width: 1024, height: 700 });
    await screenshot(page, 'page-memory-notepads-narrow');
  });

  test('a notepad leads to its plan and back, and its writer to the very part', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fratelimit`);
    await page.getByRole('region', { name: /^Notepads in / }).getByRole('button', { name: 'Plan rate-limit in Work' }).click();
    expect(new URL(page.url()).hash).toMatch(/^#\/work\?plan=[0-9a-f]{16}$/);
    const plan = page.getByRole('list', { name: 'Plans' });
    await expect(plan.locator('.work-row')).toHaveAttribute('aria-expanded', 'true');
    await plan.getByRole('button', { name: 'Who wrote these notes' }).scrollIntoViewIfNeeded();
    await screenshot(page, 'page-memory-notepads-work');
    await plan.getByRole('button', { name: 'Who wrote these notes' }).click();
    await expect(view(page).getByRole('heading', { level: 1 })).toHaveText('ratelimit');
    await file(page, 'decisions.md').getByRole('button', { name: /decisions\.md/ }).click();
    await piece(page, 'decisions.md', 'Line 8').getByRole('button').click();
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#/session/opencode/${notedSessions.worker}/part/opencode/${notedSessions.worker}#${notedParts.decisions}`);
    await page.getByRole('tab', { name: 'Work' }).click();
    const inspector = page.getByTestId('inspector');
    await expect(inspector.getByRole('heading', { name: 'Memory this session touched' })).toBeVisible();
    await expect(inspector.getByRole('button', { name: 'edited rate-limit/decisions.md' })).toBeVisible();
    await screenshot(page, 'page-memory-notepads-inspector');
  });

  test('a reverted turn and a deleted session are marked while one looks', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fratelimit`);
    await file(page, 'decisions.md').getByRole('button', { name: /decisions\.md/ }).click();
    await file(page, 'problems.md').getByRole('button', { name: /problems\.md/ }).click();
    await expect(piece(page, 'decisions.md', 'Line 8')).toContainText('edited');
    home.revert();
    home.forget();
    await expect(piece(page, 'decisions.md', 'Line 8')).toContainText('turn rewound');
    await expect(piece(page, 'problems.md', 'Lines 1 to 3')).toContainText('session gone');
    await screenshot(page, 'page-memory-notepads-marks');
  });
});

test('a home without memory says what was looked for', async () => {
  const fixture = openFixture('field', 'cc-nul-run');
  const { page, close, complaints } = await servedPage({ home: fixture.home, hash: '#/memory' });
  try {
    await expect(page.getByRole('heading', { name: 'No memory yet' })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('none was found, and no session recorded instruction files');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-memory-none');
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('heading', { name: 'Choose a session' })).toBeVisible();
    expect(complaints).toEqual([]);
  } finally {
    await close();
    fixture.dispose();
  }
});
